// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

/// The name of a numbered image, in its parts.
struct NumberedName {
  std::string prefix;
  std::string ending;
  int digits = 0;
  std::int64_t number = 0;
  std::size_t index = 0;  ///< of the name in the list of the caller
};

/// "img_00012.jpg" is {img_, .jpg, 5, 12}; nothing for other names.
std::optional<NumberedName> parse_numbered_name(std::string_view name);

inline constexpr std::string_view kFlowRightPrefix = "flow_x_";
inline constexpr std::string_view kFlowDownPrefix = "flow_y_";

/// Selects the images with this prefix and sorts them by number; nothing if there are none. An
/// empty prefix stands for any prefix that all images share, except those of flow. Throws Error
/// with the folder for a gap, a duplicate number, a first number other than 0 and 1, or several
/// prefixes.
std::optional<NumberedFiles> select_sequence(const std::filesystem::path& folder,
                                             std::string_view prefix,
                                             std::vector<NumberedName>* names);

}  // namespace manyverbs
