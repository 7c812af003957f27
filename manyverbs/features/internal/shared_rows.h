// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "manyverbs/dataset/dataset.h"
#include "manyverbs/features/internal/row_store.h"
#include "manyverbs/support/internal/json.h"

namespace manyverbs {

/// Copies rows of features that other data sets of the same videos have (shared_data.h), if they
/// were made in the same way from the same content: extracting the second split of HMDB-51 computes
/// only the clips that the first does not have. `file` is the name of the feature file, `record`
/// its record, and `contents` has the content hash of the video of each clip.
void take_shared_rows(const Dataset& dataset, const std::filesystem::path& file, const Json& record,
                      const std::vector<std::string>& contents, std::size_t row_bytes,
                      RowStore* store);

}  // namespace manyverbs
