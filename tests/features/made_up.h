// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>

#include <ATen/ATen.h>

#include "manyverbs/features/internal/tsm.h"

namespace manyverbs {

/// The numbers of made_up() in tests/golden/tsm.py.
inline at::Tensor made_up(at::IntArrayRef sizes, std::uint64_t seed) {
  at::Tensor tensor = at::empty(sizes, at::kFloat);
  auto* values = tensor.data_ptr<float>();
  for (std::int64_t i = 0; i < tensor.numel(); ++i) {
    std::uint64_t x = (static_cast<std::uint64_t>(i) * 2654435761U + seed * 40503U) & 0xffffffffU;
    x = ((x ^ (x >> 15)) * 739685423U) & 0xffffffffU;
    values[i] = static_cast<float>(static_cast<double>(x >> 8) / (1 << 23) - 1);
  }
  return tensor;
}

/// The weights of fill() there.
inline void fill(const Tsm& tsm) {
  const at::NoGradGuard no_gradients;
  const auto named = tsm.state();
  const std::map<std::string, at::Tensor> state(named.begin(), named.end());
  std::uint64_t seed = 0;
  for (const auto& [name, tensor] : state) {
    const at::Tensor values = made_up(tensor.sizes(), seed++);
    if (tensor.dim() > 1) {
      const double fan = static_cast<double>(tensor.numel() / tensor.size(0));
      tensor.detach().copy_(values * std::sqrt(3 / fan));
    } else if (name.ends_with("running_var") || name.ends_with("weight")) {
      tensor.detach().copy_(1 + values / 2);
    } else {
      tensor.detach().copy_(values / 4);
    }
  }
}

}  // namespace manyverbs
