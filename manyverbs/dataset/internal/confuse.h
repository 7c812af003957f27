// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "manyverbs/dataset/dataset.h"
#include "manyverbs/support/internal/random.h"

namespace manyverbs {

/// Data sets made ambiguous on purpose, as Confusing-HMDB-102 is made of HMDB-51: every class
/// becomes several that nobody can tell apart, a training clip carries one of them at random, and a
/// test clip all of them. What a method should find is then known of every clip.
///
///   cut --2 ways--> cut^0, cut^1     train: cut^1   test: cut^0;cut^1   truth: cut^0;cut^1

/// The classes of a confused data set; way r of class c has id r * C + c.
/// {cut, peel} in 2 ways gives {cut^0, peel^0, cut^1, peel^1}.
Vocabulary confused_classes(const Vocabulary& classes, int ways);

/// The data set with its classes confused. Each train and val clip costs one random.below(ways), in
/// order; the truth of a clip is every way of its truth where that is known, else of its labels. A
/// test clip in several ways has no original label.
Dataset confused(const Dataset& dataset, int ways, Random& random);

struct ConfuseSettings {
  std::vector<std::filesystem::path> folders;  ///< data sets; the draws run through all, in order
  int ways = 2;
  std::uint64_t seed = 12;
  std::filesystem::path out;  ///< one data set becomes this folder, several become folders in it
};

/// Writes confused data sets and returns them. Feature files and their records come along as links,
/// videos stay where they are. Throws Error when
/// two data sets would get the same folder; then, as after any failure, nothing is left behind.
std::vector<Dataset> confuse(const ConfuseSettings& settings);

}  // namespace manyverbs
