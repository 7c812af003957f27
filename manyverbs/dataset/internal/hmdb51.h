// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "manyverbs/dataset/dataset.h"

namespace manyverbs {

/// HMDB-51 as it is published: for each class and split a file `<class>_test_split{1,2,3}.txt` of
/// lines `<file>.avi 1`, where 1 is train, 2 is test and 0 is not used.

struct Hmdb51Import {
  std::filesystem::path splits;  ///< the folder of the split files
  std::filesystem::path videos;  ///< where `<class>/<file>.avi` lie; empty when there are none
  int ways = 1;                  ///< 2 makes Confusing-HMDB-102; see confuse.h
  std::uint64_t seed = 12;       ///< of the draws; 12 was used for Confusing-HMDB-102
  std::filesystem::path out;     ///< becomes out/split1, out/split2 and out/split3
};

struct Hmdb51Split {
  Dataset dataset;
  int unused = 0;  ///< clips of this split that are neither train nor test
};

/// Writes one data set a split and returns the three. Classes are sorted; clips stand class by
/// class, each in the order of its file, and are named "<class>/<file>" without ".avi". Throws
/// Error with file and line for a line of another kind, a clip named twice, and a file that is
/// missing or empty.
std::vector<Hmdb51Split> import_hmdb51(const Hmdb51Import& settings);

}  // namespace manyverbs
