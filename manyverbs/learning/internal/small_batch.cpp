// SPDX-License-Identifier: MIT
#include "manyverbs/learning/internal/small_batch.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "manyverbs/support/internal/parallel.h"
#include "manyverbs/support/internal/vectorised.h"

namespace manyverbs {
namespace {

// The sums of six rows are twelve vectors; the other four of 16 registers are for the factors.
constexpr std::size_t kTileRows = 6;
constexpr std::size_t kLanes = 8;
constexpr std::size_t kPanel = 2 * kLanes;
using Lanes [[gnu::vector_size(kLanes * sizeof(float))]] = float;

// A block fits in the second-level cache: 512 columns of 64 clips, and the gradient of 12 rows.
constexpr std::size_t kBlock = 512;
constexpr std::size_t kRowsAtOnce = 2 * kTileRows;

constexpr std::size_t whole_panels(std::size_t count) { return (count + kPanel - 1) / kPanel; }

// A matrix whose element (row, k) is data[row * row_step + k * k_step].
struct View {
  const float* data;
  std::size_t row_step;
  std::size_t k_step;
};

// The sums, row-major; `fresh` ones are not initialised yet.
struct Sums {
  float* data;
  std::size_t step;
  bool fresh;
};

// sums[row][0 .. 15] += the sum over k of a(row, k) * b[k][0 .. 15].
template <std::size_t kRows>
[[gnu::always_inline]] inline void add_tile(const View& a, const float* b, std::size_t depth,
                                            const Sums& sums) {
  Lanes low[kRows] = {};
  Lanes high[kRows] = {};
  if (!sums.fresh) {
#pragma GCC unroll 6
    for (std::size_t r = 0; r < kRows; ++r) {
      std::memcpy(&low[r], sums.data + r * sums.step, sizeof(Lanes));
      std::memcpy(&high[r], sums.data + r * sums.step + kLanes, sizeof(Lanes));
    }
  }
  const float* left = a.data;
  for (std::size_t k = 0; k < depth; ++k, left += a.k_step, b += kPanel) {
    Lanes b_low;
    Lanes b_high;
    std::memcpy(&b_low, b, sizeof(Lanes));
    std::memcpy(&b_high, b + kLanes, sizeof(Lanes));
#pragma GCC unroll 6
    for (std::size_t r = 0; r < kRows; ++r) {
      low[r] += left[r * a.row_step] * b_low;
      high[r] += left[r * a.row_step] * b_high;
    }
  }
#pragma GCC unroll 6
  for (std::size_t r = 0; r < kRows; ++r) {
    std::memcpy(sums.data + r * sums.step, &low[r], sizeof(Lanes));
    std::memcpy(sums.data + r * sums.step + kLanes, &high[r], sizeof(Lanes));
  }
}

// Multiplies rows with consecutive panels, depth x 16 each, in groups of six rows; a panel stays in
// the first-level cache for all groups.
[[gnu::always_inline]] inline void add_panels(const View& a, std::size_t rows, const float* panels,
                                              std::size_t panel_count, std::size_t depth,
                                              const Sums& sums) {
  for (std::size_t p = 0; p < panel_count; ++p) {
    const float* b = panels + p * depth * kPanel;
    const auto sums_at = [&](std::size_t row) {
      return Sums{sums.data + row * sums.step + p * kPanel, sums.step, sums.fresh};
    };
    std::size_t row = 0;
    for (; row + kTileRows <= rows; row += kTileRows) {
      add_tile<kTileRows>({a.data + row * a.row_step, a.row_step, a.k_step}, b, depth,
                          sums_at(row));
    }
    for (; row < rows; ++row) {
      add_tile<1>({a.data + row * a.row_step, 0, a.k_step}, b, depth, sums_at(row));
    }
  }
}

// Panels of 16 clips: panel[k][clip] for the columns from `first` on, padded with zeros.
void pack_clips(const LayerShape& shape, const float* inputs, std::size_t first, std::size_t depth,
                float* panels) {
  for (std::size_t p = 0; p < whole_panels(shape.clips); ++p) {
    for (std::size_t lane = 0; lane < kPanel; ++lane) {
      const std::size_t clip = p * kPanel + lane;
      const float* from = inputs + clip * shape.columns + first;
      float* to = panels + p * depth * kPanel + lane;
      for (std::size_t k = 0; k < depth; ++k) to[k * kPanel] = clip < shape.clips ? from[k] : 0;
    }
  }
}

// Panels of 16 columns: panel[clip][column], padded with zeros.
std::vector<float> pack_columns(const LayerShape& shape, const float* inputs) {
  std::vector<float> panels(whole_panels(shape.columns) * shape.clips * kPanel);
  parallel_for(whole_panels(shape.columns), 16, [&](std::size_t begin, std::size_t end) {
    for (std::size_t p = begin; p < end; ++p) {
      const std::size_t first = p * kPanel;
      const std::size_t count = std::min(kPanel, shape.columns - first);
      for (std::size_t clip = 0; clip < shape.clips; ++clip) {
        std::copy_n(inputs + clip * shape.columns + first, count,
                    panels.data() + (p * shape.clips + clip) * kPanel);
      }
    }
  });
  return panels;
}

// Rows from `begin` to `end` of the transposed output gradient: packed[row][clip].
void pack_output_gradient(const LayerShape& shape, const float* output_gradient, std::size_t begin,
                          std::size_t end, float* packed) {
  for (std::size_t clip = 0; clip < shape.clips; ++clip) {
    for (std::size_t row = begin; row < end; ++row) {
      packed[(row - begin) * shape.clips + clip] = output_gradient[clip * shape.rows + row];
    }
  }
}

// Prefetches 16 columns of the rows from `begin` to `end`.
void fetch(const LayerShape& shape, const float* array, std::size_t begin, std::size_t end,
           std::size_t column) {
  for (std::size_t row = begin; row < end; ++row) {
    __builtin_prefetch(array + row * shape.columns + column, 1, 2);
  }
}

}  // namespace

void layer_outputs(const LayerShape& shape, const float* inputs, const float* weight,
                   float* outputs) {
  const std::size_t panels = whole_panels(shape.clips);
  const std::size_t width = panels * kPanel;
  parallel_for(shape.rows, kTileRows, [&](std::size_t begin, std::size_t end) {
    std::vector<float> packed(width * kBlock);
    std::vector<float> sums((end - begin) * width);
    for (std::size_t first = 0; first < shape.columns; first += kBlock) {
      const std::size_t depth = std::min(kBlock, shape.columns - first);
      pack_clips(shape, inputs, first, depth, packed.data());
      for (std::size_t row = begin; row < end; row += kTileRows) {
        vectorised<add_panels>(View{weight + row * shape.columns + first, shape.columns, 1},
                               std::min(kTileRows, end - row), packed.data(), panels, depth,
                               Sums{sums.data() + (row - begin) * width, width, first == 0});
      }
    }
    for (std::size_t clip = 0; clip < shape.clips; ++clip) {
      for (std::size_t row = begin; row < end; ++row) {
        outputs[clip * shape.rows + row] = sums[(row - begin) * width + clip];
      }
    }
  });
}

void for_weight_gradient(
    const LayerShape& shape, const float* output_gradient, const float* inputs,
    std::span<const float* const> needed,
    const std::function<void(std::size_t at, const float* gradient, std::size_t count)>& use) {
  const std::vector<float> panels = pack_columns(shape, inputs);
  const std::size_t width = whole_panels(shape.columns) * kPanel;
  parallel_for(shape.rows, kTileRows, [&](std::size_t begin, std::size_t end) {
    std::vector<float> packed(kRowsAtOnce * shape.clips);
    std::vector<float> gradient(kRowsAtOnce * width);
    for (std::size_t row = begin; row < end; row += kRowsAtOnce) {
      const std::size_t rows = std::min(kRowsAtOnce, end - row);
      pack_output_gradient(shape, output_gradient, row, row + rows, packed.data());
      for (std::size_t column = 0; column < shape.columns; column += kPanel) {
        for (const float* array : needed) fetch(shape, array, row, row + rows, column);
        vectorised<add_panels>(View{packed.data(), shape.clips, 1}, rows,
                               panels.data() + column * shape.clips, 1, shape.clips,
                               Sums{gradient.data() + column, width, true});
      }
      for (std::size_t r = 0; r < rows; ++r) {
        use((row + r) * shape.columns, gradient.data() + r * width, shape.columns);
      }
    }
  });
}

}  // namespace manyverbs
