// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "manyverbs/learning/internal/trainer.h"

namespace manyverbs {

/// Refitting: after the validation clips have told how many epochs are good, the network is trained
/// once more, from the start, on training and validation clips together, with the same learning
/// rates.
///
/// The probabilities of the validation clips that the run stores, for thresholds and coverage, stay
/// those of the first network, which was not trained on these clips.

/// The number of epochs: up to the last one whose first value is at least 99 % of the best. Such a
/// difference is less than chance on 1,000 clips, and later epochs have lower learning rates, so
/// their networks vary less. Values 0.4, 0.5, 0.49, 0.495, 0.48: 4.
int refit_epochs(const TrainingHistory& history);

/// Training and validation clips as training clips, with the targets of the loss. `shares` are
/// those of cross_fit() for all of these clips; empty for other losses. A validation clip with
/// several labels has all that apply: cross-mask ignores no class of it, and cross-entropy shares
/// its target evenly.
TrainingData refit_data(const TrainingData& data, const Matrix<float>& shares,
                        const RunSettings& settings);

/// The key in the metadata of model.safetensors with the number of epochs of the second training.
inline constexpr const char* kRefitted = "refitted";

/// Replaces the network in FOLDER/model.safetensors, of a finished training on `data` without the
/// targets of a cross-fitted loss, unless that was done before with as many epochs. An interrupted
/// call resumes in FOLDER/refit, which is removed at the end.
void refit(const TrainingData& data, const Matrix<float>& shares, const RunSettings& settings,
           const TrainingHistory& history, const std::filesystem::path& folder);

}  // namespace manyverbs
