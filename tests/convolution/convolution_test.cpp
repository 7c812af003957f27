// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "manyverbs/convolution/internal/convolution_kernels.h"
#include "manyverbs/support/internal/random.h"

namespace manyverbs::convolution_internal {
namespace {

std::vector<float> random_values(std::size_t count, int seed) {
  Random random(seed);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(2 * random.uniform() - 1);
  return values;
}

// A task that owns its numbers; weights are outputs x channels x kernel x kernel.
struct Example {
  explicit Example(const ConvolutionTask& shape) : task(shape) {
    input = random_values(task.frames * task.height * task.width * task.channels, 1);
    weight = random_values(task.outputs * task.channels * task.kernel * task.kernel, 2);
    bias = random_values(task.outputs, 3);
    result.resize(task.frames * task.result_height() * task.result_width() * task.outputs);
    added = random_values(result.size(), 4);
    task.input = input.data();
    task.bias = bias.data();
    task.added = added.data();
    task.result = result.data();
  }

  ConvolutionTask task;
  std::vector<float> input, weight, bias, added, result;
};

// The input at a place after the temporal shift: the first eighth of the channels is from the next
// frame, the second from the previous one; zero outside the image and outside the clip.
double shifted_input(const Example& example, int frame, int row, int column, int channel) {
  const ConvolutionTask& task = example.task;
  const int height = static_cast<int>(task.height);
  const int width = static_cast<int>(task.width);
  if (row < 0 || row >= height || column < 0 || column >= width) return 0;
  if (const int segments = static_cast<int>(task.shift_segments); segments > 0) {
    const int eighth = static_cast<int>(task.channels) / 8;
    const int step = channel < eighth ? 1 : channel < 2 * eighth ? -1 : 0;
    const int segment = frame % segments + step;
    if (segment < 0 || segment >= segments) return 0;
    frame += step;
  }
  return example.input[((frame * height + row) * width + column) * task.channels + channel];
}

// One result according to the definition, in double.
double defined_result(const Example& example, int frame, int row, int column, int output) {
  const ConvolutionTask& task = example.task;
  const int kernel = static_cast<int>(task.kernel);
  const int stride = static_cast<int>(task.stride);
  const int channels = static_cast<int>(task.channels);
  double sum = example.bias[output];
  for (int i = 0; i < kernel; ++i) {
    for (int j = 0; j < kernel; ++j) {
      for (int c = 0; c < channels; ++c) {
        sum += static_cast<double>(
                   example.weight[((output * channels + c) * kernel + i) * kernel + j]) *
               shifted_input(example, frame, row * stride + i - kernel / 2,
                             column * stride + j - kernel / 2, c);
      }
    }
  }
  return sum;
}

void expect_defined_results(const Example& example, double tolerance) {
  const ConvolutionTask& task = example.task;
  std::size_t at = 0;
  for (std::size_t frame = 0; frame < task.frames; ++frame) {
    for (std::size_t row = 0; row < task.result_height(); ++row) {
      for (std::size_t column = 0; column < task.result_width(); ++column) {
        for (std::size_t output = 0; output < task.outputs; ++output, ++at) {
          double expected = defined_result(example, static_cast<int>(frame), static_cast<int>(row),
                                           static_cast<int>(column), static_cast<int>(output));
          if (task.added != nullptr) expected += example.added[at];
          if (task.relu) expected = std::max(expected, 0.0);
          ASSERT_NEAR(example.result[at], expected, tolerance)
              << "frame " << frame << ", row " << row << ", column " << column << ", output "
              << output;
        }
      }
    }
  }
}

// As the layers of a network use them: alone, with a shift, with a sum and ReLU.
void expect_all_uses(const ConvolutionTask& shape, const std::vector<float>& panels,
                     Example* example, void (*convolve)(const ConvolutionTask&), double tolerance) {
  SCOPED_TRACE(testing::Message() << shape.channels << " to " << shape.outputs << ", kernel "
                                  << shape.kernel << ", stride " << shape.stride << ", "
                                  << shape.height << " x " << shape.width);
  for (const std::size_t segments : {0, 3}) {
    for (const bool in_block : {false, true}) {
      example->task.shift_segments = segments;
      example->task.added = in_block ? example->added.data() : nullptr;
      example->task.relu = in_block;
      example->task.panels = panels.data();
      std::fill(example->result.begin(), example->result.end(), NAN);
      convolve(example->task);
      expect_defined_results(*example, tolerance);
    }
  }
}

ConvolutionTask shape(std::size_t height, std::size_t width, std::size_t channels,
                      std::size_t outputs, std::size_t kernel, std::size_t stride) {
  ConvolutionTask task{};
  task.frames = 6;
  task.height = height;
  task.width = width;
  task.channels = channels;
  task.outputs = outputs;
  task.kernel = kernel;
  task.stride = stride;
  return task;
}

TEST(ConvolutionByProducts, EqualsTheDefinition) {
  for (const ConvolutionTask& task :
       {shape(7, 5, 16, 32, 1, 1), shape(8, 8, 24, 16, 1, 2), shape(6, 9, 16, 16, 3, 1),
        shape(9, 7, 16, 16, 3, 2), shape(1, 2, 16, 16, 3, 1), shape(11, 10, 3, 16, 7, 2)}) {
    Example example(task);
    const auto panels =
        product_panels(example.weight.data(), task.outputs, task.channels, task.kernel);
    expect_all_uses(task, panels, &example, convolve_by_products, 1e-4);
  }
}

// Its transforms multiply twice by up to 8, and so do the rounding errors; the results here are
// about 10.
TEST(ConvolutionByWinograd, EqualsTheDefinition) {
  for (const ConvolutionTask& task : {shape(8, 8, 64, 16, 3, 1), shape(7, 5, 64, 32, 3, 1),
                                      shape(1, 2, 64, 16, 3, 1), shape(9, 13, 128, 16, 3, 1)}) {
    Example example(task);
    const auto panels = winograd_panels(example.weight.data(), task.outputs, task.channels);
    expect_all_uses(task, panels, &example, convolve_by_winograd, 1e-3);
  }
}

}  // namespace
}  // namespace manyverbs::convolution_internal
