// SPDX-License-Identifier: MIT
#pragma once

#include "manyverbs/protocols/internal/experiment.h"

namespace manyverbs {

/// Writes results.json, which read_results() reads. Undefined values are null. The values of test
/// clips are in the run folders, because results.json is rewritten after each run.

bool is_experiment(const std::filesystem::path& folder);
/// Replaces results.json in results.folder.
void write_results(const Results& results);

/// The values of each test clip of a run. Ignored by read_results() if it has another number of
/// metrics, as that of another version has.
std::filesystem::path clip_metrics_file(const std::filesystem::path& run_folder);

}  // namespace manyverbs
