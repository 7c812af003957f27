// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <span>

#include "manyverbs/dataset/dataset.h"

namespace manyverbs {

/// Links the features of a data set, and the records of how they were made, into the folder of
/// another data set with the same clips.
void link_features(const Dataset& from, const std::filesystem::path& to);

/// Writes the given rows of the features of a data set, in this order, into the folder of another
/// data set; float64 becomes float32. The records of how features were made are not copied, because
/// they describe all rows.
void copy_feature_rows(const Dataset& from, std::span<const ClipRow> rows,
                       const std::filesystem::path& to);

}  // namespace manyverbs
