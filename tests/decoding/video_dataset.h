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

/// A texture of 96 x 72 that moves to the right by so many pixels a frame.
inline void write_drifting_video(const std::filesystem::path& path, int frames, double speed) {
  const PictureSize size{96, 72};
  VideoWriter video(path, {.size = size});
  for (int i = 0; i < frames; ++i) {
    const Image grey = texture(size, speed * i, 0);
    Image frame(size.width, size.height, 3);
    for (std::size_t p = 0; p < frame.pixels.size(); ++p) frame.pixels[p] = grey.pixels[p / 3];
    video.write(frame);
  }
  video.commit();
}

}  // namespace manyverbs
