// SPDX-License-Identifier: MIT
#include "manyverbs/learning/internal/batch.h"

#include <ATen/ATen.h>

#include "tests/learning/targets.h"
#include "tests/learning/tensors.h"
#include "tests/one_thread.h"

namespace manyverbs {
namespace {

using Ranges = std::vector<std::pair<std::size_t, std::size_t>>;

TEST(Batch, ASingleLastClipIsAddedToThePreviousBatch) {
  EXPECT_EQ(batch_ranges(5, 2, Recipe::Paper), (Ranges{{0, 2}, {2, 5}}));
  EXPECT_EQ(batch_ranges(6, 4, Recipe::Paper), (Ranges{{0, 4}, {4, 6}}));
}

TEST(Batch, TheReleasedCodeDropsAnIncompleteBatchUnlessItIsTheOnlyOne) {
  EXPECT_EQ(batch_ranges(5, 2, Recipe::Released), (Ranges{{0, 2}, {2, 4}}));
  EXPECT_EQ(batch_ranges(3, 4, Recipe::Released), (Ranges{{0, 3}}));
}

TEST(Batch, TargetsAreThoseOfTheGivenRows) {
  const LabelMatrix all = targets_of({"PAA", "APA", "AAP"});
  const LabelMatrix chosen = target_rows(all, std::vector{2, 0});
  EXPECT_EQ(chosen.values(), targets_of({"AAP", "PAA"}).values());
}

// Backpropagates Assume Negative for one clip.
double backward_of_an(const at::Tensor& scores, const std::string& row) {
  const LabelMatrix targets = targets_of({row});
  const RunSettings settings;
  return backward(scores, [&](const Matrix<float>& values, Matrix<float>* gradient) {
    return find_loss("an").compute(loss_input(values, targets, settings, 1), gradient);
  });
}

// The gradients of AN at scores 0 are (p - y) / C = -0.25 and 0.25; they reach the
// inputs of the scores.
TEST(Batch, TheGradientOfTheLossIsBackpropagated) {
  const at::Tensor leaf = tensor_of({0, 0}, {1, 2}).requires_grad_(true);
  const at::Tensor scores = leaf * 3;
  const double loss = backward_of_an(scores, "PA");
  EXPECT_NEAR(loss, std::log(2.0), 1e-6);
  expect_near(values_of(leaf.grad()), {-0.75F, 0.75F}, 1e-6, "gradients");
}

TEST(Batch, GradientsCanBeKeptAfterBackward) {
  at::Tensor kept;
  const at::Tensor scores = tensor_of({0, 0}, {1, 2}).requires_grad_(true) * 3;
  scores.register_hook([&](const at::Tensor& gradients) { kept = gradients; });
  backward_of_an(scores, "PA");
  const std::vector<Matrix<float>> where_the_loss_worked(8, Matrix<float>(1, 2, 7.0F));
  expect_near(values_of(kept), {-0.25F, 0.25F}, 1e-6, "gradients");
}

}  // namespace
}  // namespace manyverbs
