// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "manyverbs/learning/internal/trainer.h"

namespace manyverbs {

/// Cross-fitting: estimates from the labels of other clips which further labels apply to a clip.
///
/// If people choose one of the labels that apply, cross-entropy estimates the share of each label:
/// a clip that half of the people would call "peel" and half "cut" has the shares 0.5 and 0.5. But
/// a network also learns the labels of its own training clips by heart. So the training clips are
/// divided into folds, and the shares of each fold are predicted by a network that was trained on
/// the other folds. They become soft targets of the final network (the loss cross-fit), or tell it
/// which classes to ignore (cross-mask).

/// The predicted shares of the training clips, one row per clip, which sum to 1: the mean over
/// settings.features.cross_fit.rounds divisions into folds. If the settings say refit, those of the
/// validation clips follow: the mean over all networks. Networks are trained with fold_settings(),
/// in parallel; the label likelihood of the held-out fold selects the epoch. The result is written
/// to FOLDER/cross_fit.npy, and read from there by a later call. FOLDER/cross_fit has the finished
/// and the interrupted networks until then.
Matrix<float> cross_fit(const TrainingData& data, const RunSettings& settings,
                        const std::filesystem::path& folder);

/// Throws Error if there are too few training clips for the folds, as the other functions do.
void require_enough_clips(std::size_t training_clips, const RunSettings& settings);

/// Predictions for clips that a network was not trained on.
struct HeldOut {
  Matrix<float> probabilities;  ///< one row per clip
  LabelMatrix labels;
};
/// The predictions of networks with these settings for the first held-out fold, or for all folds of
/// the first round if there are few training clips. The data must have the targets of the loss.
/// Networks are trained in FOLDER, which is removed at the end; an interrupted call resumes.
HeldOut predict_held_out(const TrainingData& data, RunSettings settings,
                         const std::filesystem::path& folder);
/// The number of these folds.
int held_out_folds(const TrainingData& data, const RunSettings& settings);

/// The settings of the networks of folds: those of the run, with the loss ce, and the learning rate
/// and epochs for folds if these are given.
RunSettings fold_settings(const RunSettings& settings);

/// Soft targets: weight * label + (1 - weight) * shares, one row for each row of the labels.
/// Several labels of a clip share the weight evenly.
Matrix<float> with_labels(const Matrix<float>& shares, const LabelMatrix& labels, double weight);
/// Targets with Unknown for the classes that are not the label and have a share above `least`.
/// Shares {0.9, 0.06, 0.04}, label 0, least 0.05: {Present, Unknown, Absent}. A clip with several
/// labels has all that apply, so nothing of it is Unknown.
LabelMatrix without_likely(const Matrix<float>& shares, const LabelMatrix& labels, double least);
/// Sets the targets of a cross-fitted loss: with_labels() for cross-fit, without_likely() for
/// cross-mask.
void set_cross_fitted(const Matrix<float>& shares, const RunSettings& settings, TrainingData* data);

}  // namespace manyverbs
