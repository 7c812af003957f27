// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "manyverbs/dataset/dataset.h"
#include "manyverbs/support/internal/random.h"

namespace manyverbs {

/// Makes data sets ambiguous, as Confusing-HMDB-102 was made from HMDB-51: every class is split
/// into several indistinguishable classes; a training clip gets one of them at random, a test clip
/// all of them. So the ground truth of every clip is known.
///
///   cut --2 ways--> cut^0, cut^1     train: cut^1   test: cut^0;cut^1   truth: cut^0;cut^1

/// The classes of a confused data set; way r of class c has id r * C + c.
/// {cut, peel} in 2 ways gives {cut^0, peel^0, cut^1, peel^1}.
Vocabulary confused_classes(const Vocabulary& classes, int ways);

/// The confused data set. Each train and val clip takes one random.below(ways), in order. The
/// ground truth of a clip is every way of its ground truth if known, otherwise of its labels. With
/// several ways, a test clip has no original label.
Dataset confused(const Dataset& dataset, int ways, Random& random);

struct ConfuseSettings {
  std::vector<std::filesystem::path> folders;  ///< data sets; one random sequence for all, in order
  int ways = 2;
  std::uint64_t seed = 12;
  std::filesystem::path out;  ///< the folder of one data set, or the parent folder of several
};

/// Writes confused data sets and returns them. Feature files and their records are linked; videos
/// are not copied. Throws Error if two data sets would get the same folder. After an error nothing
/// is left behind.
std::vector<Dataset> confuse(const ConfuseSettings& settings);

}  // namespace manyverbs
