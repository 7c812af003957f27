// SPDX-License-Identifier: MIT
#pragma once

#include "manyverbs/protocols/internal/experiment.h"

namespace manyverbs {

/// results.json: what read_results() reads. A value that is not defined is null.

bool is_experiment(const std::filesystem::path& folder);
/// Replaces results.json in results.folder.
void write_results(const Results& results);

}  // namespace manyverbs
