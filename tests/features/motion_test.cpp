// SPDX-License-Identifier: MIT
#include <ATen/ATen.h>

#include "manyverbs/features/internal/tsm.h"
#include "tests/one_thread.h"

namespace manyverbs {
namespace {

constexpr int kSegments = 8;
constexpr int kSize = 32;

// Clips of a bright square that moves to the right (1) or left (0) on a ring, so that each single
// frame is equally likely in both.
struct Clips {
  at::Tensor frames;
  at::Tensor labels;
};
Clips moving_squares(int count, Random& random) {
  Clips clips{at::zeros({count * kSegments, 3, kSize, kSize}), at::zeros({count}, at::kLong)};
  for (int clip = 0; clip < count; ++clip) {
    const auto right = static_cast<std::int64_t>(random.below(2));
    clips.labels[clip] = right;
    const auto start = static_cast<int>(random.below(kSize));
    const auto row = static_cast<int>(random.below(kSize - 8));
    for (int t = 0; t < kSegments; ++t) {
      const int left = (start + (right == 1 ? 4 : -4) * t + 2 * kSize) % kSize;
      for (int x = left; x < left + 8; ++x) {
        clips.frames[clip * kSegments + t].narrow(1, row, 8).select(2, x % kSize).fill_(1);
      }
    }
  }
  return clips;
}

// The accuracy of a network on new clips after some steps of SGD with momentum.
double accuracy_after_training(bool shift) {
  Tsm tsm({.depth = 10, .segments = kSegments, .classes = 2, .shift = shift, .width = 16}, 3);
  const TsmTraining training{.dropout = 0};
  const auto parameters = tsm.parameters(training);
  std::vector<at::Tensor> momenta;
  for (const at::Tensor& parameter : parameters) momenta.push_back(at::zeros_like(parameter));
  Random random(1);
  for (int step = 0; step < 60; ++step) {
    const Clips batch = moving_squares(16, random);
    const at::Tensor scores = tsm.train_scores(batch.frames, training, &random);
    at::cross_entropy_loss(scores, batch.labels).backward();
    const at::NoGradGuard no_gradients;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      momenta[i].mul_(0.9).add_(parameters[i].grad());
      parameters[i].detach().add_(momenta[i], -0.02);
      at::Tensor parameter = parameters[i];
      parameter.mutable_grad().reset();
    }
  }
  const Clips test = moving_squares(100, random);
  return tsm.scores(test.frames).argmax(1).eq(test.labels).to(at::kFloat).mean().item<double>();
}

TEST(Motion, ANetworkWithShiftLearnsLeftFromRight) {
  EXPECT_GT(accuracy_after_training(true), 0.95);
}

TEST(Motion, WithoutShiftItCannot) { EXPECT_LT(accuracy_after_training(false), 0.65); }

}  // namespace
}  // namespace manyverbs
