// SPDX-License-Identifier: MIT
#include "manyverbs/features/internal/clip_outputs.h"

#include <cstring>
#include <functional>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "manyverbs/support/internal/parallel.h"

namespace manyverbs {
namespace {

Matrix<float> outputs(const ClipSource& source, std::span<const int> clips, int columns,
                      const std::function<at::Tensor(const at::Tensor&)>& compute) {
  Matrix<float> rows(clips.size(), columns);
  const int threads = num_threads();
  side_by_side(clips.size(), threads, [&](std::size_t i) {
    at::set_num_threads(num_threads());  // LibTorch would take all cores for each of us
    const at::Tensor row = compute(source.test_clip(clips[i])).contiguous();
    std::memcpy(rows.row(i).data(), row.data_ptr<float>(), columns * sizeof(float));
  });
  at::set_num_threads(threads);
  return rows;
}

}  // namespace

Matrix<float> clip_features(const FoldedTsm& network, const ClipSource& source,
                            std::span<const int> clips) {
  return outputs(source, clips, feature_columns(network.shape()),
                 [&](const at::Tensor& frames) { return network.features(frames); });
}

Matrix<float> clip_scores(const FoldedTsm& network, const ClipSource& source,
                          std::span<const int> clips) {
  return outputs(source, clips, network.shape().classes,
                 [&](const at::Tensor& frames) { return network.scores(frames); });
}

}  // namespace manyverbs
