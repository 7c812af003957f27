// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <vector>

#include "manyverbs/dataset/dataset.h"
#include "manyverbs/decoding/frame_index.h"
#include "manyverbs/decoding/internal/flow.h"

namespace manyverbs {

/// The flow of every clip of a data set, under DATASET/flow: a folder a clip, and flow.json with
/// the settings, which are the same for all. A folder is there only when it is complete.

/// What the smallest network input, 32 x 32 pixels, is cut from.
inline constexpr int kSmallestFlowSide = 37;

struct FlowSettings {
  FlowMethod method = FlowMethod::Tvl1;
  double bound = 20;     ///< pixels; what is faster is clipped
  int short_side = 256;  ///< of frames before flow is computed: 37 or more, or 0: as stored

  bool operator==(const FlowSettings&) const = default;
};

/// Where a clip's flow is: DATASET/flow/CLIP. Characters that do not suit a file name are written
/// as %2F and the like: "cut/7" is cut%2F7.
std::filesystem::path flow_folder(const Dataset& dataset, const Clip& clip);

struct FlowReport {
  int computed = 0;
  int kept = 0;            ///< there already, of the same settings
  std::int64_t pairs = 0;  ///< of those computed
  std::vector<ClipProblem> problems;
};

/// Computes the flow that is missing, clips side by side on all cores. N frames give N - 1 pairs; a
/// clip of a single frame gets one pair without motion. Throws Error when the flow that is there
/// has other settings, unless `replace` is set: then it is removed first; and for a short side that
/// no network can use. With OnError::Stop, the first problem is thrown; what was computed before it
/// stays.
FlowReport compute_flow(const Dataset& dataset, const FlowSettings& settings, OnError on_error,
                        bool replace = false);

/// The settings of the flow that is there. Throws Error when there is none.
FlowSettings flow_settings(const Dataset& dataset);

}  // namespace manyverbs
