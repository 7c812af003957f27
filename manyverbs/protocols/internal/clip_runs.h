// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "manyverbs/learning/internal/clip_run.h"
#include "manyverbs/protocols/trained_model.h"

namespace manyverbs {

/// From the clips of a data set to a run on clips, and from that to its metrics.

struct ClipRunSettings {
  Protocol protocol = Protocol::Clean;
  OnError on_error = OnError::Stop;  ///< at clips that cannot be read; those skipped teach nothing
  FinetuneSettings training;
};

struct ClipTraining {
  TrainingHistory history;
  std::vector<std::string> remarks;   ///< about the first weights; none where it resumed
  std::vector<ClipProblem> problems;  ///< of clips that were skipped
};
/// Trains in a run folder, which is made if need be, or resumes what it holds. Calls `tell` with
/// each remark before the training starts. Throws Error when the folder holds a run of other
/// settings.
ClipTraining finetune_run(const Dataset& dataset, const ClipRunSettings& settings,
                          const std::filesystem::path& folder,
                          const std::function<void(const std::string&)>& tell = {});

/// A run on clips put to use: it reads the frames of clips, or the flow that `manyverbs flow` made.
class TrainedClipRun : public TrainedModel {
 public:
  explicit TrainedClipRun(const std::filesystem::path& folder);

  const ClipRun& run() const { return run_; }
  Matrix<float> probabilities(const Dataset& dataset, std::span<const int> clips) const override;
  std::vector<int> readable(const Dataset& dataset, std::vector<int> clips) const override;

 private:
  TrainedClipRun(const std::filesystem::path& folder, ClipRun run);
  ClipSource source_of(const Dataset& dataset) const;

  ClipRun run_;
  PreparedBackbone backbone_;
};

}  // namespace manyverbs
