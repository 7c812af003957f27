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

/// Trains runs on clips.

struct FinetuneReport {
  TrainingHistory history;
  std::vector<std::string> remarks;   ///< about the initial weights; none if it resumed
  std::vector<ClipProblem> problems;  ///< the skipped clips
};
/// Trains in a run folder, which is created if necessary, or resumes the run in it; if the maximum
/// number of epochs was raised, training continues. Clips that are unreadable at the start or
/// become so later stop it or are skipped. Calls `tell` with each remark before the training
/// starts. Throws Error if the folder contains a run with other settings, or if videos have changed
/// since.
FinetuneReport finetune_run(const Dataset& dataset, const RunSettings& settings,
                            const std::filesystem::path& folder, OnError on_error = OnError::Stop,
                            const std::function<void(const std::string&)>& tell = {});

}  // namespace manyverbs
