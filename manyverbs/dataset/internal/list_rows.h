// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "manyverbs/dataset/internal/clip_lists.h"

namespace manyverbs {

/// A clip in a list, before its labels are classes.
struct ListRow {
  std::string place;                ///< for messages: "train.txt:3"
  std::string name;                 ///< of the clip; empty: made from the path
  std::string path;                 ///< as in the list
  std::vector<std::string> labels;  ///< names, or numbers
  std::string original;             ///< label before others were added; empty if not known
  std::optional<Split> split;
  std::optional<int> frames;
  std::optional<double> start;
  std::optional<double> stop;
  std::optional<int> start_frame;
  std::optional<int> stop_frame;
};

struct ListRows {
  ListLayout layout = ListLayout::Videos;
  std::vector<ListRow> rows;
  std::string remark;  ///< about what was left out; empty if nothing was
};

/// The rows of a list that is not clips.csv. `videos` is the folder of relative paths, where the
/// files of Kinetics and Label Studio are looked for.
ListRows read_list(const std::filesystem::path& file, std::string_view text, ListLayout layout,
                   const std::filesystem::path& videos);
ListRows read_json_list(const std::filesystem::path& file, ListLayout layout,
                        const std::filesystem::path& videos);

/// The layout of a list by its content; text lists are looked through to the end.
ListLayout layout_of(const std::filesystem::path& file, std::string_view text);

}  // namespace manyverbs
