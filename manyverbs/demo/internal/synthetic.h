// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "manyverbs/dataset/dataset.h"
#include "manyverbs/support/matrix.h"

namespace manyverbs {

/// A made-up kitchen whose verbs overlap as real ones do, for trying things out.
///
/// What happens in a clip is a point in a small space of motions. Every verb covers a ball of that
/// space, narrow ones (dice) inside or beside wide ones (cut, prepare), so a clip truly has every
/// verb whose ball it lies in: the sets depend on the clip and overlap only in part. People name a
/// training clip by one of its verbs, the more typical and the more usual ones more often. Features
/// show the motion through a random network, mixed with what does not matter (who, where, light)
/// and noise.
struct SyntheticSettings {
  int train = 4000;
  int val = 500;
  int test = 1500;
  int feature_columns = 128;  ///< of each of the two streams, rgb and flow
  std::uint64_t seed = 1;
};

struct SyntheticDataset {
  Dataset dataset;  ///< without a folder; truth known for every clip
  Matrix<float> rgb;
  Matrix<float> flow;
};
SyntheticDataset make_synthetic(const SyntheticSettings& settings);

/// Writes it as a data-set folder. Throws Error when the place is taken.
void write_synthetic(const std::filesystem::path& folder, const SyntheticDataset& made);

}  // namespace manyverbs
