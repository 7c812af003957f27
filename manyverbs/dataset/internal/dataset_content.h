// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "manyverbs/dataset/dataset.h"
#include "manyverbs/support/internal/json.h"

namespace manyverbs {

/// What something was made from, by content: kept beside it, to know when it is out of date. A data
/// set that is copied, moved or touched has the same content; one with other labels or features has
/// not.
struct DatasetContent {
  std::string labels;  ///< hash of the classes and of names, splits and labels of the clips
  std::string truth;   ///< hash of the true labels; empty where they play no part
  std::map<std::string, std::string> features;  ///< stream to hash of its file

  bool operator==(const DatasetContent&) const = default;
};

/// Labels only.
DatasetContent labels_content(const Dataset& dataset);
/// Labels and the truth.
DatasetContent truth_content(const Dataset& dataset);
/// Labels and the named streams, all when none is named. Throws Error when one is not there.
DatasetContent features_content(const Dataset& dataset, const std::vector<std::string>& streams);

/// Of what was used then, the first file that is another now; "" when none is:
/// "kitchen/features/rgb.npy".
std::string changed_file(const Dataset& dataset, const DatasetContent& then);
/// The same, of feature files only.
std::string changed_features(const Dataset& dataset, const DatasetContent& then);

Json to_json(const DatasetContent& content);
/// What `json` has at `key`; throws Error naming the file when it has none.
DatasetContent content_at(const Json& json, const std::string& key,
                          const std::filesystem::path& path);

}  // namespace manyverbs
