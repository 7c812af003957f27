// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "manyverbs/features/extraction.h"
#include "manyverbs/knn/neighbours.h"
#include "manyverbs/learning/internal/course.h"
#include "manyverbs/learning/internal/schedule.h"
#include "manyverbs/learning/internal/sgd.h"

namespace manyverbs {

/// Trains a backbone with its classifier, from the frames of clips to scores: with cross-entropy,
/// to get features worth having, or end to end with any other loss. Where the loss asks for
/// pseudo-labels, they come from the features that the network has at that moment, and are made
/// anew every few epochs.
///
/// The same seed, threads and data give the same bits. A run that was interrupted (interruption.h)
/// resumes at the step where it stopped, one that was killed from its last checkpoint; either ends
/// with the bits it would have had.

/// How pseudo-labels are found while the backbone learns; the paper's values.
struct RefreshSettings {
  int every = 5;    ///< epochs
  int warm_up = 0;  ///< epochs before the first; until then no class is suggested
  int k = 10;
  double tau = 0.2;
  Metric metric = Metric::Euclidean;
};

struct FinetuneSettings {
  std::string loss = "ce";
  LossSettings loss_settings;
  BackboneSettings backbone;  ///< where to start; its classes and seed are not looked at
  int size = 224;             ///< pixels each way that the network sees
  bool mirror = true;         ///< see half of the clips mirrored
  TsmTraining regularisation;
  double learning_rate = 1.28e-3;  ///< the released code's; gradients are scaled to go with it
  SgdSettings sgd;
  Schedule schedule = Schedule::Plateau;
  int batch = 16;     ///< clips a step
  int epochs = 100;   ///< at most
  int patience = 20;  ///< epochs without a better one before the end
  RefreshSettings refresh;
  std::uint64_t seed = 1;  ///< of the weights that start at random, of order, views and dropout
  double checkpoint_seconds = 60;
};

/// What turns the network's scores into probabilities.
Activation activation_of(const FinetuneSettings& settings);

/// How a network sees clips: as training and test views of `settings`, with the normalisation that
/// its weights ask for.
ClipSettings clip_settings(const FinetuneSettings& settings, const PreparedBackbone& backbone);
/// The network to start from, with a classifier for so many classes.
PreparedBackbone starting_backbone(const FinetuneSettings& settings, int classes);

/// What to learn from and what to choose the epoch by, as rows of the data set's clips; all of them
/// can be read from the source.
struct FinetuneData {
  const Dataset* dataset;
  const ClipSource* source;
  std::vector<int> clips;
  std::vector<int> validation_clips;
  LabelMatrix validation_targets;
};

/// Trains in a folder that is there; writes what a Course writes, and the pseudo-labels of each
/// refresh as pseudo_labels/epoch-N.csv, N being the number of epochs before it. model.safetensors
/// is a checkpoint that read_checkpoint knows. Returns at once when the folder holds a finished
/// training. Throws Error when a loss stops being a number or a clip cannot be read.
TrainingHistory finetune(const FinetuneData& data, const FinetuneSettings& settings,
                         PreparedBackbone start, const Judge& judge,
                         const std::filesystem::path& folder);

}  // namespace manyverbs
