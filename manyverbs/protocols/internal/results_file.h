// SPDX-License-Identifier: MIT
#pragma once

#include "manyverbs/protocols/internal/experiment.h"

namespace manyverbs {

/// Writes results.json, which read_results() reads. Undefined values are null.

bool is_experiment(const std::filesystem::path& folder);
/// Replaces results.json in results.folder.
void write_results(const Results& results);

}  // namespace manyverbs
