// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "manyverbs/dataset/dataset.h"
#include "manyverbs/knn/neighbours.h"
#include "manyverbs/labels/pseudo_label_file.h"
#include "manyverbs/learning/run.h"
#include "manyverbs/metrics/evaluation.h"

namespace manyverbs {

/// The steps that commands share, each from a data-set folder to what it adds there:
///
///   space -> neighbours -> pseudo-labels -> run -> evaluation
///
/// What a step has stored is used again while nothing that it depends on has changed.

/// Cross-entropy on the single labels, at settings that suit most features.
TrainingSettings learned_space_training();

/// Where clips are compared.
struct SpaceSettings {
  std::string space = "features";    ///< "features" as they are, or "learned"
  std::vector<std::string> streams;  ///< of the features; all when empty
  /// How the learned space is trained: its last hidden layer is the space.
  TrainingSettings learned = learned_space_training();
};
/// The words that SpaceSettings::space may hold.
std::vector<std::string> space_names();

/// One row for each clip. The learned space is trained first, in DATASET/spaces/learned, and kept
/// as DATASET/spaces/learned.npy.
FeatureTable open_space(const Dataset& dataset, const SpaceSettings& settings);

struct NeighbourSettings {
  SpaceSettings space;
  Metric metric = Metric::Euclidean;
  int k = 15;
};
/// The k nearest training clips of every clip, row i for clip i, as rows of clips.csv. Kept under
/// DATASET/neighbours; fewer neighbours than are kept need no search.
Neighbours find_neighbours(const Dataset& dataset, const NeighbourSettings& settings);

struct PseudoLabelSettings {
  PseudoLabelMethod method = PseudoLabelMethod::Instance;
  NeighbourSettings neighbours;  ///< for the instance-level method
  double tau = 0.1;
  Recipe recipe = Recipe::Paper;
  std::string name = "default";
};
struct PseudoLabels {
  std::filesystem::path file;
  Suggestions suggestions;  ///< one for each training clip
  PseudoLabelRecord record;
};
/// Makes pseudo-labels for the training clips and keeps them under DATASET/pseudo_labels. The
/// class-level method counts co-occurrence in the label sets of test clips, as the paper does.
/// Throws Error when the method needs a truth or test clips that are not there.
PseudoLabels make_pseudo_labels(const Dataset& dataset, const PseudoLabelSettings& settings);

struct RunSettings {
  std::vector<std::string> streams;  ///< features; all when empty
  Protocol protocol = Protocol::Clean;
  std::string pseudo_labels = "default";  ///< a name under DATASET/pseudo_labels, or a CSV file
  TrainingSettings training;
};
/// Trains in a run folder, which is made if need be, or goes on with what it holds. Throws Error
/// when the folder holds a run of other settings.
TrainingHistory train_run(const Dataset& dataset, const RunSettings& settings,
                          const std::filesystem::path& folder);

/// A run put to use on a data set with the same classes and features.
class TrainedRun {
 public:
  explicit TrainedRun(std::filesystem::path folder);

  const Run& run() const { return run_; }
  /// The data set it was trained on. Throws Error when it is not where it was.
  Dataset dataset() const;
  /// Probabilities: one row for each of `rows`, one column a class.
  Matrix<float> probabilities(const FeatureTable& features, std::span<const int> rows) const;
  /// The metrics on a split, the expected threshold found on the clips that chose the epoch.
  Evaluation evaluate(const Dataset& dataset, Split split,
                      const EvaluationSettings& settings) const;

 private:
  std::filesystem::path folder_;
  Run run_;
  std::shared_ptr<const Mlp> model_;
};

/// With the paper's protocol and no val split, the best value of each metric over the epochs, each
/// at its own epoch, as the paper reports for HMDB; empty elsewhere.
std::vector<std::pair<std::string, double>> best_per_metric(
    const std::filesystem::path& run_folder);

}  // namespace manyverbs
