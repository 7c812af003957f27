// SPDX-License-Identifier: MIT
#include "manyverbs/learning/internal/cross_fit.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "manyverbs/dataset/array_file.h"
#include "manyverbs/learning/internal/batch.h"
#include "manyverbs/learning/internal/run.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/interruption.h"
#include "manyverbs/support/internal/parallel.h"
#include "manyverbs/support/internal/progress.h"
#include "manyverbs/support/internal/random.h"

namespace manyverbs {
namespace {

// The random sequences of a seed for folds and for the networks of folds; those of dropout
// (dropout.h) have other lower halves.
constexpr std::uint64_t kFoldSequence = 0x80000000;

// One network: a fold of a round.
struct Fold {
  std::string name;  // "round2-fold5"
  std::uint64_t seed;
  std::vector<int> training;  // positions among the training clips
  std::vector<int> held_out;
};

std::vector<Fold> all_folds(std::size_t clips, const RunSettings& settings) {
  const CrossFitSettings& cross_fit = settings.features.cross_fit;
  std::vector<Fold> folds;
  for (int round = 0; round < cross_fit.rounds; ++round) {
    Random random(settings.seed, kFoldSequence + round);
    std::vector<int> order(clips);
    std::iota(order.begin(), order.end(), 0);
    random.shuffle(std::span(order));
    for (int number = 0; number < cross_fit.folds; ++number) {
      Fold fold{fmt::format("round{}-fold{}", round + 1, number + 1), random.bits(), {}, {}};
      for (std::size_t i = 0; i < clips; ++i) {
        const bool held_out = static_cast<int>(i % cross_fit.folds) == number;
        (held_out ? fold.held_out : fold.training).push_back(order[i]);
      }
      std::sort(fold.training.begin(), fold.training.end());
      std::sort(fold.held_out.begin(), fold.held_out.end());
      folds.push_back(std::move(fold));
    }
  }
  return folds;
}

// The labels of the given clips.
LabelMatrix labels_of(const LabelMatrix& targets, std::span<const int> clips) {
  LabelMatrix labels = target_rows(targets, clips);
  for (std::size_t i = 0; i < labels.rows(); ++i) {
    std::ranges::replace(labels.row(i), Label::Unknown, Label::Absent);
  }
  return labels;
}

// The validation clips are the held-out ones, then those of the data if these are to be predicted.
TrainingData fold_data(const TrainingData& data, const Fold& fold, bool with_validation) {
  TrainingData part;
  part.features = data.features;
  for (const int i : fold.training) part.clips.push_back(data.clips[i]);
  part.targets = target_rows(data.targets, fold.training);
  if (data.shares.rows() > 0) {
    part.shares = Matrix<float>(fold.training.size(), data.shares.columns());
    for (std::size_t i = 0; i < fold.training.size(); ++i) {
      std::ranges::copy(data.shares.row(fold.training[i]), part.shares.row(i).begin());
    }
  }
  for (const int i : fold.held_out) part.validation_clips.push_back(data.clips[i]);
  part.validation_targets = labels_of(data.targets, fold.held_out);
  if (with_validation) {
    part.validation_clips.insert(part.validation_clips.end(), data.validation_clips.begin(),
                                 data.validation_clips.end());
    part.validation_targets = stacked(part.validation_targets, data.validation_targets);
  }
  return part;
}

// The mean log probability of the labels of the first clips, where those of a clip are divided by
// their sum.
EpochScorer likelihood_scorer(const LabelMatrix& labels) {
  return {{"log_likelihood"}, [&labels](const Matrix<float>& probabilities) {
            constexpr double kLeast = 1e-30;
            double sum = 0;
            for (std::size_t i = 0; i < labels.rows(); ++i) {
              const auto row = labels.row(i);
              const auto label = std::ranges::find(row, Label::Present) - row.begin();
              const auto all = probabilities.row(i);
              const double total = std::accumulate(all.begin(), all.end(), 0.0);
              sum += std::log(total > 0 ? std::max(all[label] / total, kLeast) : kLeast);
            }
            return std::vector{sum / static_cast<double>(labels.rows())};
          }};
}

// Trains the network of a fold in FOLDER/NAME and replaces it by its predictions, FOLDER/NAME.npy.
void predict_fold(const TrainingData& data, RunSettings settings, const Fold& fold,
                  const std::filesystem::path& folder) {
  const std::filesystem::path predictions = folder / (fold.name + ".npy");
  if (std::filesystem::exists(predictions)) return;
  settings.seed = fold.seed;
  const TrainingData part = fold_data(data, fold, settings.features.refit);
  const std::filesystem::path training = folder / fold.name;
  std::filesystem::create_directories(training);
  const LabelMatrix held_out = labels_of(data.targets, fold.held_out);
  train(part, settings, likelihood_scorer(held_out), training);
  write_array(predictions, validation_clips(training).probabilities);
  std::filesystem::remove_all(training);
}

void predict_folds(const TrainingData& data, const RunSettings& settings,
                   const std::vector<Fold>& folds, const std::filesystem::path& folder) {
  Progress progress("cross-fitting", static_cast<std::int64_t>(folds.size()));
  try {
    side_by_side(folds.size(), num_threads(), [&](std::size_t i) {
      const Progress::Step step(&progress);
      predict_fold(data, settings, folds[i], folder);
    });
  } catch (const Interrupted&) {
    throw Interrupted("the networks of the folds are saved");
  }
}

}  // namespace

// Batch norm needs two clips, and the smallest training part is that of two folds.
void require_enough_clips(std::size_t training_clips, const RunSettings& settings) {
  const int folds = settings.features.cross_fit.folds;
  const auto least = static_cast<std::size_t>(std::max(folds, 4));
  if (training_clips >= least) return;
  throw Error("cross-fitting with {} folds requires at least {} training clips, found {}", folds,
              least, training_clips);
}

Matrix<float> cross_fit(const TrainingData& data, const RunSettings& settings,
                        const std::filesystem::path& folder) {
  const std::filesystem::path result = folder / "cross_fit.npy";
  const std::filesystem::path parts = folder / "cross_fit";
  const std::size_t validation = settings.features.refit ? data.validation_clips.size() : 0;
  const std::size_t clips = data.clips.size() + validation;
  if (std::filesystem::exists(result)) {
    Matrix<float> shares = read_float_array(result);
    if (shares.rows() != clips || shares.columns() != data.targets.columns()) {
      throw Error("{}: expected {} x {} values, found {} x {}; remove it", result.string(), clips,
                  data.targets.columns(), shares.rows(), shares.columns());
    }
    std::filesystem::remove_all(parts);  // of a crash
    return shares;
  }
  const CrossFitSettings& cross_fit = settings.features.cross_fit;
  require_enough_clips(data.clips.size(), settings);
  const std::vector<Fold> folds = all_folds(data.clips.size(), settings);
  std::filesystem::create_directories(parts);
  predict_folds(data, fold_settings(settings), folds, parts);
  Matrix<float> shares(clips, data.targets.columns());
  const auto add = [&](std::span<const float> predicted, std::size_t clip, std::size_t of) {
    for (std::size_t c = 0; c < predicted.size(); ++c) {
      shares(clip, c) += predicted[c] / static_cast<float>(of);
    }
  };
  for (const Fold& fold : folds) {
    const Matrix<float> predicted = read_float_array(parts / (fold.name + ".npy"));
    const std::size_t held_out = fold.held_out.size();
    for (std::size_t i = 0; i < held_out; ++i) {
      add(predicted.row(i), fold.held_out[i], cross_fit.rounds);
    }
    for (std::size_t i = 0; i < validation; ++i) {
      add(predicted.row(held_out + i), data.clips.size() + i, folds.size());
    }
  }
  write_array(result, shares);
  std::filesystem::remove_all(parts);
  return shares;
}

int held_out_folds(const TrainingData& data, const RunSettings& settings) {
  constexpr std::size_t kFewClips = 3000;
  return data.clips.size() < kFewClips ? settings.features.cross_fit.folds : 1;
}

HeldOut predict_held_out(const TrainingData& data, RunSettings settings,
                         const std::filesystem::path& folder) {
  require_enough_clips(data.clips.size(), settings);
  settings.features.refit = false;  // predicts nothing but the held-out clips
  std::vector<Fold> folds = all_folds(data.clips.size(), settings);
  folds.resize(held_out_folds(data, settings));
  std::filesystem::create_directories(folder);
  std::vector<int> clips;
  std::vector<float> probabilities;
  Progress progress("folds", static_cast<std::int64_t>(folds.size()));
  for (const Fold& fold : folds) {
    const Progress::Step step(&progress);
    predict_fold(data, settings, fold, folder);
    const Matrix<float> predicted = read_float_array(folder / (fold.name + ".npy"));
    probabilities.insert(probabilities.end(), predicted.values().begin(), predicted.values().end());
    clips.insert(clips.end(), fold.held_out.begin(), fold.held_out.end());
  }
  std::filesystem::remove_all(folder);
  return {{clips.size(), data.targets.columns(), std::move(probabilities)},
          labels_of(data.targets, clips)};
}

RunSettings fold_settings(const RunSettings& settings) {
  RunSettings folds = settings;
  folds.loss = "ce";
  folds.recipe = Recipe::Paper;
  const CrossFitSettings& cross_fit = settings.features.cross_fit;
  if (cross_fit.fold_learning_rate > 0) folds.learning_rate = cross_fit.fold_learning_rate;
  if (cross_fit.fold_epochs > 0) folds.epochs = folds.patience = cross_fit.fold_epochs;
  return folds;
}

Matrix<float> with_labels(const Matrix<float>& shares, const LabelMatrix& labels, double weight) {
  Matrix<float> targets(labels.rows(), labels.columns());
  for (std::size_t i = 0; i < targets.rows(); ++i) {
    const auto present = static_cast<double>(std::ranges::count(labels.row(i), Label::Present));
    for (std::size_t c = 0; c < targets.columns(); ++c) {
      const double label = labels(i, c) == Label::Present ? 1 / present : 0;
      targets(i, c) = static_cast<float>(weight * label + (1 - weight) * shares(i, c));
    }
  }
  return targets;
}

LabelMatrix without_likely(const Matrix<float>& shares, const LabelMatrix& labels, double least) {
  LabelMatrix targets = labels;
  for (std::size_t i = 0; i < targets.rows(); ++i) {
    if (std::ranges::count(labels.row(i), Label::Present) > 1) continue;
    for (std::size_t c = 0; c < targets.columns(); ++c) {
      if (targets(i, c) == Label::Absent && shares(i, c) > least) targets(i, c) = Label::Unknown;
    }
  }
  return targets;
}

void set_cross_fitted(const Matrix<float>& shares, const RunSettings& settings,
                      TrainingData* data) {
  const CrossFitSettings& cross_fit = settings.features.cross_fit;
  if (find_loss(settings.loss).takes_shares()) {
    data->shares = with_labels(shares, data->targets, cross_fit.label_weight);
  } else {
    data->targets = without_likely(shares, data->targets, cross_fit.least_share);
  }
}

}  // namespace manyverbs
