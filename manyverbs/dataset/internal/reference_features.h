// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "manyverbs/dataset/dataset.h"
#include "manyverbs/dataset/import_arrays.h"

namespace manyverbs {

/// Features of a benchmark, as the released code of the paper numbers its clips. Feature files of
/// any format (feature_files.h): with the reference ids or the names of clips, or, without both,
/// row i belongs to the clip with the reference id i. See the reference ids of epic100.h and
/// hmdb51.h.

/// Writes the rows of the clips of a data set into FOLDER/features, one file for each stream. `ids`
/// has the reference id of each clip. Several sources of one stream, such as the files of train and
/// validation clips, are joined. Throws Error for a clip without a row, for numbers that are not
/// finite and as open_feature_file().
std::vector<ImportedStream> import_reference_features(std::span<const FeatureSource> sources,
                                                      const Dataset& dataset,
                                                      std::span<const std::int64_t> ids,
                                                      const std::filesystem::path& folder);

}  // namespace manyverbs
