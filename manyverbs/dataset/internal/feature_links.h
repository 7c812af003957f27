// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <span>

#include "manyverbs/dataset/dataset.h"

namespace manyverbs {

/// Puts links to the features of a data set, and to the records of how they were made, into the
/// folder of another with the same clips.
void link_features(const Dataset& from, const std::filesystem::path& to);

/// Writes the given rows of the features of a data set, in this order, into the folder of another;
/// float64 becomes float32. Records of how features were made stay behind: they tell of all rows.
void copy_feature_rows(const Dataset& from, std::span<const int> rows,
                       const std::filesystem::path& to);

}  // namespace manyverbs
