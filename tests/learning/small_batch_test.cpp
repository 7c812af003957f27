// SPDX-License-Identifier: MIT
#include "manyverbs/learning/internal/small_batch.h"

#include <cmath>
#include <mutex>
#include <vector>

#include <gtest/gtest.h>

#include "manyverbs/support/internal/parallel.h"
#include "manyverbs/support/internal/random.h"

namespace manyverbs {
namespace {

std::vector<float> noise(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(random.uniform() - 0.5);
  return values;
}

std::vector<float> gradient_of(const LayerShape& shape, const std::vector<float>& output_gradient,
                               const std::vector<float>& inputs) {
  std::vector<float> whole(shape.rows * shape.columns, NAN);
  std::mutex mutex;
  for_weight_gradient(shape, output_gradient.data(), inputs.data(), {},
                      [&](std::size_t at, const float* gradient, std::size_t count) {
                        const std::lock_guard lock(mutex);
                        std::copy_n(gradient, count, whole.begin() + static_cast<long>(at));
                      });
  return whole;
}

// Shapes that fill tiles, panels and blocks, and shapes that do not.
class SmallBatch : public testing::TestWithParam<LayerShape> {
 protected:
  void TearDown() override { set_num_threads(before_); }

  LayerShape shape_ = GetParam();
  std::vector<float> inputs_ = noise(shape_.clips * shape_.columns, 1);
  std::vector<float> weight_ = noise(shape_.rows * shape_.columns, 2);
  std::vector<float> output_gradient_ = noise(shape_.clips * shape_.rows, 3);
  int before_ = num_threads();
};

TEST_P(SmallBatch, OutputsEqualTheFormula) {
  std::vector<float> outputs(shape_.clips * shape_.rows, NAN);
  layer_outputs(shape_, inputs_.data(), weight_.data(), outputs.data());
  for (std::size_t clip = 0; clip < shape_.clips; ++clip) {
    for (std::size_t row = 0; row < shape_.rows; ++row) {
      double sum = 0;
      for (std::size_t k = 0; k < shape_.columns; ++k) {
        sum += static_cast<double>(inputs_[clip * shape_.columns + k]) *
               weight_[row * shape_.columns + k];
      }
      ASSERT_NEAR(outputs[clip * shape_.rows + row], sum, 2e-5) << clip << ", " << row;
    }
  }
}

TEST_P(SmallBatch, TheGradientEqualsTheFormulaAndIsComplete) {
  const std::vector<float> whole = gradient_of(shape_, output_gradient_, inputs_);
  for (std::size_t row = 0; row < shape_.rows; ++row) {
    for (std::size_t column = 0; column < shape_.columns; ++column) {
      double sum = 0;
      for (std::size_t clip = 0; clip < shape_.clips; ++clip) {
        sum += static_cast<double>(output_gradient_[clip * shape_.rows + row]) *
               inputs_[clip * shape_.columns + column];
      }
      ASSERT_NEAR(whole[row * shape_.columns + column], sum, 2e-5) << row << ", " << column;
    }
  }
}

TEST_P(SmallBatch, ResultsDoNotDependOnTheNumberOfThreads) {
  std::vector<std::vector<float>> outputs;
  std::vector<std::vector<float>> gradients;
  for (const int threads : {1, 3}) {
    set_num_threads(threads);
    outputs.emplace_back(shape_.clips * shape_.rows);
    layer_outputs(shape_, inputs_.data(), weight_.data(), outputs.back().data());
    gradients.push_back(gradient_of(shape_, output_gradient_, inputs_));
  }
  EXPECT_EQ(outputs[0], outputs[1]);
  EXPECT_EQ(gradients[0], gradients[1]);
}

INSTANTIATE_TEST_SUITE_P(Shapes, SmallBatch,
                         testing::Values(LayerShape{1, 1, 1}, LayerShape{2, 5, 3},
                                         LayerShape{16, 6, 512}, LayerShape{64, 24, 1024},
                                         LayerShape{65, 31, 700}, LayerShape{130, 13, 1041}));

TEST(SmallBatchExamples, AreAsInTheHeader) {
  const std::vector<float> weight = {3, 4, 5, 6};
  const std::vector<float> inputs = {1, 2};
  std::vector<float> outputs(2);
  layer_outputs({1, 2, 2}, inputs.data(), weight.data(), outputs.data());
  EXPECT_EQ(outputs, (std::vector<float>{11, 17}));
  EXPECT_EQ(gradient_of({1, 2, 2}, {1, 2}, {3, 4}), (std::vector<float>{3, 4, 6, 8}));
}

}  // namespace
}  // namespace manyverbs
