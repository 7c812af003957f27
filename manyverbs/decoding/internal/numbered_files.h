// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace manyverbs {

/// Images in a folder that are numbered without gaps: img_00001.jpg, img_00002.jpg …
struct NumberedFiles {
  std::filesystem::path folder;
  std::string prefix;
  std::string ending;  ///< ".jpg" or ".jpeg"
  int digits = 0;      ///< width of the zero-padded number
  int first = 0;       ///< 0 or 1
  int count = 0;

  std::filesystem::path path(int position) const;
};

/// The files PREFIX, digits, .jpg of a folder; nothing if there are none. An empty prefix stands
/// for any prefix that all images share. Throws Error for a gap, a first number other than 0 and 1,
/// or several prefixes.
std::optional<NumberedFiles> find_numbered_files(const std::filesystem::path& folder,
                                                 std::string_view prefix = "");

}  // namespace manyverbs
