// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <vector>

#include "manyverbs/dataset/dataset.h"
#include "manyverbs/decoding/internal/flow.h"
#include "manyverbs/decoding/internal/frame_index.h"
#include "manyverbs/decoding/internal/given_flow.h"
#include "manyverbs/support/internal/json.h"

namespace manyverbs {

/// The flow of every clip of a data set in DATASET/flow: one folder per clip, and flow.json with
/// the settings, which are the same for all clips. Only complete folders exist. Of a data set with
/// given flow, it has only flow.json and the index of that flow, see given_flow.h.

/// The smallest short side: an input of 32 x 32 pixels is cropped from it.
inline constexpr int kSmallestFlowSide = 37;

struct FlowSettings {
  FlowMethod method = FlowMethod::Tvl1;
  double bound = 20;  ///< in pixels; faster motion is clipped
  int short_side =
      256;  ///< of the frames, before flow is computed: at least 37, or 0: original size

  bool operator==(const FlowSettings&) const = default;
};

Json to_json(const FlowSettings& settings);
/// Inverse of to_json(); `path` is the file of the JSON, for messages.
FlowSettings flow_settings_of(const Json& json, const std::filesystem::path& path);

/// The folder of the flow of all clips: DATASET/flow, or that of data sets that share it.
std::filesystem::path flow_root(const Dataset& dataset);
/// The folder of the flow of a clip: DATASET/flow/CLIP. Characters that are not valid in file names
/// are percent-encoded: "cut/7" is cut%2F7.
std::filesystem::path flow_folder(const Dataset& dataset, const Clip& clip);

struct FlowReport {
  int computed = 0;
  int kept = 0;            ///< existed already, with the same settings
  int given = 0;           ///< came with the videos
  std::int64_t pairs = 0;  ///< number of computed pairs
  std::vector<ClipProblem> problems;
};

/// Computes the missing flow, clips in parallel. N frames give N - 1 pairs; a clip with a single
/// frame gets one pair without motion. Throws Error if the existing flow has other settings, unless
/// `replace` is set, which removes it first; and for a short side that is too small. With
/// OnError::Stop, throws the first problem; the flow computed before it is kept. If flow is given,
/// nothing is computed: it is looked up, and its settings are stored (bound 20 pixels, as that of
/// EPIC-Kitchens).
FlowReport compute_flow(const Dataset& dataset, const FlowSettings& settings, OnError on_error,
                        bool replace = false);

/// Stores the settings of given flow; nothing if no clip has flow.
void store_given_settings(const Dataset& dataset, const FlowIndex& index);

/// The settings of the existing flow. Throws Error if there is none.
FlowSettings flow_settings(const Dataset& dataset);

/// The flow of every clip, computed or given. With OnError::Stop, throws the first problem as
/// Error.
FlowIndex index_flow(const Dataset& dataset, OnError on_error);

}  // namespace manyverbs
