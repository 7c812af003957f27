// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "manyverbs/dataset/dataset.h"
#include "manyverbs/support/internal/json.h"

namespace manyverbs {

/// Content hashes of the inputs of a derived file, stored beside it to detect changes. Copying,
/// moving or touching a data set does not change its content; changing labels or features does.
struct DatasetContent {
  std::string labels;  ///< hash of the classes and of names, splits and labels of the clips
  std::string truth;   ///< hash of the ground truth; empty if not used
  std::map<std::string, std::string> features;  ///< stream to hash of its file

  bool operator==(const DatasetContent&) const = default;
};

/// The content of the labels only.
DatasetContent labels_content(const Dataset& dataset);
/// The content of labels and ground truth.
DatasetContent truth_content(const Dataset& dataset);
/// The content of labels and the given streams, all if none is given. Throws Error if a stream does
/// not exist.
DatasetContent features_content(const Dataset& dataset, const std::vector<std::string>& streams);

/// The first file that has changed since `then`: "kitchen/features/rgb.npy"; "" if none has.
std::string changed_file(const Dataset& dataset, const DatasetContent& then);
/// The same for feature files only.
std::string changed_features(const Dataset& dataset, const DatasetContent& then);

Json to_json(const DatasetContent& content);
/// Reads the content at `key`; throws Error with the file name if it is missing.
DatasetContent content_at(const Json& json, const std::string& key,
                          const std::filesystem::path& path);

}  // namespace manyverbs
