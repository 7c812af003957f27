// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "manyverbs/learning/losses.h"

namespace manyverbs {

/// What a loss stores for each training clip and class: corrected labels (ll-cp), soft labels
/// (em-apl) or trained label estimates (role). It belongs to a training, which stores it in
/// checkpoints; a resumed training continues with the same bits.
class LossMemory {
 public:
  virtual ~LossMemory() = default;

  /// Whether begin_epoch() must be called before this epoch, from 1, with the scores of all
  /// training clips. False again afterwards, so that a resumed epoch does not repeat it.
  virtual bool needs_scores(int /*epoch*/) const { return false; }
  virtual void begin_epoch(int /*epoch*/, const Matrix<float>& /*scores*/) {}

  /// The loss of a training batch, as Loss::compute, and one step of the memory. `clips` are the
  /// positions of its rows among the training clips.
  virtual double compute(const LossInput& input, std::span<const int> clips,
                         Matrix<float>* gradient) = 0;

  /// All that it stores, by name, for checkpoints. Resuming overwrites the values.
  virtual std::vector<std::pair<std::string, Matrix<float>*>> state() = 0;
};

}  // namespace manyverbs
