// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "manyverbs/dataset/clip.h"

namespace manyverbs {

struct EpochRecord {
  int epoch = 0;  ///< counted from 1
  double train_loss = 0;
  double validation_loss = 0;
  std::vector<double> values;  ///< of the epoch scorer; the first selects the best epoch
};

/// The epochs of a training so far.
struct TrainingHistory {
  std::vector<EpochRecord> epochs;
  int best_epoch = 0;     ///< the first one with the highest first value; 0 before the first epoch
  bool finished = false;  ///< after all epochs, or stopped early
  bool out_of_patience = false;      ///< stopped early
  std::vector<ClipProblem> skipped;  ///< clips that became unreadable during training and are
                                     ///< ignored from then on
};

}  // namespace manyverbs
