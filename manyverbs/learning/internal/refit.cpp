// SPDX-License-Identifier: MIT
#include "manyverbs/learning/internal/refit.h"

#include <algorithm>

#include "manyverbs/features/internal/safetensors.h"
#include "manyverbs/learning/internal/batch.h"
#include "manyverbs/learning/internal/cross_fit.h"
#include "manyverbs/support/internal/interruption.h"

namespace manyverbs {
namespace {

// No clip is left to compare epochs by.
EpochScorer until(int epoch) {
  return {.names = {"none"},
          .measure = [](const Matrix<float>&) { return std::vector<double>{0}; },
          .last_epoch = epoch};
}

bool is_validation(const std::string& tensor) { return tensor.starts_with("validation."); }

// The weights of one file and the validation clips of the other.
TensorFile combined(TensorFile weights, const TensorFile& validation, const std::string& epochs) {
  std::erase_if(weights.tensors, [](const auto& named) { return is_validation(named.first); });
  for (const auto& named : validation.tensors) {
    if (is_validation(named.first)) weights.tensors.push_back(named);
  }
  weights.metadata = validation.metadata;
  weights.metadata[kRefitted] = epochs;
  return weights;
}

}  // namespace

int refit_epochs(const TrainingHistory& history) {
  constexpr double kGoodShare = 0.99;
  const double best = history.epochs[history.best_epoch - 1].values[0];
  int last = history.best_epoch;
  for (const EpochRecord& epoch : history.epochs) {
    if (epoch.values[0] >= kGoodShare * best) last = std::max(last, epoch.epoch);
  }
  return last;
}

TrainingData refit_data(const TrainingData& data, const Matrix<float>& shares,
                        const RunSettings& settings) {
  TrainingData all = data;
  all.clips.insert(all.clips.end(), data.validation_clips.begin(), data.validation_clips.end());
  all.targets = stacked(data.targets, data.validation_targets);
  if (find_loss(settings.loss).cross_fitted) {
    set_cross_fitted(shares, settings, &all);
  } else if (has_several_labels(data.validation_targets)) {
    const Matrix<float> none(all.clips.size(), all.targets.columns());
    all.shares = with_labels(none, all.targets, 1);
  }
  return all;
}

void refit(const TrainingData& data, const Matrix<float>& shares, const RunSettings& settings,
           const TrainingHistory& history, const std::filesystem::path& folder) {
  const std::filesystem::path model = folder / "model.safetensors";
  const std::filesystem::path second = folder / "refit";
  const TensorFile first = read_tensors(model);
  const int epochs = refit_epochs(history);
  const auto done = first.metadata.find(kRefitted);
  if (done == first.metadata.end() || done->second != std::to_string(epochs)) {
    std::filesystem::create_directories(second);
    try {
      train(refit_data(data, shares, settings), settings, until(epochs), second);
    } catch (const Interrupted& interrupted) {
      throw Interrupted("training with the validation clips: " + interrupted.kept());
    }
    write_tensors(model,
                  combined(read_tensors(second / model.filename()), first, std::to_string(epochs)));
  }
  std::filesystem::remove_all(second);
}

}  // namespace manyverbs
