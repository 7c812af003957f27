// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>

#include "manyverbs/dataset/dataset.h"
#include "manyverbs/demo/internal/kitchen_scene.h"

namespace manyverbs {

/// A data set of real video files from the made-up kitchen, for trying everything out.
struct KitchenSettings {
  int train = 960;
  int val = 120;
  int test = 320;
  SceneSettings scenes = {};
  int frame_rate = 12;  ///< frames a second
  std::uint64_t seed = 1;
};

struct KitchenClips {
  Dataset dataset;  ///< without a folder; truth known for every clip
  std::vector<KitchenScene> scenes;
};

/// Draws the clips: every action about equally often in each split. A train or val clip is labelled
/// with the one of its verbs that came to somebody's mind, a test clip with all, and that one is
/// its original. Clip i is clip_0000i in videos/clip_0000i.mp4.
KitchenClips choose_kitchen_clips(const KitchenSettings& settings);

/// Writes them as a data-set folder, the videos on all cores; the same files whatever their
/// number. Throws Error when the place is taken.
void write_kitchen_clips(const std::filesystem::path& folder, const KitchenSettings& settings);

}  // namespace manyverbs
