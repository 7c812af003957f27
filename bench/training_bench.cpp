// SPDX-License-Identifier: MIT
//
// Training steps of the MLP of the paper as in `manyverbs train`, and losses compared with the same
// formulas in LibTorch operations. Prints lines "name value unit".
//
//   training_bench step [LOSS]   milliseconds per step; compare with bench/pytorch_step.py
//   training_bench losses        microseconds of value and gradient, of manyverbs and of LibTorch

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <unistd.h>

#include "manyverbs/learning/internal/batch.h"
#include "manyverbs/learning/internal/loss_memory.h"
#include "manyverbs/learning/internal/trainer.h"
#include "manyverbs/support/internal/parallel.h"
#include "manyverbs/support/internal/progress.h"
#include "manyverbs/support/internal/random.h"

namespace {

using namespace manyverbs;

constexpr int kColumns = 4096;
constexpr int kClasses = 97;
constexpr int kBatch = 64;

double seconds_of(const auto& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Seconds of two epochs with this number of batches each, including the overhead of train(). Some
// losses do more in the second one.
double training_seconds(const FeatureTable& table, int batches, const std::string& loss) {
  TrainingData data;
  data.features = &table;
  data.clips = first_rows(static_cast<std::size_t>(batches) * kBatch);
  std::vector<std::vector<ClassId>> labels(data.clips.size());
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = {static_cast<ClassId>(i % kClasses)};
  data.targets = label_sets(labels, kClasses);
  data.validation_clips = first_rows(2);
  data.validation_targets = label_sets(std::span(labels).first(2), kClasses);
  RunSettings settings;
  settings.loss = loss;
  settings.loss_settings.expected_labels = 2;
  settings.loss_settings.apl_warm_up = 1;
  settings.epochs = 2;
  const EpochScorer scorer{{"none"}, [](const Matrix<float>&) { return std::vector<double>{0}; }};
  const auto folder =
      std::filesystem::temp_directory_path() / fmt::format("manyverbs-bench-{}", getpid());
  std::filesystem::create_directories(folder);
  const double seconds = seconds_of([&] { train(data, settings, scorer, folder); });
  std::filesystem::remove_all(folder);
  return seconds;
}

// The difference of long and short epochs contains only steps: starting and saving cancel out.
void bench_step(const std::string& loss) {
  constexpr int kShort = 10;
  constexpr int kLong = 110;
  Matrix<float> features(static_cast<std::size_t>(kLong) * kBatch, kColumns);
  Random random(1);
  for (std::size_t i = 0; i < features.rows(); ++i) {
    for (float& value : features.row(i)) value = static_cast<float>(random.uniform());
  }
  const FeatureTable table(std::move(features));
  training_seconds(table, kShort, loss);
  const double steps = training_seconds(table, kLong, loss) - training_seconds(table, kShort, loss);
  fmt::print("step {:.3f} ms\n", 1e3 * steps / (2 * (kLong - kShort)));
}

// The formulas of the paper in tensor operations.
at::Tensor plain_loss(const std::string& name, const at::Tensor& z, const at::Tensor& present) {
  const at::Tensor absent = 1 - present;
  const at::Tensor log_p = at::log_sigmoid(z);
  const at::Tensor log_q = at::log_sigmoid(-z);
  at::Tensor cost;
  if (name == "focal") {
    const at::Tensor p = at::sigmoid(z);
    cost = 0.25 * present * (1 - p).pow(2) * log_p + 0.75 * absent * p.pow(2) * log_q;
  } else if (name == "em") {
    const at::Tensor p = at::sigmoid(z);
    cost = present * log_p + absent * 0.2 * -(p * log_p + (1 - p) * log_q);
  } else {
    cost = present * log_p + absent * log_q;
  }
  return -cost.mean(1).mean(0);
}

// The least time of many rounds.
double fastest(const auto& work) {
  constexpr int kRounds = 300;
  double least = std::numeric_limits<double>::infinity();
  for (int round = 0; round < kRounds; ++round) least = std::min(least, seconds_of(work));
  return least;
}

// A training step of the loss in the second epoch, with what the loss stores for each clip.
double loss_seconds(const Loss& loss, const Matrix<float>& scores, const LabelMatrix& targets) {
  RunSettings settings;
  settings.loss = loss.name;
  settings.loss_settings.expected_labels = 2;
  Matrix<float> gradient(kBatch, kClasses);
  std::vector<int> clips(kBatch);
  std::iota(clips.begin(), clips.end(), 0);
  const auto memory = loss.memory != nullptr ? loss.memory(targets, settings) : nullptr;
  const LossInput input = loss_input(scores, targets, settings, 2);
  return fastest(
      [&] { memory ? memory->compute(input, clips, &gradient) : loss.compute(input, &gradient); });
}

void bench_losses() {
  const at::Tensor z = at::randn({kBatch, kClasses}).requires_grad_(true);
  const at::Tensor present = at::zeros({kBatch, kClasses});
  Matrix<float> scores(kBatch, kClasses);
  LabelMatrix targets(kBatch, kClasses);
  std::memcpy(scores.data(), z.data_ptr<float>(), z.numel() * sizeof(float));
  for (int i = 0; i < kBatch; ++i) {
    targets(i, i) = Label::Present;
    present.data_ptr<float>()[i * kClasses + i] = 1;
  }
  for (const Loss& loss : all_losses()) {
    fmt::print("loss-{} {:.1f} us\n", loss.name, 1e6 * loss_seconds(loss, scores, targets));
  }
  for (const std::string name : {"an", "focal", "em"}) {
    const double plain = fastest([&] {
      plain_loss(name, z, present).backward();
      z.mutable_grad().reset();
    });
    fmt::print("loss-{}-libtorch {:.1f} us\n", name, 1e6 * plain);
  }
}

}  // namespace

int main(int count, char** values) {
  Progress::silence();
  const std::string what = count > 1 ? values[1] : "";
  if (what == "step") {
    bench_step(count > 2 ? values[2] : "an");
  } else if (what == "losses") {
    at::set_num_threads(num_threads());
    bench_losses();
  } else {
    fmt::print(stderr, "training_bench step [LOSS]|losses\n");
    return 2;
  }
  return 0;
}
