// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "manyverbs/dataset/dataset.h"
#include "manyverbs/dataset/internal/clip_lists.h"
#include "manyverbs/decoding/internal/frame_index.h"

namespace manyverbs {

/// Creates a data set from videos or folders of frames and a table or lists of clips. Every video
/// is decoded once, so that errors are found at import. The incomplete data set is OUT.partial; a
/// call that was killed, or stopped at an invalid video, resumes from it.

/// The location of the videos.
enum class VideoPlace {
  There,   ///< not moved; clips.csv refers to them, by relative path if possible
  Copied,  ///< copied to videos/
  Linked,  ///< linked from videos/
};

struct VideosImport {
  ClipListImport clips;
  std::string name;  ///< of the data set; empty: the name of its folder
  VideoPlace place = VideoPlace::There;
  OnError on_error = OnError::Stop;
  std::filesystem::path out;
};

struct VideosImported {
  Dataset dataset;
  FrameIndex index;                  ///< of the imported clips
  std::vector<std::string> skipped;  ///< "carrot_7: a/carrot.mp4: is empty", one per skipped clip
  std::vector<std::string> remarks;  ///< what was found in the lists
};

/// Writes the data set, without features, and returns it. Throws Error if a clip has no video, if a
/// video cannot be read and on_error is Stop, or if no clip is left.
VideosImported import_videos(const VideosImport& settings);

/// The same for clips that were read already; their paths are relative to the current folder.
/// `source` is the file of the clips, for messages. `complete` may add files to the folder of the
/// data set before it gets its final name.
VideosImported import_videos(
    Dataset dataset, const std::filesystem::path& source, const VideosImport& settings,
    const std::function<void(const Dataset& dataset, const std::filesystem::path& folder)>&
        complete = {});

}  // namespace manyverbs
