// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "manyverbs/dataset/array_file.h"
#include "manyverbs/dataset/internal/array_store.h"
#include "manyverbs/dataset/vocabulary.h"

namespace manyverbs {

/// Feature files of any format, recognised by their content: NPY, NPZ, pickle, safetensors, HDF5
/// and CSV. They contain one of
///
///   a matrix N x D, or N x T x D with T frames per clip; possibly beside it a list of N names or
///   ids, and labels: {"video_ids": …, "clip_features": …, "labels": …}
///   one array D or T x D per clip, by its name: {"P01_01_0": …, "P01_01_1": …}
///
/// Frames are averaged, as the released code of the paper does. Files are mapped where the format
/// allows it, so that they may be larger than memory.
struct FeatureFile {
  std::string title;   ///< for messages: "rgb.pkl", "both.npz:flow"
  std::string layout;  ///< what was found: "pickle, clip_features 120 x 8 x 2048 float32, mean of 8
                       ///< frames, clips by video_ids"
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<std::string> names;  ///< of the clip of each row, an id 17 as "17"; empty if unknown
  bool numbered = false;           ///< the names are 0, 1, 2 …
  std::vector<std::vector<ClassId>> labels;  ///< of each row; empty if the file has none
  int num_classes = 0;                       ///< columns of the labels, or the largest label + 1
  std::shared_ptr<ArrayStore> store;         ///< keeps the file open
  std::shared_ptr<const RowSource> source;

  /// Float16 if the file stores it and no mean is taken, otherwise Float32.
  NumberType type() const { return source->type(); }
};

struct FeatureQuery {
  std::filesystem::path file;
  std::string array = {};  ///< selects one of several arrays, or one of each clip
  /// Names of clips, which tell a matrix per stream from an array per clip; may be empty.
  std::vector<std::string> clips = {};
  /// A folder for arrays that must be unpacked; empty: the folder for temporary files. Nothing
  /// remains there.
  std::filesystem::path scratch = {};
};

/// Throws Error if the file is truncated, damaged, of no known format or layout, or contains more
/// than one array to choose from.
FeatureFile open_feature_file(const FeatureQuery& query);

/// A row of one of several files.
struct FeatureRow {
  std::size_t file = 0;
  std::size_t row = 0;
};

/// The row of each clip by its name. Files without names must be the only one, and have one row per
/// clip in the same order; the same if the names are 0, 1, 2 … and no clip is called so. Throws
/// Error for a missing clip, and for a name that has two different rows. `table` is the file of the
/// clips, for messages.
std::vector<FeatureRow> rows_of_clips(std::span<const FeatureFile> files,
                                      std::span<const std::string> clips, const std::string& table);

/// Writes an NPY file of the given rows, in this order: float16 if all files are, otherwise
/// float32. Every number is checked; `clip_of(i)` describes the clip of rows[i] in errors. Without
/// a path the numbers are only checked. Throws Error if the numbers of columns differ.
void write_feature_rows(std::span<const FeatureFile> files, std::span<const FeatureRow> rows,
                        const std::function<std::string(std::size_t)>& clip_of,
                        const std::filesystem::path& npy);

}  // namespace manyverbs
