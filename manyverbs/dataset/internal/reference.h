// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "manyverbs/dataset/dataset.h"
#include "manyverbs/dataset/import_arrays.h"

namespace manyverbs {

/// The feature files of the paper's released code: for each split and stream a pickle
/// {"video_ids": …, "labels": …, "clip_features": …, …}. They contain all that a data set needs
/// except the names of its classes. Any feature file with ids and labels will do.

struct ReferenceImport {
  std::vector<FeatureSource> train;  ///< one file per stream
  std::vector<FeatureSource> val;    ///< the same streams, or nothing
  std::vector<FeatureSource> test;
  std::filesystem::path classes;  ///< see read_class_list(); empty: classes are named "0", "1" …
  std::string name;               ///< of the data set; empty: the name of its folder
  std::filesystem::path out;
};

struct ReferenceStream {
  std::string name;
  std::size_t columns = 0;
  NumberType type = NumberType::Float32;
  std::vector<std::string> files;    ///< of train, val and test
  std::vector<std::string> layouts;  ///< what was found in each
};

struct ReferenceImported {
  Dataset dataset;
  std::vector<ReferenceStream> streams;
};

/// Writes the data set and returns it. Clips are named by their ids, in the order of the first
/// stream; other streams are joined by id, whatever their order. If an id occurs in two splits, all
/// clips are named "train/17". If there are k times as many classes as names, the classes are
/// cut^0, peel^0, cut^1 … as in Confusing-HMDB-102, and every way of a label is the ground truth.
/// Throws Error if streams do not have the same clips or differ in their labels, if a file has no
/// ids or no labels, and for train clips without exactly one label.
ReferenceImported import_reference(const ReferenceImport& settings);

}  // namespace manyverbs
