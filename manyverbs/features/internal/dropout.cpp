// SPDX-License-Identifier: MIT
#include "manyverbs/features/internal/dropout.h"

#include <cmath>

#include <ATen/ATen.h>

namespace manyverbs {

// Half of the time of a mask is spent on random bits, so each draw serves two values.
at::Tensor dropout_mask(at::IntArrayRef sizes, double rate, Random& random) {
  at::Tensor mask = at::empty(sizes, at::kFloat);
  auto* values = mask.data_ptr<float>();
  const auto dropped = static_cast<std::uint32_t>(std::lround(rate * 65536));
  const auto kept = static_cast<float>(1.0 / (1.0 - rate));
  const std::int64_t count = mask.numel();
  for (std::int64_t i = 0; i < count; i += 2) {
    const std::uint32_t bits = random.bits();
    values[i] = (bits & 0xFFFFU) < dropped ? 0.0F : kept;
    if (i + 1 < count) values[i + 1] = (bits >> 16U) < dropped ? 0.0F : kept;
  }
  return mask;
}

}  // namespace manyverbs
