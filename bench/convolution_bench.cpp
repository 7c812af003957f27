// SPDX-License-Identifier: MIT
//
// The convolutions of TSM with ResNet-18 and ResNet-50 on a clip of 8 frames of 224 x 224, on one
// core as `manyverbs extract` does them: ours beside oneDNN's, layer by layer. oneDNN runs with
// channels last, as it could take the place of ours, and in the layout that it likes best, where
// the reorders are left out. The temporal shift, which is part of ours, is left out of both. One
// figure per line, "name value unit"; a layer's name is side-channels-outputs-kernel-stride.
//
//   convolution_bench [ROUNDS]   best of so many alternating rounds, 7 unless given

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <oneapi/dnnl/dnnl.hpp>

#include "manyverbs/convolution/internal/convolution_kernels.h"
#include "manyverbs/support/internal/parallel.h"

namespace {

using namespace manyverbs;
using convolution_internal::ConvolutionTask;

constexpr int kFrames = 8;

// Processor time of this thread, so that other programs on the machine count for little.
double seconds_now() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double seconds_of(const auto& work) {
  const double start = seconds_now();
  work();
  return seconds_now() - start;
}

struct Layer {
  int side, channels, outputs, kernel, stride;

  auto operator<=>(const Layer&) const = default;
  int result_side() const { return (side - 1) / stride + 1; }
  std::string name() const {
    return fmt::format("{}-{}-{}-{}-{}", side, channels, outputs, kernel, stride);
  }
};

// The layers of a network and how often each occurs. The first convolution is LibTorch's in any
// case.
std::map<Layer, int> layers_of_resnet18() {
  std::map<Layer, int> layers = {{{56, 64, 64, 3, 1}, 4}};
  for (int width = 128, side = 56; width <= 512; width *= 2, side /= 2) {
    ++layers[{side, width / 2, width, 3, 2}];
    ++layers[{side, width / 2, width, 1, 2}];
    layers[{side / 2, width, width, 3, 1}] += 3;
  }
  return layers;
}

std::map<Layer, int> layers_of_resnet50() {
  std::map<Layer, int> layers;
  int side = 56;
  int channels = 64;
  for (const auto& [width, blocks] : {std::pair{64, 3}, {128, 4}, {256, 6}, {512, 3}}) {
    for (int block = 0; block < blocks; ++block) {
      const int stride = block == 0 && width > 64 ? 2 : 1;
      ++layers[{side, channels, width, 1, 1}];
      ++layers[{side, width, width, 3, stride}];
      ++layers[{side / stride, width, 4 * width, 1, 1}];
      if (block == 0) ++layers[{side, channels, 4 * width, 1, stride}];
      channels = 4 * width;
      side /= stride;
    }
  }
  return layers;
}

class Ours {
 public:
  explicit Ours(const Layer& layer)
      : weight_(
            static_cast<std::size_t>(layer.outputs) * layer.channels * layer.kernel * layer.kernel,
            0.01F),
        bias_(layer.outputs, 0.1F),
        input_(static_cast<std::size_t>(kFrames) * layer.side * layer.side * layer.channels, 0.5F),
        result_(static_cast<std::size_t>(kFrames) * layer.result_side() * layer.result_side() *
                layer.outputs),
        winograd_(layer.kernel == 3 && layer.stride == 1) {
    const auto side = static_cast<std::size_t>(layer.side);
    const auto channels = static_cast<std::size_t>(layer.channels);
    const auto outputs = static_cast<std::size_t>(layer.outputs);
    const auto kernel = static_cast<std::size_t>(layer.kernel);
    panels_ = winograd_
                  ? convolution_internal::winograd_panels(weight_.data(), outputs, channels)
                  : convolution_internal::product_panels(weight_.data(), outputs, channels, kernel);
    task_ = {kFrames,
             side,
             side,
             channels,
             outputs,
             kernel,
             static_cast<std::size_t>(layer.stride),
             0,
             input_.data(),
             panels_.data(),
             bias_.data(),
             nullptr,
             true,
             result_.data()};
  }

  void run() const {
    winograd_ ? convolution_internal::convolve_by_winograd(task_)
              : convolution_internal::convolve_by_products(task_);
  }

 private:
  std::vector<float> weight_, bias_, input_, result_, panels_;
  bool winograd_;
  ConvolutionTask task_{};
};

class OneDnn {
 public:
  OneDnn(const Layer& layer, dnnl::algorithm algorithm, dnnl::memory::format_tag layout)
      : stream_(engine_) {
    using Memory = dnnl::memory;
    const auto picture = [layout](int channels, int side) {
      return Memory::desc({kFrames, channels, side, side}, Memory::data_type::f32, layout);
    };
    const auto any = [](const Memory::dims& sizes) {
      return Memory::desc(sizes, Memory::data_type::f32, Memory::format_tag::any);
    };
    const Memory::dim padding = layer.kernel / 2;
    const dnnl::convolution_forward::desc convolution(
        dnnl::prop_kind::forward_inference, algorithm, picture(layer.channels, layer.side),
        any({layer.outputs, layer.channels, layer.kernel, layer.kernel}), any({layer.outputs}),
        picture(layer.outputs, layer.result_side()), {layer.stride, layer.stride},
        {padding, padding}, {padding, padding});
    dnnl::post_ops relu;
    relu.append_eltwise(1.0F, dnnl::algorithm::eltwise_relu, 0, 0);
    dnnl::primitive_attr attributes;
    attributes.set_post_ops(relu);
    const dnnl::convolution_forward::primitive_desc details(convolution, attributes, engine_);
    primitive_ = dnnl::convolution_forward(details);
    arguments_ = {{DNNL_ARG_SRC, filled(details.src_desc(), 0.5F)},
                  {DNNL_ARG_WEIGHTS, filled(details.weights_desc(), 0.01F)},
                  {DNNL_ARG_BIAS, filled(details.bias_desc(), 0.1F)},
                  {DNNL_ARG_DST, filled(details.dst_desc(), 0)}};
  }

  void run() {
    primitive_.execute(stream_, arguments_);
    stream_.wait();
  }

 private:
  dnnl::memory filled(const dnnl::memory::desc& shape, float value) const {
    dnnl::memory memory(shape, engine_);
    std::fill_n(static_cast<float*>(memory.get_data_handle()), shape.get_size() / sizeof(float),
                value);
    return memory;
  }

  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream_;
  dnnl::primitive primitive_;
  std::unordered_map<int, dnnl::memory> arguments_;
};

// The faster of oneDNN's algorithms; it has Winograd's for some layouts and processors.
class Rival {
 public:
  Rival(const Layer& layer, dnnl::memory::format_tag layout) {
    algorithms_.emplace_back(layer, dnnl::algorithm::convolution_direct, layout);
    try {
      algorithms_.emplace_back(layer, dnnl::algorithm::convolution_winograd, layout);
    } catch (const dnnl::error&) {
      return;
    }
  }

  double seconds() {
    double best = std::numeric_limits<double>::infinity();
    for (OneDnn& algorithm : algorithms_) {
      best = std::min(best, seconds_of([&] { algorithm.run(); }));
    }
    return best;
  }

 private:
  std::vector<OneDnn> algorithms_;
};

struct Seconds {
  double ours, channels_last, own_layout;
};

Seconds measure(const Layer& layer, int rounds) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  const Ours ours(layer);
  Rival channels_last(layer, dnnl::memory::format_tag::nhwc);
  Rival own_layout(layer, dnnl::memory::format_tag::any);
  Seconds best{kNone, kNone, kNone};
  for (int round = 0; round < rounds; ++round) {
    best.ours = std::min(best.ours, seconds_of([&] { ours.run(); }));
    best.channels_last = std::min(best.channels_last, channels_last.seconds());
    best.own_layout = std::min(best.own_layout, own_layout.seconds());
  }
  return best;
}

void print(const std::string& name, const Seconds& seconds) {
  fmt::print("{} {:.2f} ms\n", name, 1e3 * seconds.ours);
  fmt::print("{}-onednn {:.2f} ms\n", name, 1e3 * seconds.channels_last);
  fmt::print("{}-onednn-own-layout {:.2f} ms\n", name, 1e3 * seconds.own_layout);
}

void bench(const std::string& network, const std::map<Layer, int>& layers, int rounds) {
  Seconds sum{};
  for (const auto& [layer, count] : layers) {
    const Seconds best = measure(layer, rounds);
    print(fmt::format("{}-{}", network, layer.name()), best);
    sum.ours += count * best.ours;
    sum.channels_last += count * best.channels_last;
    sum.own_layout += count * best.own_layout;
  }
  print(fmt::format("convolutions-{}", network), sum);
}

}  // namespace

int main(int count, char** values) {
  set_num_threads(1);  // oneDNN asks OpenMP
  const int rounds = count > 1 ? std::atoi(values[1]) : 7;
  bench("resnet18", layers_of_resnet18(), rounds);
  bench("resnet50", layers_of_resnet50(), rounds);
  return 0;
}
