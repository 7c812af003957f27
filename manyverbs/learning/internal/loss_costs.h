// SPDX-License-Identifier: MIT
#pragma once

#include "manyverbs/learning/internal/elementwise_loss.h"

namespace manyverbs::learning_internal {

/// Costs that several losses use.

/// Binary cross-entropy with targets in [0, 1]: AN, WAN, LS, N-LS, Mask and P+S.
struct BinaryCost {
  float target_present;
  float target_absent;
  float weight_absent;

  [[gnu::always_inline]] Cost operator()(Score s, bool present) const {
    const float target = present ? target_present : target_absent;
    const float weight = present ? 1.0F : weight_absent;
    return {weight * (target * s.cost_present + (1.0F - target) * s.cost_absent),
            weight * (s.p - target)};
  }
};

/// Cross-entropy with less weight for correct predictions (Lin et al. 2017).
struct FocalCost {
  float weight_present;
  float weight_absent;
  float focus;

  [[gnu::always_inline]] Cost operator()(Score s, bool present) const {
    const float wrong = present ? 1.0F - s.p : s.p;
    const float cost = present ? s.cost_present : s.cost_absent;
    // wrong^focus, from its logarithm
    const float power = std::exp(-focus * (present ? s.cost_absent : s.cost_present));
    const float damped = (present ? weight_present : weight_absent) * power;
    const float gradient = damped * (wrong + focus * (1.0F - wrong) * cost);
    return {damped * cost, present ? -gradient : gradient};
  }
};

/// Cross-entropy for the own label, entropy maximisation for the others (Zhou et al. 2022).
struct EntropyCost {
  float weight;

  [[gnu::always_inline]] Cost operator()(Score s, bool present) const {
    const float entropy = s.p * s.cost_present + (1.0F - s.p) * s.cost_absent;
    return {present ? s.cost_present : -weight * entropy,
            present ? s.p - 1.0F : weight * s.z * s.p * (1.0F - s.p)};
  }
};

}  // namespace manyverbs::learning_internal
