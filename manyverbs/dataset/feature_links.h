// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>

#include "manyverbs/dataset/dataset.h"

namespace manyverbs {

/// Puts links to the features of a data set, and to the records of how they were made, into the
/// folder of another with the same clips.
inline void link_features(const Dataset& from, const std::filesystem::path& to) {
  for (const std::string& stream : feature_streams(from)) {
    std::filesystem::create_directories(to / "features");
    for (const std::string& file : {stream + ".npy", stream + ".json"}) {
      const std::filesystem::path source = from.folder / "features" / file;
      if (!std::filesystem::exists(source)) continue;
      std::filesystem::create_symlink(std::filesystem::canonical(source), to / "features" / file);
    }
  }
}

}  // namespace manyverbs
