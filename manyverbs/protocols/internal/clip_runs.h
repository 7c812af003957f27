// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "manyverbs/decoding/internal/frame_index.h"
#include "manyverbs/labels/pseudo_labels.h"
#include "manyverbs/learning/history.h"
#include "manyverbs/learning/settings.h"

namespace manyverbs {

/// Trains runs on clips.

struct FinetuneReport {
  TrainingHistory history;
  std::vector<std::string> remarks;   ///< about the initial weights; none if it resumed
  std::vector<ClipProblem> problems;  ///< the skipped clips
};
struct FinetuneOptions {
  OnError on_error = OnError::Stop;  ///< unreadable clips stop the training or are skipped
  std::function<void(const std::string&)> tell = {};  ///< called with each remark at the start
  /// Replace those of the settings; one entry per training clip.
  const Suggestions* pseudo_labels = nullptr;
};
/// Trains in a run folder, which is created if necessary, or resumes the run in it; if the maximum
/// number of epochs was raised, training continues. Throws Error if the folder contains a run with
/// other settings, or if videos or given pseudo-labels have changed since.
FinetuneReport finetune_run(const Dataset& dataset, const RunSettings& settings,
                            const std::filesystem::path& folder,
                            const FinetuneOptions& options = {});

/// As claim_run(), for a run on clips: creates the run folder, or checks the run in it, without
/// training.
void claim_clip_run(const Dataset& dataset, const RunSettings& settings,
                    const std::filesystem::path& folder,
                    const Suggestions* pseudo_labels = nullptr);

}  // namespace manyverbs
