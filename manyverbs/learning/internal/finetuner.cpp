// SPDX-License-Identifier: MIT
#include "manyverbs/learning/internal/finetuner.h"

#include <algorithm>
#include <future>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <fmt/format.h>

#include "manyverbs/features/internal/clip_outputs.h"
#include "manyverbs/features/internal/dropout.h"
#include "manyverbs/labels/internal/pseudo_label_file.h"
#include "manyverbs/learning/internal/batch.h"
#include "manyverbs/learning/internal/loss_memory.h"
#include "manyverbs/learning/internal/mlp.h"
#include "manyverbs/learning/internal/schedule.h"
#include "manyverbs/learning/internal/sgd.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/interruption.h"
#include "manyverbs/support/internal/parallel.h"
#include "manyverbs/support/internal/progress.h"
#include "manyverbs/support/internal/random.h"

namespace manyverbs {
namespace {

// The random sequence of a seed for the view of a clip in an epoch, beside dropout_sequence().
std::uint64_t view_sequence(int epoch, ClipRow clip) {
  return (static_cast<std::uint64_t>(epoch) << 32U) + static_cast<std::uint64_t>(clip) + 1;
}

// The training views of the readable clips of a batch.
struct LoadedBatch {
  at::Tensor frames;
  std::vector<int> batch;  // their positions among the training clips
  std::vector<ClipProblem> problems;
};

// A backbone trained with SGD.
class ClipLearner : public Learner {
 public:
  ClipLearner(const FinetuneData& data, const RunSettings& settings, PreparedBackbone start,
              std::filesystem::path folder)
      : data_(data),
        settings_(settings),
        loss_(find_loss(settings.loss)),
        classes_(data.dataset->classes.size()),
        labels_(data.dataset->labels_of(data.clips)),
        targets_(
            manyverbs::targets(Suggestions(data.clips.size()), labels_, classes_, loss_.suggested)),
        memory_(loss_.memory != nullptr ? loss_.memory(targets_, settings) : nullptr),
        folder_(std::move(folder)),
        tsm_(std::move(start.tsm)),
        normalisation_(start.normalisation),
        regularisation_{settings.dropout, settings.clips.partial_batch_norm},
        sgd_(tsm_.parameters(regularisation_),
             {settings.clips.momentum, settings.clips.weight_decay}),
        scale_(gradient_scale(loss_, settings.recipe, classes_)) {}

  std::string title() const override {
    return fmt::format("training {} from {} frames", loss_.title,
                       stream_name(settings_.clips.stream));
  }
  std::size_t num_clips() const override { return data_.clips.size(); }

  void begin_epoch(const std::vector<EpochRecord>& before, const PartialEpoch& partial) override {
    at::set_num_threads(num_threads());
    epoch_ = static_cast<int>(before.size()) + 1;
    const bool starts = partial.steps == 0;
    if (loss_.uses_pseudo_labels()) {
      targets_ =
          manyverbs::targets(suggestions_for(epoch_, starts), labels_, classes_, loss_.suggested);
    }
    if (memory_ != nullptr && memory_->needs_scores(epoch_)) {
      memory_->begin_epoch(epoch_, training_scores());
    }
    dropout_ =
        starts ? Random(settings_.seed, dropout_sequence(epoch_)) : Random(partial.random_state);
    rate_ = settings_.learning_rate * rate_factor(settings_.schedule, before, settings_.epochs);
    next_ = {};
  }

  // The next batch is decoded during the step.
  Step step(std::span<const int> batch, std::span<const int> next) override {
    const LoadedBatch loaded = next_.valid() ? next_.get() : load(batch).get();
    if (!next.empty()) next_ = load(next);
    skipped.insert(skipped.end(), loaded.problems.begin(), loaded.problems.end());
    if (loaded.batch.empty()) return {0, 0};
    const double loss = loss_of(loaded.frames, loaded.batch);
    sgd_.step(rate_);
    return {loss, std::ssize(loaded.batch)};
  }
  std::vector<std::uint32_t> random_state() const override { return dropout_.state(); }

  Matrix<float> validation_scores() override {
    return clip_scores(FoldedTsm(tsm_), *data_.source, data_.validation_clips);
  }
  const LabelMatrix& validation_targets() const override { return data_.validation_targets; }

  NamedTensors model() const override { return tsm_.state(); }
  std::map<std::string, std::string> model_metadata() const override {
    return checkpoint_metadata(tsm_.shape(), normalisation_, settings_.clips.size);
  }
  NamedTensors state() const override {
    NamedTensors named = tsm_.state();
    for (std::size_t i = 0; i < sgd_.momenta.size(); ++i) {
      named.emplace_back(fmt::format("sgd.momentum.{}", i), sgd_.momenta[i]);
    }
    for (auto& tensor : memory_tensors(memory_.get())) named.push_back(std::move(tensor));
    return named;
  }

 private:
  // All that changes while a loss is computed: statistics of batch norm, and the memory of the
  // loss.
  NamedTensors changed_by_loss() const {
    NamedTensors changed = memory_tensors(memory_.get());
    for (const auto& [name, tensor] : tsm_.state()) {
      if (!tensor.requires_grad()) changed.emplace_back(name, tensor);
    }
    return changed;
  }

  // Computes the loss of a batch and the gradients. This can take minutes, so it can be
  // interrupted; then everything is as before.
  double loss_of(const at::Tensor& frames, const std::vector<int>& batch) {
    NamedTensors before = changed_by_loss();
    for (auto& [name, tensor] : before) tensor = tensor.clone();
    try {
      const LabelMatrix targets = target_rows(targets_, batch);
      const at::Tensor scores = tsm_.train_scores(frames, regularisation_, &dropout_);
      return backward(
          scores,
          [&](const Matrix<float>& values, Matrix<float>* gradient) {
            const LossInput input = loss_input(values, targets, settings_, epoch_);
            return memory_ != nullptr ? memory_->compute(input, batch, gradient)
                                      : loss_.compute(input, gradient);
          },
          scale_);
    } catch (...) {
      if (!interrupted()) throw;
      const NamedTensors now = changed_by_loss();
      for (std::size_t i = 0; i < now.size(); ++i) now[i].second.copy_(before[i].second);
      throw Interrupted();
    }
  }

  // Raw scores of all training clips in their test views; 0 for skipped ones.
  Matrix<float> training_scores() {
    std::vector<ClipProblem> problems;
    Matrix<float> scores = clip_scores(FoldedTsm(tsm_), *data_.source, data_.clips,
                                       data_.on_error == OnError::Skip ? &problems : nullptr);
    skip(std::move(problems));
    at::set_num_threads(num_threads());
    return scores;
  }

  // From now on these clips are ignored.
  void skip(std::vector<ClipProblem> problems) {
    std::erase_if(problems, [&](const ClipProblem& problem) { return is_skipped(problem.clip); });
    skipped.insert(skipped.end(), problems.begin(), problems.end());
  }

  bool is_skipped(ClipRow clip) const {
    return std::any_of(skipped.begin(), skipped.end(),
                       [&](const ClipProblem& problem) { return problem.clip == clip; });
  }

  std::future<LoadedBatch> load(std::span<const int> batch) const {
    std::vector<int> wanted;
    for (const int i : batch) {
      if (!is_skipped(data_.clips[i])) wanted.push_back(i);
    }
    return std::async(std::launch::async,
                      [this, wanted = std::move(wanted), threads = num_threads()] {
                        return decode(wanted, threads);
                      });
  }

  LoadedBatch decode(const std::vector<int>& wanted, int threads) const {
    std::vector<at::Tensor> views(wanted.size());
    std::vector<std::string> problems(wanted.size());
    side_by_side(wanted.size(), threads, [&](std::size_t i) {
      const ClipRow clip = data_.clips[wanted[i]];
      Random random(settings_.seed, view_sequence(epoch_, clip));
      try {
        views[i] = data_.source->training_clip(clip, &random);
      } catch (const Error& problem) {
        if (data_.on_error == OnError::Stop) throw;
        problems[i] = problem.what();
      }
    });
    LoadedBatch loaded;
    std::vector<at::Tensor> readable;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (problems[i].empty()) {
        loaded.batch.push_back(wanted[i]);
        readable.push_back(views[i]);
      } else {
        loaded.problems.push_back({data_.clips[wanted[i]], problems[i]});
      }
    }
    if (!readable.empty()) loaded.frames = at::cat(readable);
    return loaded;
  }

  // Makes the pseudo-labels of an epoch, unless given, if a refresh is due; otherwise uses the last
  // ones. In the
  // middle of an epoch the network has changed since the refresh, so they are read from the file.
  const Suggestions& suggestions_for(int epoch, bool starts) {
    if (data_.pseudo_labels) return *data_.pseudo_labels;
    const int since_warm_up = epoch - 1 - settings_.clips.refresh.warm_up;
    if (suggestions_.empty()) suggestions_.resize(data_.clips.size());
    if (!loss_.uses_pseudo_labels() || since_warm_up < 0) return suggestions_;
    const int since_refresh = since_warm_up % settings_.clips.refresh.every;
    const int refreshed_after = epoch - 1 - since_refresh;
    if (since_refresh == 0 && starts) {
      refresh(refreshed_after);
    } else if (refreshed_after != refreshed_after_) {  // resumed from a checkpoint
      const Suggestions all = read_pseudo_labels(
          folder_ / "pseudo_labels" / (refresh_name(refreshed_after) + ".csv"), *data_.dataset);
      const std::vector<int> places = places_in_training();
      for (std::size_t i = 0; i < places.size(); ++i) suggestions_[i] = all[places[i]];
    }
    refreshed_after_ = refreshed_after;
    return suggestions_;
  }

  // Makes pseudo-labels from the current features and writes them as CSV.
  void refresh(int epochs_before) {
    const RefreshSettings& refresh = settings_.clips.refresh;
    std::vector<ClipProblem> problems;
    const FeatureTable features(
        clip_features(FoldedTsm(tsm_), *data_.source, data_.clips,
                      data_.on_error == OnError::Skip ? &problems : nullptr));
    skip(std::move(problems));
    std::vector<ClipRow> rows;  // of this table, which has one for each of data_.clips
    std::vector<ClassId> labels;
    for (std::size_t i = 0; i < data_.clips.size(); ++i) {
      if (is_skipped(data_.clips[i])) continue;
      rows.push_back(ClipRow(i));
      labels.push_back(labels_[i]);
    }
    const Matrix<int> counted = votes(
        neighbours_within(features, rows, refresh.k, refresh.metric).clips, labels_, classes_);
    const Suggestions found = instance_level(counted, labels, refresh.tau);
    suggestions_.assign(data_.clips.size(), {});
    for (std::size_t i = 0; i < rows.size(); ++i) suggestions_[index(rows[i])] = found[i];
    at::set_num_threads(num_threads());
    write(epochs_before, rows, counted);
  }

  // The file has a row for every training clip, including held-out and skipped ones.
  void write(int epochs_before, const std::vector<ClipRow>& rows,
             const Matrix<int>& counted) const {
    const std::vector<ClipRow> training = data_.dataset->clips_of(Split::Train);
    const std::vector<int> places = places_in_training();
    Matrix<int> all_votes(training.size(), classes_);
    Suggestions all(training.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const int place = places[index(rows[i])];
      std::copy_n(counted.row(i).begin(), classes_, all_votes.row(place).begin());
      all[place] = suggestions_[index(rows[i])];
    }
    PseudoLabelRecord record;
    record.votes = VoteSettings{settings_.clips.refresh.k, settings_.clips.refresh.tau,
                                std::string(kBackboneSpace),
                                std::string(metric_name(settings_.clips.refresh.metric)), ""};
    record.made_from = labels_content(*data_.dataset);
    record.quality =
        suggestion_quality(suggestions_, data_.dataset->truth_of(data_.clips), labels_);
    write_pseudo_labels(folder_ / "pseudo_labels", refresh_name(epochs_before), *data_.dataset,
                        all_votes, all, record);
  }

  static std::string refresh_name(int epochs_before) {
    return fmt::format("epoch-{}", epochs_before);
  }

  // The position of each clip among all training clips.
  std::vector<int> places_in_training() const {
    const std::vector<ClipRow> training = data_.dataset->clips_of(Split::Train);
    std::vector<int> places;
    for (const ClipRow clip : data_.clips) {
      const auto found = std::lower_bound(training.begin(), training.end(), clip);
      places.push_back(static_cast<int>(found - training.begin()));
    }
    return places;
  }

  const FinetuneData& data_;
  const RunSettings& settings_;
  const Loss& loss_;
  int classes_;
  std::vector<ClassId> labels_;         // one for each of data_.clips
  LabelMatrix targets_;                 // of the current epoch
  std::unique_ptr<LossMemory> memory_;  // null if the loss has none
  std::filesystem::path folder_;
  Tsm tsm_;
  Normalisation normalisation_;
  TsmTraining regularisation_;
  Sgd sgd_;
  double scale_;              // of gradients
  Suggestions suggestions_;   // one for each of data_.clips
  int refreshed_after_ = -1;  // epochs

  // State of the current epoch.
  int epoch_ = 0;
  Random dropout_{0};
  double rate_ = 0;
  std::future<LoadedBatch> next_;
};

}  // namespace

BackboneSettings backbone_settings(const RunSettings& settings, int classes) {
  const ClipRunSettings& clips = settings.clips;
  return {clips.stream,   clips.weights, clips.backbone, clips.width,
          clips.segments, classes,       settings.seed};
}

ClipSettings clip_settings(const RunSettings& settings, const PreparedBackbone& backbone) {
  ClipSettings clips = clip_settings(backbone, settings.clips.stream, settings.clips.size,
                                     settings.recipe == Recipe::Released);
  clips.input.mirror = settings.clips.mirror;
  return clips;
}

PreparedBackbone starting_backbone(const RunSettings& settings, int classes) {
  PreparedBackbone start = prepare_backbone(backbone_settings(settings, classes));
  if (settings.clips.weights.empty())
    start.remarks = {"without --weights the training starts from random weights"};
  return start;
}

TrainingHistory finetune(const FinetuneData& data, const RunSettings& settings,
                         PreparedBackbone start, const EpochScorer& scorer,
                         const std::filesystem::path& folder) {
  ClipLearner learner(data, settings, std::move(start), folder);
  return run_training(learner, settings, scorer, folder);
}

}  // namespace manyverbs
