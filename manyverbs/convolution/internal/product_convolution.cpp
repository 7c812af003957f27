// SPDX-License-Identifier: MIT
#include <algorithm>
#include <vector>

#include "manyverbs/convolution/internal/convolution_kernels.h"
#include "manyverbs/convolution/internal/convolution_tiles.h"
#include "manyverbs/support/internal/parallel.h"
#include "manyverbs/support/internal/vectorised.h"

namespace manyverbs::convolution_internal {
namespace {

// Their channels fit in the second-level cache while all panels are read.
constexpr std::size_t kPixelsAtOnce = 8 * kTileRows;

// Consecutive channels at one kernel position. `pixels` has a pointer to them for each pixel of a
// block.
struct ChannelRange {
  std::size_t row, column;  // kernel position
  int frame_step;           // 1: from the next frame, -1: from the previous one
  std::size_t channel;
  std::size_t depth;
};

std::vector<ChannelRange> channel_ranges_of(const ConvolutionTask& task) {
  const std::size_t eighth = task.shift_segments > 0 ? task.channels / 8 : 0;
  std::vector<ChannelRange> ranges;
  for (std::size_t row = 0; row < task.kernel; ++row) {
    for (std::size_t column = 0; column < task.kernel; ++column) {
      if (eighth > 0) ranges.push_back({row, column, 1, 0, eighth});
      if (eighth > 0) ranges.push_back({row, column, -1, eighth, eighth});
      ranges.push_back({row, column, 0, 2 * eighth, task.channels - 2 * eighth});
    }
  }
  return ranges;
}

// The input of a result at these channels, or zeros if outside of the image or clip.
const float* find_pixel(const ConvolutionTask& task, const ChannelRange& range, std::size_t result,
                        const float* zeros) {
  const std::size_t result_width = task.result_width();
  const std::size_t results = task.result_height() * result_width;
  std::size_t frame = result / results;
  if (range.frame_step != 0) {
    const std::size_t segment = frame % task.shift_segments + range.frame_step;
    if (segment >= task.shift_segments) return zeros;
    frame += range.frame_step;
  }
  const std::size_t inside = result % results;
  const std::size_t padding = task.kernel / 2;
  // Negative values wrap around to values that are too large.
  const std::size_t row = inside / result_width * task.stride + range.row - padding;
  const std::size_t column = inside % result_width * task.stride + range.column - padding;
  if (row >= task.height || column >= task.width) return zeros;
  return task.input + ((frame * task.height + row) * task.width + column) * task.channels +
         range.channel;
}

template <std::size_t kRows>
[[gnu::always_inline]] inline void one_tile(const ConvolutionTask& task,
                                            const std::vector<ChannelRange>& ranges,
                                            const float* const* pixels, std::size_t first_result,
                                            std::size_t output) {
  Lanes low[kRows];
  Lanes high[kRows];
  for (std::size_t r = 0; r < kRows; ++r) {
    load(low[r], task.bias + output);
    load(high[r], task.bias + output + kLanes);
  }
  const std::size_t depth = task.kernel * task.kernel * task.channels;
  const float* panel = task.panels + output * depth;
  for (const ChannelRange& range : ranges) {
    add_products<kRows>(pixels, panel, range.depth, low, high);
    panel += range.depth * kPanel;
    pixels += kPixelsAtOnce;
  }
  const Lanes zero = {};
  for (std::size_t r = 0; r < kRows; ++r) {
    const std::size_t at = (first_result + r) * task.outputs + output;
    if (task.added != nullptr) {
      Lanes added_low;
      Lanes added_high;
      load(added_low, task.added + at);
      load(added_high, task.added + at + kLanes);
      low[r] += added_low;
      high[r] += added_high;
    }
    if (task.relu) {
      low[r] = low[r] > zero ? low[r] : zero;
      high[r] = high[r] > zero ? high[r] : zero;
    }
    store(task.result + at, low[r]);
    store(task.result + at + kLanes, high[r]);
  }
}

[[gnu::always_inline]] inline void some_results(const ConvolutionTask& task,
                                                const std::vector<ChannelRange>& ranges,
                                                const std::vector<const float*>& pixels,
                                                std::size_t begin, std::size_t count) {
  for (std::size_t output = 0; output < task.outputs; output += kPanel) {
    for_each_tile(
        count, [&]<std::size_t kRows>(std::size_t row) __attribute__((always_inline)) {
          one_tile<kRows>(task, ranges, pixels.data() + row, begin + row, output);
        });
  }
}

}  // namespace

std::vector<float> product_panels(const float* weight, std::size_t outputs, std::size_t channels,
                                  std::size_t kernel) {
  const std::size_t area = kernel * kernel;
  std::vector<float> panels(outputs * channels * area);
  float* next = panels.data();
  for (std::size_t output = 0; output < outputs; output += kPanel) {
    for (std::size_t place = 0; place < area; ++place) {
      for (std::size_t channel = 0; channel < channels; ++channel) {
        for (std::size_t o = output; o < output + kPanel; ++o) {
          *next++ = weight[(o * channels + channel) * area + place];
        }
      }
    }
  }
  return panels;
}

void convolve_by_products(const ConvolutionTask& task) {
  const std::vector<ChannelRange> ranges = channel_ranges_of(task);
  const std::vector<float> zeros(task.channels);
  const std::size_t results = task.frames * task.result_height() * task.result_width();
  parallel_for(results, kPixelsAtOnce, [&](std::size_t begin, std::size_t end) {
    std::vector<const float*> pixels(ranges.size() * kPixelsAtOnce);
    for (std::size_t first = begin; first < end; first += kPixelsAtOnce) {
      const std::size_t count = std::min(kPixelsAtOnce, end - first);
      for (std::size_t s = 0; s < ranges.size(); ++s) {
        for (std::size_t i = 0; i < count; ++i) {
          pixels[s * kPixelsAtOnce + i] = find_pixel(task, ranges[s], first + i, zeros.data());
        }
      }
      vectorised<some_results>(task, ranges, pixels, first, count);
    }
  });
}

}  // namespace manyverbs::convolution_internal
