// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include <ATen/ATen.h>

#include <gtest/gtest.h>
#include "manyverbs/support/internal/random.h"

namespace manyverbs {

inline at::Tensor tensor_of(const std::vector<float>& values, at::IntArrayRef sizes) {
  return at::from_blob(const_cast<float*>(values.data()), sizes, at::kFloat).clone();
}

inline std::vector<float> values_of(const at::Tensor& tensor) {
  const at::Tensor plain = tensor.detach().contiguous();
  return {plain.data_ptr<float>(), plain.data_ptr<float>() + plain.numel()};
}

inline void expect_near(const std::vector<float>& found, const std::vector<float>& expected,
                        double tolerance, const std::string& what) {
  ASSERT_EQ(found.size(), expected.size()) << what;
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i], expected[i], tolerance) << what << ", number " << i;
  }
}

/// Normally distributed numbers, deterministic for a seed.
inline at::Tensor random_tensor(int seed, at::IntArrayRef sizes) {
  Random random(seed);
  at::Tensor tensor = at::empty(sizes, at::kFloat);
  for (std::int64_t i = 0; i < tensor.numel(); ++i) {
    tensor.data_ptr<float>()[i] = static_cast<float>(random.normal());
  }
  return tensor;
}

}  // namespace manyverbs
