// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "manyverbs/dataset/dataset.h"

namespace manyverbs {

/// The published files of HMDB-51: for each class and split a file `<class>_test_split{1,2,3}.txt`
/// with lines `<file>.avi 1`, where 1 is train, 2 is test and 0 is unused.

struct Hmdb51Import {
  std::filesystem::path splits;  ///< the folder of the split files
  std::filesystem::path videos;  ///< the folder of `<class>/<file>.avi`; empty if there is none
  int ways = 1;                  ///< 2 makes Confusing-HMDB-102; see confuse.h
  std::uint64_t seed = 12;       ///< random seed; Confusing-HMDB-102 used 12
  std::filesystem::path out;     ///< parent folder of split1, split2 and split3
};

struct Hmdb51Split {
  Dataset dataset;
  int unused = 0;  ///< number of unused clips in this split
};

/// Writes one data set per split and returns the three. Classes are sorted; clips are ordered by
/// class and by line, and are named "<class>/<file>" without ".avi". Throws Error with file and
/// line for an invalid line, a duplicate clip, and a missing or empty file.
std::vector<Hmdb51Split> import_hmdb51(const Hmdb51Import& settings);

}  // namespace manyverbs
