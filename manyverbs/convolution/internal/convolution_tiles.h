// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstring>

namespace manyverbs::convolution_internal {

/// The inner loop of convolutions: rows of numbers times a panel of 16 columns. It is inlined into
/// functions that vectorised.h also compiles for AVX2, where a vector of eight is one register
/// instead of two.

inline constexpr std::size_t kLanes = 8;
inline constexpr std::size_t kPanel = 2 * kLanes;
/// The sums of six rows are twelve vectors; the other four of 16 registers are for the factors.
inline constexpr std::size_t kTileRows = 6;
using Lanes [[gnu::vector_size(kLanes * sizeof(float))]] = float;

// By reference: how vectors are passed by value depends on the target of the caller.
[[gnu::always_inline]] inline void load(Lanes& lanes, const float* from) {
  std::memcpy(&lanes, from, sizeof lanes);
}
[[gnu::always_inline]] inline void store(float* to, const Lanes& lanes) {
  std::memcpy(to, &lanes, sizeof lanes);
}

/// sums[r] += the sum over k of rows[r][k] * panel[k].
template <std::size_t kRows>
[[gnu::always_inline]] inline void add_products(const float* const* rows, const float* panel,
                                                std::size_t depth, Lanes (&low)[kRows],
                                                Lanes (&high)[kRows]) {
  const float* left[kRows];
#pragma GCC unroll 6
  for (std::size_t r = 0; r < kRows; ++r) left[r] = rows[r];
  for (std::size_t k = 0; k < depth; ++k, panel += kPanel) {
    Lanes panel_low;
    Lanes panel_high;
    load(panel_low, panel);
    load(panel_high, panel + kLanes);
#pragma GCC unroll 6
    for (std::size_t r = 0; r < kRows; ++r) {
      low[r] += left[r][k] * panel_low;
      high[r] += left[r][k] * panel_high;
    }
  }
}

/// Calls work.template operator()<n>(row) for tiles of six rows, then for the remaining n rows.
template <typename Work>
[[gnu::always_inline]] inline void for_each_tile(std::size_t rows, const Work& work) {
  std::size_t row = 0;
  for (; row + kTileRows <= rows; row += kTileRows) work.template operator()<kTileRows>(row);
  switch (rows - row) {
    case 1:
      return work.template operator()<1>(row);
    case 2:
      return work.template operator()<2>(row);
    case 3:
      return work.template operator()<3>(row);
    case 4:
      return work.template operator()<4>(row);
    case 5:
      return work.template operator()<5>(row);
    default:
      return;
  }
}

}  // namespace manyverbs::convolution_internal
