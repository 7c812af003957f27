// SPDX-License-Identifier: MIT
#include "manyverbs/learning/internal/loss_memory.h"

#include <cmath>

#include "manyverbs/learning/internal/batch.h"
#include "tests/learning/golden.h"
#include "tests/learning/loss_settings.h"
#include "tests/learning/targets.h"
#include "tests/learning/tensors.h"
#include "tests/one_thread.h"

namespace manyverbs {
namespace {

Matrix<float> matrix_of(const Json& rows) { return {rows.size(), rows[0].size(), floats_of(rows)}; }

// The stored matrix of this name.
Matrix<float>& stored(LossMemory& memory, const std::string& name) {
  for (const auto& [found, matrix] : memory.state()) {
    if (found == name) return *matrix;
  }
  throw std::logic_error("nothing is stored as " + name);
}

// A sequence of tests/golden/loss_memory.py.
class Sequence {
 public:
  explicit Sequence(const Json& golden)
      : golden_(golden), targets_(targets_of(golden["targets"].get<std::vector<std::string>>())) {
    settings_.loss = golden["loss"];
    settings_.recipe = find_recipe(golden["recipe"].get<std::string>());
    settings_.epochs = golden["epochs"];
    settings_.learning_rate = golden["learning_rate"];
    settings_.loss_settings = loss_settings_of(golden["settings"]);
    memory_ = find_loss(settings_.loss).memory(targets_, settings_);
    if (golden.contains("label_scores")) {
      stored(*memory_, "label_scores") = matrix_of(golden["label_scores"]);
    }
  }

  void expect_steps() {
    int number = 0;
    for (const Json& step : golden_["steps"]) {
      SCOPED_TRACE(
          fmt::format("{}, {}, step {}", settings_.loss, recipe_name(settings_.recipe), ++number));
      expect_step(step);
    }
  }

 private:
  void expect_step(const Json& step) {
    const int epoch = step["epoch"];
    if (step.contains("all_scores") && memory_->needs_scores(epoch)) {
      memory_->begin_epoch(epoch, matrix_of(step["all_scores"]));
      EXPECT_FALSE(memory_->needs_scores(epoch));
    }
    const auto clips = step["clips"].get<std::vector<int>>();
    const Matrix<float> scores = matrix_of(step["scores"]);
    const LabelMatrix targets = target_rows(targets_, clips);
    Matrix<float> gradient(scores.rows(), scores.columns(), NAN);
    const double value =
        memory_->compute(loss_input(scores, targets, settings_, epoch), clips, &gradient);
    EXPECT_NEAR(value, step["value"], 1e-6 + 1e-6 * std::abs(value));
    expect_near(gradient.values(), floats_of(step["gradient"]), 1e-6, "gradient");
    for (const char* name : {"corrected_labels", "soft_labels"}) {
      if (!step.contains(name)) continue;
      expect_near(stored(*memory_, name).values(), floats_of(step[name]), 1e-6, name);
    }
    if (!step.contains("label_scores")) return;
    std::vector<float> used;
    for (const int clip : clips) {
      const auto row = stored(*memory_, "label_scores").row(clip);
      used.insert(used.end(), row.begin(), row.end());
    }
    expect_near(used, floats_of(step["label_scores"]), 2e-5, "label scores");
  }

  const Json& golden_;
  LabelMatrix targets_;
  RunSettings settings_;
  std::unique_ptr<LossMemory> memory_;
};

TEST(LossMemory, SequencesOfStepsAgreeWithPyTorch) {
  std::set<std::string> compared;
  const Json all = read_golden("loss_memory");
  for (const Json& golden : all) {
    Sequence(golden).expect_steps();
    compared.insert(golden["loss"].get<std::string>());
  }
  for (const Loss& loss : all_losses()) {
    EXPECT_EQ(compared.contains(std::string(loss.name)), loss.memory != nullptr) << loss.name;
  }
}

class MemoryOf : public testing::Test {
 protected:
  // A memory of two clips with three classes.
  std::unique_ptr<LossMemory> memory(const std::string& loss) {
    settings_.loss = loss;
    return find_loss(loss).memory(targets_, settings_);
  }
  // The gradient of a step of both clips.
  Matrix<float> step(LossMemory& memory, const Matrix<float>& scores, int epoch) const {
    const std::vector<int> clips = {0, 1};
    Matrix<float> gradient(2, 3);
    memory.compute(loss_input(scores, targets_, settings_, epoch), clips, &gradient);
    return gradient;
  }

  LabelMatrix targets_ = targets_of({"PAA", "APA"});
  RunSettings settings_;
};

// Two of six targets are large losses: 3 and 2. The one above the limit, 3, stays corrected.
TEST_F(MemoryOf, LlCpKeepsCorrectionsAboveTheLimit) {
  settings_.loss_settings.large_loss_rate = 30;
  const auto labels = memory("ll-cp");
  const Matrix<float> scores(2, 3, {0, 3, -1, 2, 0, 1});
  step(*labels, scores, 1);
  EXPECT_EQ(stored(*labels, "corrected_labels").values(), (std::vector<float>{0, 0, 0, 0, 0, 0}));
  const Matrix<float> corrected = step(*labels, scores, 2);
  EXPECT_LT(corrected(0, 1), 0);
  EXPECT_LT(corrected(1, 0), 0);
  EXPECT_EQ(stored(*labels, "corrected_labels").values(), (std::vector<float>{0, 1, 0, 0, 0, 0}));
  EXPECT_LT(step(*labels, Matrix<float>(2, 3, {0, -9, 8, 7, 0, 7}), 2)(0, 1), 0)
      << "although its loss is no longer large";
}

// One clip of two is unchecked for the first two classes, both for the third. After the last epoch
// all have soft labels; half of the time before it, one of the third class.
TEST_F(MemoryOf, ApLabelsTheLowestProbabilitiesEvenlyOverTheEpochs) {
  settings_.epochs = 4;
  settings_.loss_settings.apl_warm_up = 2;
  settings_.loss_settings.apl_share = 1;
  const auto labels = memory("em-apl");
  EXPECT_FALSE(labels->needs_scores(2));
  ASSERT_TRUE(labels->needs_scores(3));
  labels->begin_epoch(3, Matrix<float>(2, 3, {0, 0, 1, 0, 0, -1}));
  EXPECT_FALSE(labels->needs_scores(3)) << "resumed, it would be called again";
  const Matrix<float>& soft = stored(*labels, "soft_labels");
  expect_near(soft.values(), {-1, -1, -1, -1, -1, 0.26894142F}, 1e-7, "one");
  ASSERT_TRUE(labels->needs_scores(4));
  labels->begin_epoch(4, Matrix<float>(2, 3, {9, 0, 0, 0, 9, 9}));
  expect_near(soft.values(), {-1, 0.5F, 0.5F, 0.5F, -1, 0.26894142F}, 1e-7, "all");
}

TEST_F(MemoryOf, ApWithoutEpochsAfterTheWarmUpIsEntropyMaximisation) {
  settings_.epochs = 4;
  settings_.loss_settings.apl_warm_up = 4;
  const auto labels = memory("em-apl");
  for (int epoch = 1; epoch <= 4; ++epoch) EXPECT_FALSE(labels->needs_scores(epoch));
  const Matrix<float> scores(2, 3, {0, 3, -1, 2, 0, 1});
  Matrix<float> plain(2, 3);
  find_loss("em").compute(loss_input(scores, targets_, settings_, 1), &plain);
  EXPECT_EQ(step(*labels, scores, 4), plain);
}

TEST_F(MemoryOf, RoleStartsWithSureOwnLabelsAndSeededNoise) {
  const auto values = [&](std::uint64_t seed) {
    settings_.seed = seed;
    return stored(*memory("role"), "label_scores").values();
  };
  const std::vector<float> one = values(1);
  EXPECT_EQ(one, values(1));
  EXPECT_NE(one, values(2));
  for (std::size_t i = 0; i < one.size(); ++i) {
    if (i == 0 || i == 4) {
      EXPECT_NEAR(one[i], std::log(0.995 / 0.005), 1e-6);
    } else {
      EXPECT_LE(std::abs(one[i]), std::log(0.6 / 0.4)) << i;
    }
  }
}

}  // namespace
}  // namespace manyverbs
