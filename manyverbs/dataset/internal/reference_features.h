// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "manyverbs/dataset/dataset.h"
#include "manyverbs/dataset/import_arrays.h"

namespace manyverbs {

/// Features of a whole benchmark, as the released code of the paper numbers its clips: row i
/// belongs to the clip with the reference id i. See the reference ids of epic100.h and hmdb51.h.

/// Writes the rows of the clips of a data set into FOLDER/features, one file for each source.
/// `ids` has the reference id of each clip. float16 is kept, float64 becomes float32. Throws Error
/// for a file that is not a float matrix with a row for each id, and for numbers that are not
/// finite.
std::vector<ImportedStream> import_reference_features(std::span<const FeatureSource> sources,
                                                      const Dataset& dataset,
                                                      std::span<const std::int64_t> ids,
                                                      const std::filesystem::path& folder);

}  // namespace manyverbs
