// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "manyverbs/features/internal/video_outputs.h"
#include "manyverbs/learning/history.h"
#include "manyverbs/protocols/trained_model.h"

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

/// A run on clips put to use: it reads the frames of clips, or the flow that `manyverbs flow` made.
class TrainedClipRun : public TrainedModel {
 public:
  explicit TrainedClipRun(const std::filesystem::path& folder);

  /// For whole videos. Where it reads flow, the data set must still be there to say how that is
  /// made.
  VideoNetwork network() const;
  Matrix<float> probabilities(const Dataset& dataset, std::span<const int> clips) const override;
  std::vector<int> readable(const Dataset& dataset, std::vector<int> clips) const override;

 private:
  TrainedClipRun(const std::filesystem::path& folder, Run run);
  ClipSource source_of(const Dataset& dataset) const;

  PreparedBackbone backbone_;
};

}  // namespace manyverbs
