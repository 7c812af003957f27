// SPDX-License-Identifier: MIT
//
// Features of clips as in `manyverbs extract`, without decoding: 8 frames of 224 x 224, one clip
// per core. Compare with bench/pytorch_extraction.py. Prints lines "name value unit":
//
//   extraction_bench            extraction-resnet18 and extraction-resnet50, milliseconds per clip
//   extraction_bench resnet18   only that

#include <algorithm>
#include <chrono>
#include <limits>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <fmt/format.h>

#include "manyverbs/features/internal/folded_tsm.h"
#include "manyverbs/support/internal/parallel.h"

namespace {

using namespace manyverbs;

constexpr int kRounds = 3;
constexpr int kClipsACore = 4;

// Seconds per clip, with enough clips for all cores.
double seconds_per_clip(const FoldedTsm& network, const at::Tensor& frames) {
  const int clips = kClipsACore * num_threads();
  const auto start = std::chrono::steady_clock::now();
  side_by_side(clips, num_threads(), [&](std::size_t) {
    at::set_num_threads(num_threads());
    network.features(frames);
  });
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  return taken.count() / clips;
}

void bench(const std::string& backbone) {
  TsmShape shape;
  shape.depth = find_backbone(backbone);
  const FoldedTsm network(Tsm(shape, 1));
  const at::Tensor frames =
      at::rand({shape.segments, 3, 224, 224}).contiguous(at::MemoryFormat::ChannelsLast);
  seconds_per_clip(network, frames);
  double best = std::numeric_limits<double>::infinity();
  for (int round = 0; round < kRounds; ++round) {
    best = std::min(best, seconds_per_clip(network, frames));
  }
  fmt::print("extraction-{} {:.1f} ms\n", backbone, 1e3 * best);
}

}  // namespace

int main(int count, char** values) {
  std::vector<std::string> backbones(values + 1, values + count);
  if (backbones.empty()) backbones = {"resnet18", "resnet50"};
  for (const std::string& backbone : backbones) bench(backbone);
  return 0;
}
