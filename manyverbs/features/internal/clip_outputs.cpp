// SPDX-License-Identifier: MIT
#include "manyverbs/features/internal/clip_outputs.h"

#include <cstring>
#include <functional>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/parallel.h"

namespace manyverbs {
namespace {

Matrix<float> outputs(const ClipSource& source, std::span<const ClipRow> clips, int columns,
                      const std::function<at::Tensor(const at::Tensor&)>& compute,
                      std::vector<ClipProblem>* problems) {
  Matrix<float> rows(clips.size(), columns);
  std::vector<std::string> unreadable(clips.size());
  const int threads = num_threads();
  side_by_side(clips.size(), threads, [&](std::size_t i) {
    // Otherwise LibTorch uses all cores per thread. A new thread takes over the number of another
    // one at its first call, which must not be later than this.
    at::get_num_threads();
    at::set_num_threads(num_threads());
    at::Tensor frames;
    try {
      frames = source.test_clip(clips[i]);
    } catch (const Error& problem) {
      if (problems == nullptr) throw;
      unreadable[i] = problem.what();
      return;
    }
    const at::Tensor row = compute(frames).contiguous();
    std::memcpy(rows.row(i).data(), row.data_ptr<float>(), columns * sizeof(float));
  });
  at::set_num_threads(threads);
  for (std::size_t i = 0; i < clips.size(); ++i) {
    if (!unreadable[i].empty()) problems->push_back({clips[i], unreadable[i]});
  }
  return rows;
}

}  // namespace

Matrix<float> clip_features(const FoldedTsm& network, const ClipSource& source,
                            std::span<const ClipRow> clips, std::vector<ClipProblem>* problems) {
  return outputs(
      source, clips, feature_columns(network.shape()),
      [&](const at::Tensor& frames) { return network.features(frames); }, problems);
}

Matrix<float> clip_scores(const FoldedTsm& network, const ClipSource& source,
                          std::span<const ClipRow> clips, std::vector<ClipProblem>* problems) {
  return outputs(
      source, clips, network.shape().classes,
      [&](const at::Tensor& frames) { return network.scores(frames); }, problems);
}

}  // namespace manyverbs
