// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "manyverbs/dataset/dataset.h"
#include "manyverbs/dataset/import_arrays.h"

namespace manyverbs {

/// The published files of HMDB-51: for each class and split a file `<class>_test_split{1,2,3}.txt`
/// with lines `<file>.avi 1`, where 1 is train, 2 is test and 0 is unused.

struct Hmdb51Import {
  std::filesystem::path splits;  ///< the folder of the split files
  std::filesystem::path videos;  ///< the folder of `<class>/<file>.avi`; empty if there is none
  std::vector<FeatureSource> features = {};  ///< in the order of the reference ids
  /// The list of all videos that the reference ids count, one `<class>/<file>` per line; empty: all
  /// videos of the split files, sorted.
  std::filesystem::path video_list = {};
  int ways = 1;               ///< 2 makes Confusing-HMDB-102; see confuse.h
  std::uint64_t seed = 12;    ///< random seed; Confusing-HMDB-102 used 12
  std::filesystem::path out;  ///< parent folder of split1, split2 and split3
};

struct Hmdb51Split {
  Dataset dataset;
  std::vector<std::string> unused;  ///< names of the unused clips of this split
  std::vector<ImportedStream> streams;
};

/// Reads the split files without writing anything. Videos are relative to the current folder.
std::vector<Hmdb51Split> read_hmdb51(const Hmdb51Import& settings);

/// Writes the data sets into an existing folder, with what they share (shared_data.h) and with
/// features. `listed` are the splits with all clips, which the reference ids count.
void write_hmdb51(const std::filesystem::path& folder, const Hmdb51Import& settings,
                  const std::vector<Hmdb51Split>& listed, std::vector<Hmdb51Split>* splits);

/// The id of each clip of a split in the released code: its line in the list of all videos, from 0.
/// Throws Error for a clip that is not in the list.
std::vector<std::int64_t> hmdb51_reference_ids(const Hmdb51Import& settings,
                                               const std::vector<Hmdb51Split>& splits,
                                               const Dataset& dataset);

/// Writes one data set per split, without looking at the videos, and returns the three. Classes are
/// sorted; clips are ordered by class and by line, and are named "<class>/<file>" without ".avi".
/// Throws Error with file and line for an invalid line, a duplicate clip, and a missing or empty
/// file.
std::vector<Hmdb51Split> import_hmdb51(const Hmdb51Import& settings);

}  // namespace manyverbs
