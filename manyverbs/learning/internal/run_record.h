// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>

#include "manyverbs/dataset/internal/dataset_content.h"
#include "manyverbs/learning/losses.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/json.h"

namespace manyverbs {

/// run.json of a run folder, key by key; what is wrong with it is an Error that names the file.
class RunRecord {
 public:
  /// Throws Error when the folder is no run, or one of another kind: "features", which `train`
  /// makes, or "clips", which `finetune` makes.
  RunRecord(const std::filesystem::path& folder, const std::string& kind);

  template <typename T>
  void get(const char* key, T* place) const {
    *place = json_value<T>(json_, key, path_);
  }
  /// What a function such as find_recipe makes of the word at a key.
  template <typename Find>
  auto find(const char* key, Find find) const {
    const auto word = json_value<std::string>(json_, key, path_);
    try {
      return find(word);
    } catch (const Error& problem) {
      throw Error("{}: {}", path_.string(), problem.what());
    }
  }
  void get_loss(std::string* loss, LossSettings* settings) const;
  DatasetContent content() const { return content_at(json_, "made_from", path_); }

 private:
  std::filesystem::path path_;
  Json json_;
};

/// The kind of the run in a folder; "" where there is no run.
std::string run_kind(const std::filesystem::path& folder);

/// The keys of a loss in run.json.
Json loss_record(const std::string& loss, const LossSettings& settings);

/// The first key whose values in two run.json differ, or "": "learning_rate is 0.001 there, 0.0001
/// here". Where the data set lies does not matter, only its content.
std::string difference(const Json& wanted, const Json& found);

}  // namespace manyverbs
