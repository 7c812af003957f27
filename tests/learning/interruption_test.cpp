// SPDX-License-Identifier: MIT
#include <sys/resource.h>

#include <csignal>
#include <cstdlib>
#include <optional>

#include "manyverbs/features/internal/safetensors.h"
#include "manyverbs/learning/internal/log_file.h"
#include "manyverbs/support/internal/files.h"
#include "manyverbs/support/internal/json.h"
#include "tests/interrupting.h"
#include "tests/learning/toy.h"
#include "tests/one_thread.h"
#include "tests/scratch.h"

namespace manyverbs {
namespace {

// A death test runs its test from the start in a new process, which dies. Both use the same folder,
// whose name the new process inherits.
class SharedFolder {
 public:
  SharedFolder() {
    if (const char* inherited = std::getenv(kVariable)) {
      path_ = inherited;
      return;
    }
    path_ = scratch_.emplace().path();
    setenv(kVariable, path_.c_str(), 1);
  }
  ~SharedFolder() {
    if (scratch_) unsetenv(kVariable);
  }
  SharedFolder(const SharedFolder&) = delete;
  SharedFolder& operator=(const SharedFolder&) = delete;

  /// Creates a folder in it.
  std::filesystem::path operator/(const std::string& name) const {
    std::filesystem::create_directories(path_ / name);
    return path_ / name;
  }

 private:
  static constexpr const char* kVariable = "MANYVERBS_TEST_SHARED_FOLDER";
  std::optional<ScratchFolder> scratch_;
  std::filesystem::path path_;
};

constexpr std::array kLossesWithMemory = {"ll-cp", "em-apl", "role"};

// Six epochs. The losses with memory change it in all epochs but the first.
RunSettings six_epochs(const std::string& loss) {
  RunSettings settings = toy_settings();
  settings.loss = loss;
  settings.epochs = 6;
  settings.loss_settings.large_loss_rate = 5;
  settings.loss_settings.apl_warm_up = 1;
  settings.loss_settings.expected_labels = 1;
  return settings;
}

// Trains six epochs with a checkpoint after each. The value of the scorer rises with every
// epoch, so each becomes the model; `between` is called after an epoch and before saving it.
void train_toy(const std::filesystem::path& folder, const std::function<void(int epoch)>& between,
               const std::string& loss = "an") {
  const Toy toy;
  RunSettings settings = six_epochs(loss);
  settings.checkpoint_seconds = 0;
  int epoch = 0;
  const EpochScorer scorer{{"certainty"}, [&](const Matrix<float>& probabilities) {
                             between(++epoch);
                             double sum = 0;
                             for (std::size_t i = 0; i < probabilities.values().size(); ++i) {
                               const bool is_right =
                                   toy.data.validation_targets.values()[i] == Label::Present;
                               sum += is_right ? probabilities.values()[i] : 0;
                             }
                             return std::vector{sum};
                           }};
  train(toy.data, settings, scorer, folder);
}

// Limits the size of files to that of the old model plus some bytes, so that the system kills the
// program in the middle of a write.
void limit_files(const std::filesystem::path& folder, int beyond_model) {
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  const auto size = std::filesystem::file_size(folder / "model.safetensors") + beyond_model;
  const rlimit limit{size, size};
  setrlimit(RLIMIT_FSIZE, &limit);
}

struct Saved {
  int model = 0;
  int checkpoint = 0;

  bool operator==(const Saved&) const = default;
};

// The epochs of the model and of the checkpoint in a folder.
Saved saved_in(const std::filesystem::path& folder) {
  const std::string model = read_tensors(folder / "model.safetensors").metadata.at("epoch");
  const std::string state = read_tensors(folder / "checkpoint.safetensors").metadata.at("training");
  return {std::stoi(model), static_cast<int>(Json::parse(state)["epochs"].size())};
}

// Resumes in one folder, trains from the start in another, and expects equal files.
void expect_the_same_end(const SharedFolder& shared) {
  train_toy(shared / "killed", [](int) {});
  train_toy(shared / "undisturbed", [](int) {});
  EXPECT_EQ(saved_in(shared / "undisturbed"), (Saved{6, 6}));
  for (const char* file : kTrainingFiles) {
    EXPECT_EQ(read_file(shared / "killed" / file), read_file(shared / "undisturbed" / file))
        << file;
  }
}

class InterruptionDeathTest : public testing::Test {
 protected:
  // A new process instead of a copy of this one: LibTorch does not survive being copied.
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }

  SharedFolder shared_;
};

// 30 steps per epoch, six epochs, and only the last checkpoint; with everything that can depend on
// the step or the epoch.
void train_long_toy(const std::filesystem::path& folder, const std::string& loss) {
  const Toy toy;
  RunSettings settings = six_epochs(loss);
  settings.dropout = 0.3;
  settings.features.mixup = 0.5;  // has an effect for ce
  settings.schedule = Schedule::Cosine;
  settings.batch = 2;
  train(toy.data, settings, toy.scorer(), folder);
}

void expect_same_files(const std::filesystem::path& one, const std::filesystem::path& other) {
  for (const char* file : kTrainingFiles) {
    EXPECT_EQ(read_file(one / file), read_file(other / file)) << file;
  }
}

// Whether a training was interrupted after a step that was not the last of an epoch.
bool any_within_epoch(const std::vector<std::string>& kept) {
  return std::any_of(kept.begin(), kept.end(), [](const std::string& text) {
    return text.starts_with("saved after step ") && !text.starts_with("saved after step 0 ");
  });
}

// Compares interrupted trainings with an undisturbed one, until a signal came within an epoch: on a
// busy machine signals may come too late or between epochs, but not again and again.
void expect_same_if_interrupted(const std::string& loss) {
  SCOPED_TRACE(loss);
  const ScratchFolder scratch;
  std::filesystem::create_directory(scratch / "undisturbed");
  train_long_toy(scratch / "undisturbed", loss);
  bool within_epoch = false;
  for (int attempt = 0; attempt < 20 && !within_epoch; ++attempt) {
    std::filesystem::remove_all(scratch / "interrupted");
    std::filesystem::create_directory(scratch / "interrupted");
    within_epoch = any_within_epoch(
        interrupt_until_done([&] { train_long_toy(scratch / "interrupted", loss); }));
    expect_same_files(scratch / "interrupted", scratch / "undisturbed");
  }
  EXPECT_TRUE(within_epoch);
}

TEST(TrainingInterruption, InterruptedAtAnyStepTheResultIsBitIdentical) {
  expect_same_if_interrupted("an");
}

TEST(TrainingInterruption, InterruptedAtAnyStepMixupIsBitIdentical) {
  expect_same_if_interrupted("ce");
}

TEST(TrainingInterruption, InterruptedAtAnyStepTheMemoryOfALossIsBitIdentical) {
  for (const std::string loss : kLossesWithMemory) expect_same_if_interrupted(loss);
}

// The first step of an epoch is not taken, but em-apl has already made its soft labels.
TEST(TrainingInterruption, BetweenEpochsTheMemoryOfALossIsBitIdentical) {
  for (const std::string loss : kLossesWithMemory) {
    SCOPED_TRACE(loss);
    const ScratchFolder scratch;
    for (const char* name : {"undisturbed", "interrupted"}) {
      std::filesystem::create_directory(scratch / name);
    }
    train_toy(
        scratch / "undisturbed", [](int) {}, loss);
    for (int done = 0; done < 6;) {
      const InterruptionHandler handler;
      try {
        train_toy(
            scratch / "interrupted", [](int) { std::raise(SIGINT); }, loss);
        done = 6;
      } catch (const Interrupted& stop) {
        EXPECT_EQ(stop.kept(), fmt::format("saved after epoch {}", ++done));
      }
    }
    expect_same_files(scratch / "interrupted", scratch / "undisturbed");
  }
}

TEST(TrainingInterruption, BeforeTheFirstStepThereIsACheckpointAndNoModel) {
  const ScratchFolder scratch;
  EXPECT_EQ(interrupted_at_once([&] { train_long_toy(scratch.path(), "an"); }),
            "saved after step 0 of epoch 1");
  EXPECT_TRUE(std::filesystem::exists(scratch / "checkpoint.safetensors"));
  EXPECT_FALSE(std::filesystem::exists(scratch / "model.safetensors"));
}

TEST(TrainingInterruption, BetweenEpochsModelAndLogAreSavedToo) {
  const ScratchFolder scratch;
  const InterruptionHandler handler;
  const auto interrupt = [](int epoch) {
    if (epoch == 2) std::raise(SIGINT);
  };
  std::string kept;
  try {
    train_toy(scratch.path(), interrupt);
  } catch (const Interrupted& stop) {
    kept = stop.kept();
  }
  EXPECT_EQ(kept, "saved after epoch 2");
  EXPECT_EQ(saved_in(scratch.path()), (Saved{2, 2}));
  EXPECT_EQ(read_log(scratch.path()).epochs.size(), 2U);
}

TEST_F(InterruptionDeathTest, ATrainingKilledInItsFirstEpochStartsAgain) {
  EXPECT_EXIT(train_toy(shared_ / "killed", [](int) { std::raise(SIGKILL); }),
              testing::KilledBySignal(SIGKILL), "");
  EXPECT_TRUE(std::filesystem::is_empty(shared_ / "killed"));
  expect_the_same_end(shared_);
}

TEST_F(InterruptionDeathTest, ATrainingKilledBetweenCheckpointsIsBitIdentical) {
  EXPECT_EXIT(train_toy(shared_ / "killed",
                        [](int epoch) {
                          if (epoch == 3) std::raise(SIGKILL);
                        }),
              testing::KilledBySignal(SIGKILL), "");
  EXPECT_EQ(saved_in(shared_ / "killed"), (Saved{2, 2}));
  expect_the_same_end(shared_);
}

TEST_F(InterruptionDeathTest, TheMemoryOfALossKilledBetweenCheckpointsIsBitIdentical) {
  for (const std::string loss : kLossesWithMemory) {
    SCOPED_TRACE(loss);
    const std::filesystem::path killed = shared_ / ("killed-" + loss);
    const auto kill = [](int epoch) {
      if (epoch == 4) std::raise(SIGKILL);
    };
    EXPECT_EXIT(train_toy(killed, kill, loss), testing::KilledBySignal(SIGKILL), "");
    EXPECT_EQ(saved_in(killed), (Saved{3, 3}));
    train_toy(
        killed, [](int) {}, loss);
    const std::filesystem::path undisturbed = shared_ / ("undisturbed-" + loss);
    train_toy(
        undisturbed, [](int) {}, loss);
    expect_same_files(killed, undisturbed);
  }
}

TEST_F(InterruptionDeathTest, ATrainingKilledWhileTheModelIsWrittenIsBitIdentical) {
  EXPECT_EXIT(train_toy(shared_ / "killed",
                        [&](int epoch) {
                          if (epoch == 4) limit_files(shared_ / "killed", -50);
                        }),
              testing::KilledBySignal(SIGXFSZ), "");
  EXPECT_EQ(saved_in(shared_ / "killed"), (Saved{3, 3}));
  expect_the_same_end(shared_);
}

TEST_F(InterruptionDeathTest, ATrainingKilledBetweenModelAndCheckpointIsBitIdentical) {
  EXPECT_EXIT(train_toy(shared_ / "killed",
                        [&](int epoch) {
                          if (epoch == 4) limit_files(shared_ / "killed", 50);
                        }),
              testing::KilledBySignal(SIGXFSZ), "");
  EXPECT_EQ(saved_in(shared_ / "killed"), (Saved{4, 3}));
  expect_the_same_end(shared_);
}

}  // namespace
}  // namespace manyverbs
