// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "manyverbs/support/internal/random.h"

namespace manyverbs {

/// Mixup (Zhang et al. 2018): instead of clip i of a batch, the network is trained on
///
///   weight * clip i + (1 - weight) * clip partners[i]
///
/// both for the features and for the targets.
struct Mixture {
  double weight = 1;
  std::vector<int> partners;  ///< a permutation of the clips of the batch
};

/// A mixture with a weight from Beta(alpha, alpha); alpha is above 0 and at most 1.
Mixture draw_mixture(std::size_t clips, double alpha, Random& random);

}  // namespace manyverbs
