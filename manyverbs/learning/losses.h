// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "manyverbs/labels/targets.h"

namespace manyverbs {

/// Losses for clips with a single label, although several labels may apply.
///
/// They differ in what they assume about unchecked classes. Each computes the mean loss over clips
/// and its gradient from raw scores z, N clips x C classes; p = sigmoid(z). Every loss ignores
/// Unknown classes. The examples are one clip with scores {0, 0, 0} whose first class is Present,
/// so that log p = log(1 - p) = -log 2.
///
///   Matrix<float> gradient(1, 3);
///   find_loss("an").compute({scores, targets, settings}, &gradient);  // log 2
///
/// In this example, in the first epoch, summed (Recipe::Released), with the default settings:
///   asl   0.5 log 2 - 2 * 0.45^4 log 0.55 = 0.3956
///   hill  -0.7311^2 log 0.2689 + 2 * (1.5 - 0.5) / 4 = 1.2019, where 0.2689 = sigmoid(0 - 1)
///   splc  -0.7311^2 log 0.2689 + 2 * 0.25 log 2 = 1.0484
///   ll-r, ll-ct, ll-cp  as an: 3 log 2 = 2.0794
///   em-apl  as em: (1 - 2 * 0.2) log 2 = 0.4159
///   gr    log 2 + 2 V (K (1 - 0.5^0.01) / 0.01 + (1 - K) 0.5) = 1.7386, K = sigmoid(-2), V = 1
///   epr, role  log 2 + (1.5 - k)^2 / 3 = 0.6931 for k = 1.5 expected labels

/// The rules of training where the paper and its released code differ.
enum class Recipe {
  Paper,     ///< mean over the classes that are not ignored; smoothing as in the paper
  Released,  ///< sum over classes (focal: mean); smoothing divided by C
};

/// The numbers of the losses; defaults of their authors. Where these differ between data sets, the
/// default is that for Pascal VOC; for large_loss_rate they give only the range from 0.1 to 0.5.
struct LossSettings {
  double smoothing = 0.1;          ///< epsilon of ls and n-ls
  double focal_balance = 0.25;     ///< alpha of focal
  double focal_focus = 2.0;        ///< gamma of focal, hill and splc; at least 1
  double entropy_weight = 0.2;     ///< alpha of em and em-apl
  double asl_focus_present = 1.0;  ///< gamma+ of asl
  double asl_focus_absent = 4.0;   ///< gamma- of asl
  double asl_clip = 0.05;          ///< m of asl: subtracted from the probability of absent classes
  double margin = 1.0;             ///< m of hill and splc: subtracted from scores of own labels
  double hill_lambda = 1.5;        ///< at 1.5 an absent class with p near 1 has no gradient
  double splc_threshold = 0.6;     ///< tau of splc
  int splc_warm_up = 1;            ///< epochs before splc corrects labels
  double large_loss_rate = 0.2;    ///< percent of all targets, per epoch for ll-r and ll-ct
  double apl_weight = 0.02;        ///< beta of em-apl
  double apl_share = 0.9;          ///< theta of em-apl
  int apl_warm_up = 5;             ///< epochs before the first soft labels of em-apl
  double gr_slope_start = 0.0;     ///< w of gr in the first epoch; linear until the last
  double gr_slope_end = 2.0;
  double gr_offset_start = -2.0;  ///< b of gr
  double gr_offset_end = -2.0;
  double gr_mean_start = 0.5;  ///< mu of gr
  double gr_mean_end = 0.8;
  double gr_spread_start = 2.0;  ///< sigma of gr
  double gr_spread_end = 0.5;
  double gr_q_present = 0.01;  ///< q2 of gr
  double gr_q_absent = 1.0;    ///< q3 of gr
  double expected_labels = 0;  ///< k of epr and role: labels per clip; 0: not given
};

/// What a loss is computed from.
struct LossInput {
  const Matrix<float>& scores;  ///< raw scores z, one row per clip
  const LabelMatrix& targets;   ///< of the same shape
  const LossSettings& settings;
  Recipe recipe = Recipe::Paper;
  /// The current epoch, from 1. The validation loss is always that of epoch 1, so that epochs can
  /// be compared.
  int epoch = 1;
  int epochs = 1;  ///< the planned maximum; early stopping may end the training before
};

class LossMemory;
struct RunSettings;

/// Converts scores to probabilities.
enum class Activation {
  Sigmoid,  ///< each class by itself
  Softmax,  ///< shares, which sum to 1
  /// Sigmoids divided by a power of their sum, 3/4, so between sigmoids and shares. Sigmoids are
  /// too low on some clips and too high on others; shares of different clips cannot be compared.
  SharedSigmoid,
};

/// A row of the table of losses, which `train --help`, the documentation and the tests use.
struct Loss {
  std::string_view name;     ///< value of --loss: "p+s"
  std::string_view title;    ///< in tables: "P+S"
  std::string_view summary;  ///< one line, no full stop
  /// The target of pseudo-labels; Absent if the loss does not use them.
  Label suggested;
  Activation activation;
  /// Whether `released` sums over classes and `paper` averages; false for focal and ce, which
  /// average with both.
  bool summed;
  /// The mean loss over clips. `gradient`, of the shape of the scores, receives the gradient.
  double (*compute)(const LossInput& input, Matrix<float>* gradient);
  /// For a loss that stores something for each training clip: training uses this object, which has
  /// one row per row of `targets`, instead of `compute`. Both arguments must exist as long as it.
  /// Otherwise null.
  std::unique_ptr<LossMemory> (*memory)(const LabelMatrix& targets,
                                        const RunSettings& settings) = nullptr;
  bool uses_epochs = false;           ///< whether it depends on the planned number of epochs
  bool uses_expected_labels = false;  ///< whether LossSettings::expected_labels is required
  /// Whether networks trained on other clips give the targets (learning/internal/cross_fit.h).
  bool cross_fitted = false;

  /// Whether it needs the pseudo-labels of neighbours.
  bool uses_pseudo_labels() const { return suggested != Label::Absent && !cross_fitted; }

  /// Whether its targets can be distributions over classes, which mixup and cross-fitting need.
  bool takes_shares() const {
    return activation == Activation::Softmax && suggested == Label::Absent;
  }
  /// Whether a run can be trained again with its validation clips, which have no pseudo-labels.
  bool can_refit() const { return takes_shares() || cross_fitted; }
  /// Whether LossSettings::expected_labels, if given, sets the default threshold of predictions.
  /// The sum of the classes limits these, so that 0.5 means nothing.
  bool has_expected_threshold() const {
    return takes_shares() || activation == Activation::SharedSigmoid;
  }
};
std::span<const Loss> all_losses();

/// The factor for the gradient of a loss in SGD. The default learning rate is that of the released
/// code, which sums over classes: the factor is the number of classes C if the recipe averages
/// where the released code sums, otherwise 1. Then an AN step is the same with both recipes; a clip
/// of Mask with n ignored classes has C / (C - n) times the weight. Example: with 102 classes and
/// the recipe of the paper, 102 for an, 1 for focal and ce.
double gradient_scale(const Loss& loss, Recipe recipe, int classes);

/// Throws Error with a suggestion, "unknown loss 'maks', did you mean 'mask'?", or with all names.
const Loss& find_loss(std::string_view name);

}  // namespace manyverbs
