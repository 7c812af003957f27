// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "manyverbs/features/stream.h"
#include "manyverbs/knn/neighbours.h"
#include "manyverbs/learning/losses.h"

namespace manyverbs {

/// The settings of a run, which `train` and `finetune` take as options and run.json stores. Keys,
/// options, ranges and help texts are in learning/internal/setting_table.cpp, the defaults here.

/// What a run is trained on.
enum class RunKind {
  Features,  ///< feature files: an MLP trained with Adam, by `train`
  Clips,     ///< frames of clips: a backbone trained with SGD, by `finetune`
};
/// "features" and "clips".
std::string_view run_kind_name(RunKind kind);

/// What selects the best epoch.
enum class Protocol {
  Clean,  ///< the rank of the labels of val clips; without val, of a held-out tenth of train
  Paper,  ///< top-1 accuracy on val; without val, on test, as in the paper for HMDB
};
std::string_view protocol_name(Protocol protocol);

std::string_view recipe_name(Recipe recipe);
/// Throws Error with a suggestion for unknown names.
Recipe find_recipe(std::string_view name);

/// The learning rate schedule.
enum class Schedule {
  Constant,
  Plateau,  ///< divided by 10 after ten epochs without a better validation loss, as in the
            ///< released code
  Cosine,   ///< half a cosine from the full rate in the first epoch to nearly 0 in the last
};
std::string_view schedule_name(Schedule schedule);

/// Of the losses cross-fit and cross-mask.
struct CrossFitSettings {
  int folds = 5;              ///< parts of the training clips; each is predicted from the others
  int rounds = 2;             ///< with other folds; predictions are averaged
  double label_weight = 0.3;  ///< cross-fit: of the own label in the targets
  double least_share = 0.03;  ///< cross-mask: ignores classes with a higher predicted share
  /// Of the networks of folds, which are trained with cross-entropy and need a lower rate and fewer
  /// epochs than cross-mask; 0: those of the run
  double fold_learning_rate = 0;
  int fold_epochs = 0;
};

/// Of a run on features.
struct FeatureRunSettings {
  std::vector<std::string> streams;  ///< in the order of concatenation; empty: all
  std::vector<int> hidden = {1024, 1024};
  int members = 1;  ///< networks that the hidden units are divided into (learning/internal/mlp.h)
  std::string pseudo_labels = "default";  ///< a name in DATASET/pseudo_labels, or a CSV file
  double mixup = 0;                       ///< alpha of mixup, for ce, cross-fit and folds; 0: none
  CrossFitSettings cross_fit;
  bool refit = false;  ///< train again with the validation clips (learning/internal/refit.h)
};

/// How pseudo-labels are made during the training of a backbone; defaults of the paper.
struct RefreshSettings {
  int every = 5;    ///< epochs
  int warm_up = 0;  ///< epochs before the first pseudo-labels
  int k = 10;
  double tau = 0.2;
  Metric metric = Metric::Euclidean;
};

/// Of a run on clips.
struct ClipRunSettings {
  Stream stream = Stream::Rgb;
  std::filesystem::path weights;  ///< initial weights; empty: random
  std::string backbone;           ///< "resnet50"; empty: that of the weights, or resnet50
  int width = 64;                 ///< channels of the first convolution, with random weights
  int segments = 0;               ///< frames per clip; 0: that of the weights, or 8
  int size = 224;                 ///< input size in pixels
  bool mirror = true;             ///< mirror with probability 1/2
  bool partial_batch_norm = false;
  int gpus = 1;  ///< of the released training, which determine its learning rate
  double momentum = 0.9;
  double weight_decay = 5e-4;
  /// A name in DATASET/pseudo_labels, or a CSV file; empty: made during the training.
  std::string pseudo_labels;
  RefreshSettings refresh;
};

struct RunSettings {
  RunKind kind = RunKind::Features;
  std::string loss = "an";
  LossSettings loss_settings;
  Recipe recipe = Recipe::Paper;
  Protocol protocol = Protocol::Clean;
  double learning_rate = 5e-6;
  Schedule schedule = Schedule::Constant;
  double dropout = 0;  ///< probability that a hidden unit, or a feature of a backbone, is dropped
  int batch = 64;      ///< clips per step
  int epochs = 1000;   ///< maximum
  int patience = 20;   ///< stop after this number of epochs without improvement
  std::uint64_t seed = 1;  ///< of initial weights, order, held-out clips, views and dropout
  double checkpoint_seconds =
      20;  ///< minimum time between checkpoints, which are written after epochs

  FeatureRunSettings features;  ///< if kind is Features
  ClipRunSettings clips;        ///< if kind is Clips
};

/// The defaults of `train` (those above) or of `finetune`: cross-entropy, 100 epochs, batches of
/// 16, dropout 0.5, and a learning rate of 1.28e-3 until a plateau, as in the released code.
RunSettings default_settings(RunKind kind);

/// The learning rate of the released code for backbones: min(5e-6 x batch x gpus^2, 1.28e-3), with
/// `batch` clips on each GPU. Batches of 16: 8e-5 on one GPU, 1.28e-3 on four or more.
double released_learning_rate(int batch, int gpus);

/// With the recipe of the released code, replaces the settings whose keys are not in `given` by its
/// defaults: at most 500 epochs on features if there are val clips, as for EPIC-Kitchens, otherwise
/// 1000; for backbones released_learning_rate(), K 15 and tau 0.1, and on flow a dropout rate of
/// 0.7 and partial batch norm. With the recipe of the paper nothing changes.
void apply_recipe(RunSettings* settings, const std::set<std::string>& given, bool has_val);

/// The activation of the loss; with the released recipe, sigmoid for all losses.
Activation activation_of(const RunSettings& settings);

}  // namespace manyverbs
