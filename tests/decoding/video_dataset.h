// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "manyverbs/dataset/dataset.h"
#include "tests/decoding/drawn.h"
#include "tests/scratch.h"

namespace manyverbs {

struct NamedVideo {
  std::string clip;
  std::string video;
};

/// A data set of one class in the scratch folder, all clips for training.
inline Dataset video_dataset(const ScratchFolder& scratch, const std::vector<NamedVideo>& videos) {
  Dataset dataset;
  dataset.folder = scratch.path();
  dataset.name = "videos";
  dataset.classes = Vocabulary({"drift"});
  for (const auto& [name, video] : videos) {
    Clip clip;
    clip.name = name;
    clip.labels = {0};
    clip.video = video;
    dataset.clips.push_back(clip);
  }
  write_dataset(dataset.folder, dataset);
  return dataset;
}

}  // namespace manyverbs
