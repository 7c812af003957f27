// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "manyverbs/dataset/clip.h"

namespace manyverbs {

struct EpochRecord {
  int epoch = 0;  ///< counted from 1
  double train_loss = 0;
  double validation_loss = 0;
  std::vector<double> values;  ///< of the epoch scorer; the first chooses the best epoch
};

/// What a training has done so far.
struct TrainingHistory {
  std::vector<EpochRecord> epochs;
  int best_epoch = 0;                ///< the first with the highest first value; 0 before any
  bool finished = false;             ///< after all epochs, or earlier because patience ended
  bool out_of_patience = false;      ///< finished before all epochs
  std::vector<ClipProblem> skipped;  ///< clips that could not be read in the middle of it; they
                                     ///< teach nothing from then on
};

}  // namespace manyverbs
