// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "manyverbs/decoding/internal/frame_index.h"
#include "manyverbs/learning/history.h"
#include "manyverbs/learning/settings.h"

namespace manyverbs {

/// From the clips of a data set to a run on clips, and from that to its metrics.

struct FinetuneReport {
  TrainingHistory history;
  std::vector<std::string> remarks;   ///< about the first weights; none where it resumed
  std::vector<ClipProblem> problems;  ///< of clips that were skipped
};
/// Trains in a run folder, which is made if need be, or resumes what it holds; a run that had fewer
/// epochs continues. Clips that cannot be read, known before or found in the middle, stop it or are
/// skipped: those teach nothing. Calls `tell` with each remark before the training starts. Throws
/// Error when the folder holds a run of other settings or videos have changed since.
FinetuneReport finetune_run(const Dataset& dataset, const RunSettings& settings,
                            const std::filesystem::path& folder, OnError on_error = OnError::Stop,
                            const std::function<void(const std::string&)>& tell = {});

}  // namespace manyverbs
