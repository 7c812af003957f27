// SPDX-License-Identifier: MIT
#pragma once

#include <cstdlib>
#include <string>

#include "manyverbs/decoding/image.h"
#include "tests/decoding/drawn.h"
#include "tests/scratch.h"

namespace manyverbs {

/// Writes `count` numbered pictures FOLDER/frame_0000000001.jpg …, whose numbers start at `drawn`.
inline void write_frames(const std::filesystem::path& folder, int count, int drawn = 0) {
  std::filesystem::create_directories(folder);
  for (int i = 0; i < count; ++i) {
    write_picture(folder / fmt::format("frame_{:010}.jpg", i + 1), numbered_picture(drawn + i));
  }
}

/// Packs the content of a folder with the program tar.
inline void pack(const std::filesystem::path& folder, const std::filesystem::path& tar,
                 const std::string& options = "") {
  const std::string command =
      fmt::format("tar {} -C '{}' -cf '{}' .", options, folder.string(), tar.string());
  if (std::system(command.c_str()) != 0) throw std::runtime_error("failed: " + command);
}

}  // namespace manyverbs
