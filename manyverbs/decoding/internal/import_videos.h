// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "manyverbs/dataset/dataset.h"
#include "manyverbs/decoding/internal/frame_index.h"

namespace manyverbs {

/// Creates a data set from videos or folders of frames and a table of clips. Every video is decoded
/// once, so that errors are found at import. The incomplete data set is OUT.partial; a call that
/// was killed, or stopped at an invalid video, resumes from it.

/// The location of the videos.
enum class VideoPlace {
  There,   ///< not moved; clips.csv refers to them, by relative path if possible
  Copied,  ///< copied to videos/
  Linked,  ///< linked from videos/
};

struct VideosImport {
  std::filesystem::path clips;  ///< clip,split,labels,video[,start,stop][,original][,truth]
  std::filesystem::path
      classes;  ///< in the format of classes.csv; empty: the classes in the clips file
  std::filesystem::path videos;  ///< folder of relative video paths; empty: the folder of clips.csv
  std::string name;              ///< of the data set; empty: the name of its folder
  VideoPlace place = VideoPlace::There;
  OnError on_error = OnError::Stop;
  std::filesystem::path out;
};

struct VideosImported {
  Dataset dataset;
  FrameIndex index;                  ///< of the imported clips
  std::vector<std::string> skipped;  ///< "carrot_7: a/carrot.mp4: is empty", one per skipped clip
};

/// Writes the data set, without features, and returns it. Throws Error if a clip has no video, if a
/// video cannot be read and on_error is Stop, or if no clip is left.
VideosImported import_videos(const VideosImport& settings);

}  // namespace manyverbs
