// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>

#include "manyverbs/dataset/dataset.h"
#include "manyverbs/demo/internal/kitchen_scene.h"

namespace manyverbs {

/// A synthetic data set of video files, for the demo.
struct KitchenSettings {
  int train = 960;
  int val = 120;
  int test = 320;
  SceneSettings scenes = {};
  int frame_rate = 12;  ///< frames per second
  std::uint64_t seed = 1;
};

struct KitchenClips {
  Dataset dataset;  ///< without a folder; ground truth known for every clip
  std::vector<KitchenScene> scenes;
};

/// Samples the clips: every action about equally often in each split. A train or val clip has one
/// of its verbs as label, a test clip all of them, and that verb as original. Clip i is clip_0000i
/// in videos/clip_0000i.mp4.
KitchenClips choose_kitchen_clips(const KitchenSettings& settings);

/// Writes the data set folder, with the videos in parallel; the files do not depend on the number
/// of threads. Throws Error if the folder exists.
void write_kitchen_clips(const std::filesystem::path& folder, const KitchenSettings& settings);

}  // namespace manyverbs
