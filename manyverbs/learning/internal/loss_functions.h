// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "manyverbs/learning/losses.h"

namespace manyverbs::learning_internal {

/// The functions in the table of losses, by source file.

/// paper_losses.cpp: the losses in the tables of the paper. Mask and P+S are Assume Negative with
/// other targets.
double assume_negative(const LossInput& input, Matrix<float>* gradient);
double weak_assume_negative(const LossInput& input, Matrix<float>* gradient);
double label_smoothing(const LossInput& input, Matrix<float>* gradient);
double negative_label_smoothing(const LossInput& input, Matrix<float>* gradient);
double focal(const LossInput& input, Matrix<float>* gradient);
double entropy_maximisation(const LossInput& input, Matrix<float>* gradient);

/// softmax_losses.cpp
double cross_entropy(const LossInput& input, Matrix<float>* gradient);
/// The same with a target distribution for each clip: its values are at least 0 and sum to 1.
/// Scores {0, 0} and shares {0.75, 0.25}: log 2, gradient {-0.25, 0.25}.
double cross_entropy_of_shares(const Matrix<float>& scores, const Matrix<float>& shares,
                               Matrix<float>* gradient);

/// later_losses.cpp: losses that need only scores, targets and the epoch.
double asymmetric(const LossInput& input, Matrix<float>* gradient);
double hill(const LossInput& input, Matrix<float>* gradient);
double self_paced_correction(const LossInput& input, Matrix<float>* gradient);
double generalised_robust(const LossInput& input, Matrix<float>* gradient);

/// large_loss.cpp: Assume Negative that rejects or corrects the largest losses of a batch.
double reject_large_losses(const LossInput& input, Matrix<float>* gradient);
double correct_large_losses(const LossInput& input, Matrix<float>* gradient);
/// Without memory, corrections are for one batch.
double correct_permanently(const LossInput& input, Matrix<float>* gradient);
std::unique_ptr<LossMemory> corrected_labels(const LabelMatrix& targets,
                                             const RunSettings& settings);

/// soft_labels.cpp: asymmetric pseudo-labelling. Without memory, it is Entropy Maximisation.
std::unique_ptr<LossMemory> soft_labels(const LabelMatrix& targets, const RunSettings& settings);

/// expected_labels.cpp: losses with the expected number of labels. Without memory, ROLE is EPR.
double expected_positive_regularisation(const LossInput& input, Matrix<float>* gradient);
std::unique_ptr<LossMemory> estimated_labels(const LabelMatrix& targets,
                                             const RunSettings& settings);

}  // namespace manyverbs::learning_internal
