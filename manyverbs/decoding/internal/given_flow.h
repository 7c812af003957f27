// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "manyverbs/dataset/dataset.h"
#include "manyverbs/decoding/internal/flow.h"
#include "manyverbs/decoding/internal/frame_index.h"

namespace manyverbs {

/// Flow images that come with the videos, as those of EPIC-Kitchens: column `flow` of clips.csv.
/// They belong to the whole video and are used in place; a clip uses the images of its frames.
///
/// Some programs skip frames: EPIC-Kitchens-55 has one flow image for two frames (stride 2), the
/// videos added by EPIC-Kitchens-100 have one for each (stride 1). The stride is found by the
/// number of images of both kinds. Flow image f, from 0, belongs to the frames f * stride and
/// later. As flow is computed between frames, N frames have N - 1 images at stride 1.

/// Whether clips of the data set have given flow.
bool has_given_flow(const Dataset& dataset);

/// The flow images of a clip, whose video has `flow` images with this stride. Frames 3 to 9 (from
/// 0) at stride 2 are the flow images 1, 2 and 3.
FlowFrames flow_of_part(const FlowFrames& flow, int stride, const ClipFrames& frames);

/// The stride of flow; nothing if the numbers do not fit. 1000 frames and 999 images: 1; 1000 and
/// 499: 2; 1000 and 700: nothing.
std::optional<int> flow_stride(int frames, int images);

/// The flow of every clip of a data set.
struct FlowIndex {
  std::vector<std::optional<FlowFrames>>
      clips;                          ///< in the order of clips.csv; empty if there is a problem
  std::vector<std::string> contents;  ///< content hash of the source of each clip; empty if unknown
  std::vector<ClipProblem> problems;  ///< in the order of clips.csv
};

/// The given flow. DATASET/flow/given.csv stores what is known of each video until its frames or
/// its flow images change. With OnError::Stop, throws the first problem as Error.
FlowIndex index_given_flow(const Dataset& dataset, const FrameIndex& frames, OnError on_error);

}  // namespace manyverbs
