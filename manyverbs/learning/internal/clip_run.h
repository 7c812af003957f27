// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "manyverbs/learning/internal/finetuner.h"
#include "manyverbs/learning/internal/run.h"

namespace manyverbs {

/// A run on clips: a folder like that of a run on features (learning/run.h), whose model is a
/// backbone with its classifier. pseudo_labels/ holds those of each refresh.
struct ClipRun {
  std::filesystem::path dataset;  ///< folder, absolute
  DatasetContent made_from;       ///< labels when the run began
  std::vector<std::string> classes;
  Protocol protocol = Protocol::Clean;
  std::string weights_hash;  ///< of the file of the first weights; empty where they are random
  FinetuneSettings training;
};

Json to_json(const ClipRun& run);
/// Throws Error when the folder is no run on clips.
ClipRun read_clip_run(const std::filesystem::path& folder);

/// The best epoch's network. Throws Error when the run has not got that far.
PreparedBackbone load_backbone(const std::filesystem::path& folder, const ClipRun& run);

}  // namespace manyverbs
