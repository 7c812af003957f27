// SPDX-License-Identifier: MIT
#include "manyverbs/learning/internal/training_loop.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include <ATen/ATen.h>
#include <fmt/format.h>

#include "manyverbs/features/internal/safetensors.h"
#include "manyverbs/learning/internal/batch.h"
#include "manyverbs/learning/internal/event_file.h"
#include "manyverbs/learning/internal/log_file.h"
#include "manyverbs/learning/internal/loss_memory.h"
#include "manyverbs/learning/internal/mlp.h"
#include "manyverbs/learning/internal/training_record.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/interruption.h"
#include "manyverbs/support/internal/progress.h"
#include "manyverbs/support/internal/random.h"

namespace manyverbs {
namespace {

at::Tensor tensor_of(const Matrix<float>& matrix) {
  at::Tensor tensor = at::empty(
      {static_cast<std::int64_t>(matrix.rows()), static_cast<std::int64_t>(matrix.columns())},
      at::kFloat);
  std::copy_n(matrix.data(), matrix.values().size(), tensor.data_ptr<float>());
  return tensor;
}

// The only label of each row, or -1.
at::Tensor single_labels(const LabelMatrix& targets) {
  at::Tensor labels = at::full({static_cast<std::int64_t>(targets.rows())}, -1, at::kFloat);
  for (std::size_t i = 0; i < targets.rows(); ++i) {
    const std::span<const Label> row = targets.row(i);
    if (std::count(row.begin(), row.end(), Label::Present) != 1) continue;
    const auto label = std::find(row.begin(), row.end(), Label::Present) - row.begin();
    labels.data_ptr<float>()[i] = static_cast<float>(label);
  }
  return labels;
}

// 1 for Present, otherwise 0.
at::Tensor presence(const LabelMatrix& targets) {
  Matrix<float> present(targets.rows(), targets.columns());
  for (std::size_t i = 0; i < targets.rows(); ++i) {
    for (std::size_t c = 0; c < targets.columns(); ++c) {
      present(i, c) = targets(i, c) == Label::Present ? 1 : 0;
    }
  }
  return tensor_of(present);
}

class TrainingLoop {
 public:
  TrainingLoop(Learner& learner, const RunSettings& settings, const EpochScorer& scorer,
               const std::filesystem::path& folder)
      : learner_(learner),
        settings_(settings),
        loss_(find_loss(settings.loss)),
        scorer_(scorer),
        folder_(folder),
        events_(folder),
        batches_(batch_ranges(learner.num_clips(), settings.batch, settings.recipe)),
        last_save_(std::chrono::steady_clock::now()) {}

  TrainingHistory run() {
    resume();
    try {
      run_epochs();
    } catch (const Interrupted&) {
      save();
      throw Interrupted(saved_text());
    }
    history_.skipped = learner_.skipped;
    return history_;
  }

 private:
  int next_epoch() const { return static_cast<int>(history_.epochs.size()) + 1; }
  int last_epoch() const { return scorer_.last_epoch > 0 ? scorer_.last_epoch : settings_.epochs; }
  std::int64_t steps_taken() const {
    return (next_epoch() - 1) * std::ssize(batches_) + partial_.steps;
  }

  void run_epochs() {
    Progress progress(learner_.title(), 0);
    progress.advance(steps_taken());
    while (!history_.finished) {
      // An estimate: assumes that no later epoch is better.
      const int expected = std::min(last_epoch(), history_.best_epoch + settings_.patience);
      progress.expect_at_least(std::ssize(batches_) * expected);
      run_epoch(progress);
      progress.note(note());
      if (is_save_due()) save();
    }
  }

  void run_epoch(Progress& progress) {
    learner_.begin_epoch(history_.epochs, partial_);
    run_steps(progress);
    if (partial_.clips == 0) throw Error("{}: no training clip can be read", folder_.string());
    const double train_loss = partial_.loss_sum / static_cast<double>(partial_.clips);
    const Matrix<float> scores = learner_.validation_scores();
    Matrix<float> unused(scores.rows(), scores.columns());
    // That of the first epoch and without memory, so that epochs can be compared.
    const double validation_loss =
        loss_.compute(loss_input(scores, learner_.validation_targets(), settings_, 1), &unused);
    if (!std::isfinite(train_loss) || !std::isfinite(validation_loss)) {
      throw Diverged("{}: the loss is NaN in epoch {}; try a learning rate below {}",
                     folder_.string(), next_epoch(), settings_.learning_rate);
    }
    const Matrix<float> validation = probabilities(scores, activation_of(settings_));
    add_epoch({next_epoch(), train_loss, validation_loss, scorer_.measure(validation)}, validation);
  }

  // One epoch, or the rest of one. The order of clips depends only on seed and epoch.
  void run_steps(Progress& progress) {
    std::vector<int> order(learner_.num_clips());
    std::iota(order.begin(), order.end(), 0);
    Random(settings_.seed, static_cast<std::uint64_t>(next_epoch())).shuffle(std::span(order));
    const auto batch = [&](std::size_t b) {
      if (b >= batches_.size()) return std::span<const int>();
      return std::span<const int>(order).subspan(batches_[b].first,
                                                 batches_[b].second - batches_[b].first);
    };
    for (std::size_t b = partial_.steps; b < batches_.size(); ++b) {
      stop_if_interrupted();
      const Learner::Step step = learner_.step(batch(b), batch(b + 1));
      partial_.loss_sum += step.loss * static_cast<double>(step.clips);
      partial_.clips += step.clips;
      partial_.random_state = learner_.random_state();
      ++partial_.steps;
      progress.advance();
    }
  }

  void add_epoch(const EpochRecord& record, const Matrix<float>& validation) {
    const bool is_best = history_.epochs.empty() || scorer_.last_epoch > 0 ||
                         record.values[0] > history_.epochs[history_.best_epoch - 1].values[0];
    history_.epochs.push_back(record);
    partial_ = {};
    if (is_best) {
      history_.best_epoch = record.epoch;
      keep_best(validation);
    }
    update_finished();
    std::vector<Scalar> scalars = {{"loss/train", record.train_loss},
                                   {"loss/validation", record.validation_loss}};
    for (std::size_t i = 0; i < scorer_.names.size(); ++i) {
      scalars.push_back({"validation/" + scorer_.names[i], record.values[i]});
    }
    events_.append(record.epoch, scalars);
  }

  void update_finished() {
    const bool all_epochs = std::ssize(history_.epochs) >= last_epoch();
    history_.out_of_patience = !all_epochs && scorer_.last_epoch == 0 &&
                               should_stop(history_.epochs, settings_.patience, settings_.recipe);
    history_.finished = all_epochs || history_.out_of_patience;
  }

  void keep_best(const Matrix<float>& validation) {
    best_.clear();
    for (const auto& [name, tensor] : learner_.model()) {
      best_.emplace_back(name, tensor.detach().to(at::kCPU).clone());
    }
    best_.emplace_back(kValidationProbabilities, tensor_of(validation));
    at::Tensor labels = single_labels(learner_.validation_targets());
    best_.emplace_back(kValidationLabels, scorer_.on_test ? labels.fill_(-1) : labels);
    if (!scorer_.on_test && has_several_labels(learner_.validation_targets())) {
      best_.emplace_back(kValidationLabelSets, presence(learner_.validation_targets()));
    }
    best_metadata_ = learner_.model_metadata();
    best_metadata_["epoch"] = std::to_string(history_.best_epoch);
    best_is_written_ = false;
  }

  std::filesystem::path checkpoint_path() const { return folder_ / "checkpoint.safetensors"; }

  void resume() {
    if (!std::filesystem::exists(checkpoint_path())) return;
    const TensorFile file = read_tensors(checkpoint_path());
    file.copy_into(learner_.state(), checkpoint_path());
    TrainingRecord record = read_training_record(file, checkpoint_path());
    history_ = std::move(record.history);
    partial_ = std::move(record.partial);
    learner_.skipped = history_.skipped;
    learner_.resumed(record.steps);
    // `finished` is computed from the settings, which may allow more epochs than before.
    if (!history_.epochs.empty()) update_finished();
  }

  bool is_save_due() const {
    const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - last_save_;
    return history_.finished || waited.count() >= settings_.checkpoint_seconds;
  }

  // The model before the checkpoint: after a crash in between, the older checkpoint leads to the
  // same model.
  void save() {
    if (!best_is_written_) {
      write_tensors(folder_ / "model.safetensors", {best_, best_metadata_});
      best_is_written_ = true;
    }
    write_log(folder_, {scorer_.names, history_.epochs});
    history_.skipped = learner_.skipped;
    const std::string record = text_of({steps_taken(), history_, partial_});
    write_tensors(checkpoint_path(), {learner_.state(), {{"training", record}}});
    last_save_ = std::chrono::steady_clock::now();
  }

  std::string saved_text() const {
    return partial_.steps == 0 && next_epoch() > 1
               ? fmt::format("saved after epoch {}", next_epoch() - 1)
               : fmt::format("saved after step {} of epoch {}", partial_.steps, next_epoch());
  }

  // "epoch 3, top1 0.5100, best 0.5200"
  std::string note() const {
    const EpochRecord& last = history_.epochs.back();
    if (scorer_.last_epoch > 0) return fmt::format("epoch {} of {}", last.epoch, last_epoch());
    return fmt::format("epoch {}, {} {:.4f}, best {:.4f}", last.epoch, scorer_.names[0],
                       last.values[0], history_.epochs[history_.best_epoch - 1].values[0]);
  }

  Learner& learner_;
  const RunSettings& settings_;
  const Loss& loss_;
  const EpochScorer& scorer_;
  std::filesystem::path folder_;
  EventFile events_;
  std::vector<std::pair<std::size_t, std::size_t>> batches_;
  TrainingHistory history_;
  PartialEpoch partial_;
  NamedTensors best_;
  std::map<std::string, std::string> best_metadata_;
  bool best_is_written_ = true;
  std::chrono::steady_clock::time_point last_save_;
};

}  // namespace

bool should_stop(const std::vector<EpochRecord>& epochs, int patience, Recipe recipe) {
  const int last = static_cast<int>(epochs.size()) - 1;
  int best = 0;
  int least_loss = 0;
  for (int i = 1; i <= last; ++i) {
    const double value = epochs[i].values[0];
    const double so_far = epochs[best].values[0];
    if (value > so_far || (recipe == Recipe::Released && value == so_far)) best = i;
    if (epochs[i].validation_loss <= epochs[least_loss].validation_loss) least_loss = i;
  }
  const bool value_is_stale = last - best >= patience;
  const bool loss_is_stale = last - least_loss >= patience;
  return value_is_stale && (recipe == Recipe::Paper || loss_is_stale);
}

NamedTensors memory_tensors(LossMemory* memory) {
  NamedTensors named;
  if (memory == nullptr) return named;
  for (const auto& [name, matrix] : memory->state()) {
    named.emplace_back("loss." + name, at::from_blob(matrix->data(),
                                                     {static_cast<std::int64_t>(matrix->rows()),
                                                      static_cast<std::int64_t>(matrix->columns())},
                                                     at::kFloat));
  }
  return named;
}

TrainingHistory run_training(Learner& learner, const RunSettings& settings,
                             const EpochScorer& scorer, const std::filesystem::path& folder) {
  return TrainingLoop(learner, settings, scorer, folder).run();
}

}  // namespace manyverbs
