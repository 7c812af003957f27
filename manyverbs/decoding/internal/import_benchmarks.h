// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "manyverbs/dataset/internal/epic100.h"
#include "manyverbs/dataset/internal/hmdb51.h"
#include "manyverbs/decoding/internal/import_videos.h"

namespace manyverbs {

/// The imports of EPIC-Kitchens-100 and HMDB-51 with the frames or the videos of their clips, which
/// are looked up or decoded at import, as by import_videos(). OUT.partial resumes a killed call.

struct Epic100Frames {
  VideosImported imported;
  std::vector<ImportedStream> streams;
  bool has_flow = false;
};

/// EPIC-Kitchens-100 with `settings.frames`. Each folder or tar file is looked up once for all of
/// its segments; nothing is copied.
Epic100Frames import_epic100_frames(const Epic100Import& settings, OnError on_error);

struct Hmdb51Videos {
  std::vector<Hmdb51Split> splits;
  std::vector<std::string> skipped;  ///< one line per clip whose video cannot be read
  int videos_known = 0;              ///< decoded by an earlier call
};

/// HMDB-51 with `settings.videos`. Each video is decoded once for all splits.
Hmdb51Videos import_hmdb51_videos(const Hmdb51Import& settings, OnError on_error);

}  // namespace manyverbs
