// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "manyverbs/dataset/dataset.h"
#include "manyverbs/decoding/frame_index.h"

namespace manyverbs {

/// A data set from videos, or folders of frames, and a table of what is to be seen in them. Every
/// video is decoded once, so that what cannot be used is known now and not hours later. Until it is
/// complete it is OUT.partial; a call that was killed, or stopped at a bad video, resumes from it.

/// Where the videos of a data set stay.
enum class VideoPlace {
  There,   ///< where they are; clips.csv points at them, relative to the data set where it can
  Copied,  ///< in the data set, under videos/
  Linked,  ///< under videos/ as links to where they are
};

struct VideosImport {
  std::filesystem::path clips;    ///< clip,split,labels,video[,start,stop][,original][,truth]
  std::filesystem::path classes;  ///< as classes.csv; when empty, the classes that the clips name
  std::filesystem::path videos;   ///< relative videos count from here; when empty, from clips.csv
  std::string name;               ///< of the data set; when empty, that of its folder
  VideoPlace place = VideoPlace::There;
  OnError on_error = OnError::Stop;
  std::filesystem::path out;
};

struct VideosImported {
  Dataset dataset;
  FrameIndex index;                  ///< of the clips that were taken in
  std::vector<std::string> skipped;  ///< "carrot_7: a/carrot.mp4: is empty", of clips left out
};

/// Writes the data set, without features, and returns it. Throws Error when a clip names no video,
/// when a video cannot be used and that is to stop it, or when no clip is left.
VideosImported import_videos(const VideosImport& settings);

}  // namespace manyverbs
