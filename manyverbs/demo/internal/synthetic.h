// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "manyverbs/dataset/dataset.h"
#include "manyverbs/support/matrix.h"

namespace manyverbs {

/// A synthetic kitchen with overlapping verbs.
///
/// A clip is a point in a low-dimensional space of motions. Every verb covers a ball of that space;
/// narrow verbs (dice) are inside or beside wide ones (cut, prepare). The ground truth of a clip is
/// every verb whose ball contains it, so label sets vary and overlap partially. The single label of
/// a training clip is one of its verbs, typical and common verbs more often. Features are the
/// output of a random network over the motion, nuisance variables (person, place, light) and noise.
struct SyntheticSettings {
  int train = 4000;
  int val = 500;
  int test = 1500;
  int feature_columns = 128;  ///< of each stream, rgb and flow
  std::uint64_t seed = 1;
};

struct SyntheticDataset {
  Dataset dataset;  ///< without a folder; ground truth known for every clip
  Matrix<float> rgb;
  Matrix<float> flow;
};
SyntheticDataset make_synthetic(const SyntheticSettings& settings);

/// Writes the data set folder. Throws Error if the folder exists.
void write_synthetic(const std::filesystem::path& folder, const SyntheticDataset& made);

}  // namespace manyverbs
