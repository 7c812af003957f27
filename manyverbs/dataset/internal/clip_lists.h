// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "manyverbs/dataset/clip.h"

namespace manyverbs {

/// Lists of clips as other programs write them, read as clips. The layout is found by content:
///
///   videos     a.mp4 3                            mmaction2, PySlowFast (several labels: a.mp4 3
///   7) frames     a 120 3                            TSN, mmaction2 (several labels: a 120 3 7)
///   segments   a 12 40 3                          first and last frame, or seconds: a.mp4 1.5 4.2
///   3 offsets    a 11 29 3                          mmaction2 with_offset: frames before it, and
///   of it kinetics   label,youtube_id,time_start,…      files ID_000010_000020.mp4 or ID.mp4 json
///   [{"filename": "a.mp4", "label": 3}, …]    mmaction2; "frame_dir" for frames label-studio   its
///   JSON export: choices per task, all of all annotators clips      clips.csv of a data set
///
/// Fields are separated by white space or commas. Offsets cannot be told from segments, so they
/// are only read if they are asked for.

enum class ListLayout { Videos, Frames, Segments, Offsets, Kinetics, Json, LabelStudio, Clips };
std::string_view layout_name(ListLayout layout);
/// Throws Error for an unknown name, with the nearest one.
ListLayout find_layout(std::string_view name);
/// All names, in the order above.
std::vector<std::string> layout_names();

struct ClipList {
  std::filesystem::path file;
  std::optional<Split> split;  ///< of all its clips; without it, the list must have a column split
};

struct ClipListImport {
  std::vector<ClipList> lists;
  std::optional<ListLayout> layout;  ///< of all lists; found by content if not given
  /// classes.csv, or one name per line, also with its id in front, from 0 or 1. Without it, classes
  /// are named as in the lists; numbers are named after the folder of their clips if that is
  /// unique, otherwise they are the names.
  std::filesystem::path classes;
  std::filesystem::path videos;  ///< folder of relative paths; empty: the folder of each list
};

struct ClipLists {
  Vocabulary classes;
  /// Named after their path without extension, and ":12-40" for a part. Relative paths of a list
  /// are made relative to the current folder.
  std::vector<Clip> clips;
  std::vector<std::optional<int>> frames;  ///< number of frames of each clip, if the list has it
  std::vector<std::string> remarks;        ///< what was found, for users
};

/// Throws Error with file and line, or the number of the task in a JSON file, for an invalid line,
/// an unknown label, a duplicate clip, and a train clip without exactly one label.
ClipLists read_clip_lists(const ClipListImport& settings);

}  // namespace manyverbs
