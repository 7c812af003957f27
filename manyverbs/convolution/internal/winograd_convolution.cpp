// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <vector>

#include "manyverbs/convolution/internal/convolution_kernels.h"
#include "manyverbs/convolution/internal/convolution_tiles.h"
#include "manyverbs/support/internal/parallel.h"
#include "manyverbs/support/internal/vectorised.h"

// Y = A' ((G g G') * (B' d B)) A for a 6 x 6 piece d of the input, a 3 x 3 kernel g and 4 x 4
// results Y, where * is element-wise (Lavin and Gray 2016, F(4x4, 3x3)). Summed over channels, each
// of the 36 elements is a matrix product: pieces x channels by channels x outputs.
namespace manyverbs::convolution_internal {
namespace {

constexpr std::size_t kPiece = 6;
constexpr std::size_t kResults = 4;
constexpr std::size_t kPlaces = kPiece * kPiece;
// Otherwise the 36 matrices would start in the same cache sets.
constexpr std::size_t kGap = 16;

constexpr std::array<std::array<double, 3>, kPiece> kKernelTransform = {{
    {1.0 / 4, 0, 0},
    {-1.0 / 6, -1.0 / 6, -1.0 / 6},
    {-1.0 / 6, 1.0 / 6, -1.0 / 6},
    {1.0 / 24, 1.0 / 12, 1.0 / 6},
    {1.0 / 24, -1.0 / 12, 1.0 / 6},
    {0, 0, 1},
}};

struct Pieces {
  std::size_t down, across;  // of a frame
  std::size_t at_once;
  std::size_t input_step, result_step;  // between the matrices of two elements
};

Pieces pieces_of(const ConvolutionTask& task) {
  Pieces pieces{};
  pieces.down = (task.height + kResults - 1) / kResults;
  pieces.across = (task.width + kResults - 1) / kResults;
  // With few channels, the pieces stay in the second-level cache. With many, the weights do not
  // fit, so each time they are read, they should be used for more pieces.
  pieces.at_once = task.channels <= 64 ? 48 : task.channels <= 128 ? 96 : 192;
  pieces.at_once = std::min(pieces.at_once, task.frames * pieces.down * pieces.across);
  pieces.input_step = pieces.at_once * task.channels + kGap;
  pieces.result_step = pieces.at_once * task.outputs + kGap;
  return pieces;
}

// B' times a column of six.
[[gnu::always_inline]] inline void transform_input(const Lanes* d, std::size_t step, Lanes* out,
                                                   std::size_t out_step) {
  const Lanes d0 = d[0];
  const Lanes d1 = d[step];
  const Lanes d2 = d[2 * step];
  const Lanes d3 = d[3 * step];
  const Lanes d4 = d[4 * step];
  const Lanes d5 = d[5 * step];
  const Lanes even = d4 - 4.0F * d2;
  const Lanes odd = d3 - 4.0F * d1;
  const Lanes even_far = d4 - d2;
  const Lanes odd_far = 2.0F * (d3 - d1);
  out[0] = 4.0F * d0 - 5.0F * d2 + d4;
  out[out_step] = even + odd;
  out[2 * out_step] = even - odd;
  out[3 * out_step] = even_far + odd_far;
  out[4 * out_step] = even_far - odd_far;
  out[5 * out_step] = 4.0F * d1 - 5.0F * d3 + d5;
}

// A' times a column of six.
[[gnu::always_inline]] inline void transform_result(const Lanes* m, std::size_t step, Lanes* out,
                                                    std::size_t out_step) {
  const Lanes near_sum = m[step] + m[2 * step];
  const Lanes near_difference = m[step] - m[2 * step];
  const Lanes far_sum = m[3 * step] + m[4 * step];
  const Lanes far_difference = m[3 * step] - m[4 * step];
  out[0] = m[0] + near_sum + far_sum;
  out[out_step] = near_difference + 2.0F * far_difference;
  out[2 * out_step] = near_sum + 4.0F * far_sum;
  out[3 * out_step] = near_difference + 8.0F * far_difference + m[5 * step];
}

// The frame that the channels from `channel` on come from: the own frame or, with a temporal shift,
// the next or previous one; null if there is none.
const float* find_frame(const ConvolutionTask& task, std::size_t frame, std::size_t channel) {
  if (task.shift_segments > 0) {
    const std::size_t eighth = task.channels / 8;
    const std::size_t segment = frame % task.shift_segments;
    if (channel < eighth) {
      if (segment + 1 == task.shift_segments) return nullptr;
      ++frame;
    } else if (channel < 2 * eighth) {
      if (segment == 0) return nullptr;
      --frame;
    }
  }
  return task.input + frame * task.height * task.width * task.channels;
}

[[gnu::always_inline]] inline void read_piece(const ConvolutionTask& task, const Pieces& pieces,
                                              std::size_t piece, float* out) {
  const std::size_t frame = piece / (pieces.down * pieces.across);
  const std::size_t top = piece / pieces.across % pieces.down * kResults;
  const std::size_t left = piece % pieces.across * kResults;
  for (std::size_t channel = 0; channel < task.channels; channel += kLanes) {
    Lanes d[kPlaces] = {};
    Lanes half[kPlaces];
    if (const float* pixels = find_frame(task, frame, channel)) {
      for (std::size_t i = 0; i < kPiece; ++i) {
        const std::size_t row = top + i - 1;  // negative values wrap around to large ones
        if (row >= task.height) continue;
        for (std::size_t j = 0; j < kPiece; ++j) {
          const std::size_t column = left + j - 1;
          if (column >= task.width) continue;
          load(d[i * kPiece + j], pixels + (row * task.width + column) * task.channels + channel);
        }
      }
    }
    for (std::size_t j = 0; j < kPiece; ++j) transform_input(d + j, kPiece, half + j, kPiece);
    for (std::size_t i = 0; i < kPiece; ++i) {
      Lanes line[kPiece];
      transform_input(half + i * kPiece, 1, line, 1);
      for (std::size_t j = 0; j < kPiece; ++j) {
        store(out + (i * kPiece + j) * pieces.input_step + channel, line[j]);
      }
    }
  }
}

[[gnu::always_inline]] inline void write_piece(const ConvolutionTask& task, const Pieces& pieces,
                                               std::size_t piece, const float* in) {
  const std::size_t frame = piece / (pieces.down * pieces.across);
  const std::size_t top = piece / pieces.across % pieces.down * kResults;
  const std::size_t left = piece % pieces.across * kResults;
  const std::size_t rows = std::min(kResults, task.height - top);
  const std::size_t columns = std::min(kResults, task.width - left);
  const Lanes zero = {};
  for (std::size_t output = 0; output < task.outputs; output += kLanes) {
    Lanes m[kPlaces];
    Lanes half[kResults * kPiece];
    for (std::size_t place = 0; place < kPlaces; ++place) {
      load(m[place], in + place * pieces.result_step + output);
    }
    for (std::size_t j = 0; j < kPiece; ++j) transform_result(m + j, kPiece, half + j, kPiece);
    Lanes bias;
    load(bias, task.bias + output);
    for (std::size_t i = 0; i < rows; ++i) {
      Lanes line[kResults];
      transform_result(half + i * kPiece, 1, line, 1);
      for (std::size_t j = 0; j < columns; ++j) {
        const std::size_t at =
            ((frame * task.height + top + i) * task.width + left + j) * task.outputs + output;
        Lanes value = line[j] + bias;
        if (task.added != nullptr) {
          Lanes added;
          load(added, task.added + at);
          value += added;
        }
        if (task.relu) value = value > zero ? value : zero;
        store(task.result + at, value);
      }
    }
  }
}

template <std::size_t kRows>
[[gnu::always_inline]] inline void one_tile(const float* input, std::size_t channels,
                                            const float* panel, float* result,
                                            std::size_t outputs) {
  const float* rows[kRows];
  Lanes low[kRows] = {};
  Lanes high[kRows] = {};
  for (std::size_t r = 0; r < kRows; ++r) rows[r] = input + r * channels;
  add_products<kRows>(rows, panel, channels, low, high);
  for (std::size_t r = 0; r < kRows; ++r) {
    store(result + r * outputs, low[r]);
    store(result + r * outputs + kLanes, high[r]);
  }
}

// The matrix product of one element: count pieces x channels by channels x outputs.
[[gnu::always_inline]] inline void multiply_place(const ConvolutionTask& task, const float* input,
                                                  const float* panels, std::size_t count,
                                                  float* result) {
  for (std::size_t output = 0; output < task.outputs; output += kPanel) {
    const float* panel = panels + output * task.channels;
    for_each_tile(
        count, [&]<std::size_t kRows>(std::size_t row) __attribute__((always_inline)) {
          one_tile<kRows>(input + row * task.channels, task.channels, panel,
                          result + row * task.outputs + output, task.outputs);
        });
  }
}

}  // namespace

std::vector<float> winograd_panels(const float* weight, std::size_t outputs, std::size_t channels) {
  std::vector<float> panels(kPlaces * outputs * channels);
  for (std::size_t output = 0; output < outputs; ++output) {
    for (std::size_t channel = 0; channel < channels; ++channel) {
      const float* kernel = weight + (output * channels + channel) * 9;
      for (std::size_t place = 0; place < kPlaces; ++place) {
        const auto& down = kKernelTransform[place / kPiece];
        const auto& across = kKernelTransform[place % kPiece];
        double sum = 0;
        for (std::size_t k = 0; k < 9; ++k) sum += down[k / 3] * across[k % 3] * kernel[k];
        const std::size_t panel = place * outputs * channels + output / kPanel * kPanel * channels;
        panels[panel + channel * kPanel + output % kPanel] = static_cast<float>(sum);
      }
    }
  }
  return panels;
}

void convolve_by_winograd(const ConvolutionTask& task) {
  const Pieces pieces = pieces_of(task);
  const std::size_t all = task.frames * pieces.down * pieces.across;
  parallel_for(all, pieces.at_once, [&](std::size_t begin, std::size_t end) {
    std::vector<float> inputs(kPlaces * pieces.input_step);
    std::vector<float> results(kPlaces * pieces.result_step);
    for (std::size_t first = begin; first < end; first += pieces.at_once) {
      const std::size_t count = std::min(pieces.at_once, end - first);
      for (std::size_t i = 0; i < count; ++i) {
        vectorised<read_piece>(task, pieces, first + i, inputs.data() + i * task.channels);
      }
      for (std::size_t place = 0; place < kPlaces; ++place) {
        vectorised<multiply_place>(task, inputs.data() + place * pieces.input_step,
                                   task.panels + place * task.outputs * task.channels, count,
                                   results.data() + place * pieces.result_step);
      }
      for (std::size_t i = 0; i < count; ++i) {
        vectorised<write_piece>(task, pieces, first + i, results.data() + i * task.outputs);
      }
    }
  });
}

}  // namespace manyverbs::convolution_internal
