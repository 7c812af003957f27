// SPDX-License-Identifier: MIT
#pragma once

#include "manyverbs/dataset/internal/feature_files.h"

namespace manyverbs {

/// Finds the features among the arrays of a file: see FeatureFile. Throws Error if there are none,
/// or several to choose from.
FeatureFile find_features(std::shared_ptr<ArrayStore> store, const FeatureQuery& query);

/// Features as text: one line per clip, numbers separated by commas, tabs, semicolons or blanks,
/// the first field possibly the name of the clip; with or without a header; lines with '#' are
/// ignored.
FeatureFile open_csv_features(const FeatureQuery& query);

/// Whether a column or array of this name usually has names or ids of clips: "video_id".
bool is_name_column(std::string_view name);

}  // namespace manyverbs
