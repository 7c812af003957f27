// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "manyverbs/dataset/dataset.h"
#include "manyverbs/learning/history.h"
#include "manyverbs/learning/settings.h"

namespace manyverbs {

/// Trains the best model that single labels allow, without settings to choose:
///
///   learn_run(read_dataset("kitchen"), {.expected_labels = 2.4}, "runs/best");
///
/// First a search: networks with several learning rates, numbers of epochs, dropout rates and
/// members are trained with cross-entropy on four fifths of the training clips. The settings with
/// the best rank of the label of the other clips win; this needs single labels only. With them,
/// networks of folds predict the labels of all training clips (learning/internal/cross_fit.h), in
/// as many rounds as there is time for. A second search finds out how the final network should use
/// these predictions: as targets (the loss cross-fit) or to ignore classes (cross-mask), and with
/// which learning rate and epochs. It compares ranks of the labels of the validation clips, because
/// the predictions for training clips depend on the labels of all other training clips. At last the
/// best network is trained again with the validation clips (learning/internal/refit.h); thresholds
/// and coverage are computed before, on these clips, which have only chosen between a few networks.

struct LearnSettings {
  std::vector<std::string> streams;  ///< of the features; empty: all
  /// Expected labels per clip, for the default threshold of predictions; 0: not given.
  double expected_labels = 0;
  std::vector<int> hidden = {2048};  ///< sizes of the hidden layers
  double minutes = 10;               ///< for all of it
  std::uint64_t seed = 1;
};

/// Settings that the search has tried.
struct Trial {
  RunSettings settings;
  /// Geometric mean, 1 is the best: with the loss ce, of held-out training clips, otherwise of the
  /// validation clips.
  double label_rank = 0;
  double seconds = 0;
};

struct Learned {
  /// In the order in which they were planned: networks of folds, whose loss is ce, then final ones.
  std::vector<Trial> trials;
  std::size_t best = 0;    ///< the network of folds with the best label rank
  std::size_t chosen = 0;  ///< the final network with the best label rank; `best` if none is tried
  bool is_complete = false;  ///< no neighbouring setting is better; otherwise time was up
  double seconds = 0;        ///< of the search
  RunSettings settings;      ///< of the run; train_run() with them gives the same model
  TrainingHistory history;
};

/// A setting of a trial and what was tried around it.
struct Choice {
  struct Alternative {
    std::string value;
    double label_rank;
  };
  std::string setting;                    ///< "learning rate"
  std::string value;                      ///< "0.0008"
  std::vector<Alternative> alternatives;  ///< the trials that differ in this setting only
};
std::vector<Choice> choices(const std::vector<Trial>& trials, std::size_t trial);

/// Searches and trains in a run folder, which is created if necessary, or resumes there. The search
/// is recorded in FOLDER/learn.json. `searched` is called before the run is trained. Throws Error
/// if the folder contains another run or a search with other settings or data, and for too few
/// training clips.
Learned learn_run(const Dataset& dataset, const LearnSettings& settings,
                  const std::filesystem::path& folder,
                  const std::function<void(const Learned& so_far)>& searched = {});

}  // namespace manyverbs
