// SPDX-License-Identifier: MIT
#pragma once

#include "manyverbs/dataset/internal/feature_files.h"

namespace manyverbs {

/// Finds the features among the arrays of a file: see FeatureFile. Throws Error if there are none,
/// or several to choose from.
FeatureFile find_features(std::shared_ptr<ArrayStore> store, const FeatureQuery& query);

}  // namespace manyverbs
