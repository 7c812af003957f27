// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "manyverbs/dataset/dataset.h"
#include "manyverbs/learning/internal/run.h"
#include "manyverbs/metrics/evaluation.h"

namespace manyverbs {

/// The model of a run, put to use on the clips of a data set with the same classes, whatever it
/// reads of them.
class TrainedModel {
 public:
  virtual ~TrainedModel() = default;
  TrainedModel(const TrainedModel&) = delete;
  TrainedModel& operator=(const TrainedModel&) = delete;

  const std::filesystem::path& folder() const { return folder_; }
  const Run& run() const { return run_; }
  const std::vector<std::string>& classes() const { return run_.classes; }
  /// The data set it was trained on. Throws Error when it is not where it was, or when features it
  /// learnt from have changed since.
  Dataset dataset() const;
  /// Where a data set lies where that one did, the first of its feature files that is another than
  /// in training: a model knows nothing about features of another network. "" when there is none.
  std::string changed_features(const Dataset& dataset) const;
  /// Throws Error when there is one.
  void check_features(const Dataset& dataset) const;
  /// Whether a data set lies where that one did.
  bool is_own(const Dataset& dataset) const;
  /// Probabilities: one row for each of `clips`, one column a class. Throws Error when the data set
  /// lacks what the model reads.
  virtual Matrix<float> probabilities(const Dataset& dataset, std::span<const int> clips) const = 0;
  /// Those of `clips` that probabilities() can be had of. A model that reads features takes any.
  virtual std::vector<int> readable(const Dataset& /*dataset*/, std::vector<int> clips) const {
    return clips;
  }
  /// The metrics on a split, the expected threshold found on the clips that chose the epoch. Throws
  /// Error when a clip of the split cannot be read.
  Evaluation evaluate(const Dataset& dataset, Split split,
                      const EvaluationSettings& settings) const;
  /// The threshold that gives so many labels a clip on the clips that chose the epoch: the same
  /// whatever it is used on. Throws Error when the data set is not as it was.
  double expected_threshold(double labels) const;

 protected:
  /// Throws Error when the run is of another kind.
  TrainedModel(std::filesystem::path folder, Run run, RunKind kind);

 private:
  Matrix<float> choosing_probabilities(const Dataset& dataset) const;

  std::filesystem::path folder_;
  Run run_;
};

/// The model of a run folder, of whichever kind. Throws Error when it is no run or has no model
/// yet.
std::unique_ptr<const TrainedModel> open_model(const std::filesystem::path& folder);

}  // namespace manyverbs
