// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "manyverbs/dataset/dataset.h"

namespace manyverbs {

/// The published records of YouTube-8M at video level: TFRecord files of videos with the features
/// id, labels, mean_rgb and mean_audio. A video has all its labels; a data set with one label per
/// training video is drawn from them.

struct Youtube8mImport {
  std::vector<std::filesystem::path> records;  ///< files, or folders of *.tfrecord
  std::filesystem::path classes;  ///< vocabulary.csv, see read_class_list(); empty: numbers
  int min_count = 100;            ///< classes with fewer videos in the records are left out
  std::int64_t train = 8000;      ///< number of videos
  std::int64_t val = 1000;
  std::int64_t test = 3000;
  std::uint64_t seed = 1;  ///< of the choice of videos and labels
  std::filesystem::path out;
};

struct Youtube8mImported {
  Dataset dataset;
  std::int64_t videos = 0;      ///< in the records
  std::int64_t unlabelled = 0;  ///< of them without a label of a remaining class
  int left_out = 0;             ///< classes with too few videos
  std::vector<std::pair<std::string, std::size_t>> streams;  ///< name and columns: audio, rgb
};

/// Writes the data set and returns it. Videos are shuffled; the first become train, the next val,
/// then test. Train and val videos get one label, drawn evenly from their labels; `truth` has all
/// of them. Classes are in the order of their ids. The choice depends only on the seed, the files
/// in the order of their paths, and the numbers of videos. Throws Error with file and record for
/// damaged records, a wrong checksum, a repeated video, other numbers of columns and numbers that
/// are not finite; and if there are not enough videos.
Youtube8mImported import_youtube8m(const Youtube8mImport& settings);

}  // namespace manyverbs
