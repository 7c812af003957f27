// SPDX-License-Identifier: MIT
//
// Training steps of the MLP of the paper as in `manyverbs train`, and losses compared with the same
// formulas in LibTorch operations. Prints lines "name value unit".
//
//   training_bench step     milliseconds per step; compare with bench/pytorch_step.py
//   training_bench losses   microseconds of value and gradient, of manyverbs and of LibTorch

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <unistd.h>

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

// Seconds of one epoch with this number of batches, including the overhead of train().
double epoch_seconds(const FeatureTable& table, int batches) {
  TrainingData data;
  data.features = &table;
  data.clips = first_rows(static_cast<std::size_t>(batches) * kBatch);
  std::vector<std::vector<ClassId>> labels(data.clips.size());
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = {static_cast<ClassId>(i % kClasses)};
  data.targets = label_sets(labels, kClasses);
  data.validation_clips = first_rows(2);
  data.validation_targets = label_sets(std::span(labels).first(2), kClasses);
  RunSettings settings;
  settings.epochs = 1;
  const EpochScorer scorer{{"none"}, [](const Matrix<float>&) { return std::vector<double>{0}; }};
  const auto folder =
      std::filesystem::temp_directory_path() / fmt::format("manyverbs-bench-{}", getpid());
  std::filesystem::create_directories(folder);
  const double seconds = seconds_of([&] { train(data, settings, scorer, folder); });
  std::filesystem::remove_all(folder);
  return seconds;
}

// The difference of a long and a short epoch contains only steps: starting and saving cancel out.
void bench_step() {
  constexpr int kShort = 10;
  constexpr int kLong = 110;
  Matrix<float> features(static_cast<std::size_t>(kLong) * kBatch, kColumns);
  Random random(1);
  for (std::size_t i = 0; i < features.rows(); ++i) {
    for (float& value : features.row(i)) value = static_cast<float>(random.uniform());
  }
  const FeatureTable table(std::move(features));
  epoch_seconds(table, kShort);
  const double steps = epoch_seconds(table, kLong) - epoch_seconds(table, kShort);
  fmt::print("step {:.3f} ms\n", 1e3 * steps / (kLong - kShort));
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

void bench_losses() {
  constexpr int kRounds = 300;
  const at::Tensor z = at::randn({kBatch, kClasses}).requires_grad_(true);
  const at::Tensor present = at::zeros({kBatch, kClasses});
  Matrix<float> scores(kBatch, kClasses);
  Matrix<float> gradient(kBatch, kClasses);
  LabelMatrix targets(kBatch, kClasses);
  std::memcpy(scores.data(), z.data_ptr<float>(), z.numel() * sizeof(float));
  for (int i = 0; i < kBatch; ++i) {
    targets(i, i) = Label::Present;
    present.data_ptr<float>()[i * kClasses + i] = 1;
  }
  for (const std::string name : {"an", "focal", "em"}) {
    double ours = std::numeric_limits<double>::infinity();
    double plain = ours;
    const Loss& loss = find_loss(name);
    for (int round = 0; round < kRounds; ++round) {
      ours = std::min(
          ours, seconds_of([&] { loss.compute(scores, targets, Recipe::Paper, {}, &gradient); }));
      plain = std::min(plain, seconds_of([&] { plain_loss(name, z, present).backward(); }));
      z.mutable_grad().reset();
    }
    fmt::print("loss-{} {:.1f} us\nloss-{}-libtorch {:.1f} us\n", name, 1e6 * ours, name,
               1e6 * plain);
  }
}

}  // namespace

int main(int count, char** values) {
  Progress::silence();
  const std::string what = count > 1 ? values[1] : "";
  if (what == "step") {
    bench_step();
  } else if (what == "losses") {
    at::set_num_threads(num_threads());
    bench_losses();
  } else {
    fmt::print(stderr, "training_bench step|losses\n");
    return 2;
  }
  return 0;
}
