// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "manyverbs/features/stream.h"
#include "manyverbs/knn/neighbours.h"
#include "manyverbs/learning/losses.h"

namespace manyverbs {

/// The settings of a run: what `train` and `finetune` take and run.json stores. Keys, options,
/// ranges and help texts are in the table of learning/internal/setting_table.cpp; the defaults are
/// here.

/// What a run learns from.
enum class RunKind {
  Features,  ///< rows of feature files: an MLP with Adam, made by `train`
  Clips,     ///< the frames of clips: a backbone with SGD, made by `finetune`
};
/// "features" and "clips".
std::string_view run_kind_name(RunKind kind);

/// How the best epoch is chosen.
enum class Protocol {
  Clean,  ///< on val; without val, on a tenth of train that is held out
  Paper,  ///< on val; without val, on test, as the paper does for HMDB
};
std::string_view protocol_name(Protocol protocol);

std::string_view recipe_name(Recipe recipe);
/// Throws Error with the nearest spelling.
Recipe find_recipe(std::string_view name);

/// How the learning rate of a run on clips changes from epoch to epoch.
enum class Schedule {
  Plateau,  ///< a tenth after ten epochs without a better validation loss, as the released code
            ///< does
  Cosine,   ///< from the full rate in the first epoch along half a cosine to nearly 0 in the last
};
std::string_view schedule_name(Schedule schedule);

/// Of a run on features.
struct FeatureRunSettings {
  std::vector<std::string> streams;  ///< feature files, in the order they are joined; empty: all
  std::vector<int> hidden = {1024, 1024};
  std::string pseudo_labels = "default";  ///< a name under DATASET/pseudo_labels, or a CSV file
};

/// How pseudo-labels are found while a backbone learns; the paper's values.
struct RefreshSettings {
  int every = 5;    ///< epochs
  int warm_up = 0;  ///< epochs before the first; until then no class is suggested
  int k = 10;
  double tau = 0.2;
  Metric metric = Metric::Euclidean;
};

/// Of a run on clips.
struct ClipRunSettings {
  Stream stream = Stream::Rgb;
  std::filesystem::path weights;  ///< of the network to start from; empty: random
  std::string backbone;           ///< "resnet50"; empty: that of the weights, else resnet50
  int width = 64;                 ///< channels of the first convolution, with random weights
  int segments = 0;               ///< frames per clip; 0: as the weights say, else 8
  int size = 224;                 ///< pixels each way that the network sees
  bool mirror = true;             ///< show half of the clips mirrored
  double dropout = 0.5;           ///< share of the features that a step leaves out
  bool partial_batch_norm = false;
  double momentum = 0.9;
  double weight_decay = 5e-4;
  Schedule schedule = Schedule::Plateau;
  RefreshSettings refresh;
};

struct RunSettings {
  RunKind kind = RunKind::Features;
  std::string loss = "an";
  LossSettings loss_settings;
  Recipe recipe = Recipe::Paper;
  Protocol protocol = Protocol::Clean;
  double learning_rate = 5e-6;
  int batch = 64;                  ///< clips per step
  int epochs = 1000;               ///< at most
  int patience = 20;               ///< epochs without a better one before the end
  std::uint64_t seed = 1;          ///< of random weights, order, held-out clips, views and dropout
  double checkpoint_seconds = 20;  ///< between checkpoints, which are taken at the end of epochs

  FeatureRunSettings features;  ///< used when kind is Features
  ClipRunSettings clips;        ///< used when kind is Clips
};

/// The defaults of `train` (a RunSettings as it is) or of `finetune`: cross-entropy, 100 epochs of
/// batches of 16 at a learning rate of 1.28e-3, that of the released code.
RunSettings default_settings(RunKind kind);

/// What turns the model's scores into probabilities: that of the loss, but the released code takes
/// the sigmoid for every loss.
Activation activation_of(const RunSettings& settings);

}  // namespace manyverbs
