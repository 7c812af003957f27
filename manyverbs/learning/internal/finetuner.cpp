// SPDX-License-Identifier: MIT
#include "manyverbs/learning/internal/finetuner.h"

#include <algorithm>
#include <future>
#include <numeric>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <fmt/format.h>

#include "manyverbs/features/internal/clip_outputs.h"
#include "manyverbs/labels/internal/pseudo_label_file.h"
#include "manyverbs/learning/internal/batch.h"
#include "manyverbs/learning/internal/mlp.h"
#include "manyverbs/learning/internal/schedule.h"
#include "manyverbs/learning/internal/sgd.h"
#include "manyverbs/support/internal/interruption.h"
#include "manyverbs/support/internal/parallel.h"
#include "manyverbs/support/internal/progress.h"
#include "manyverbs/support/internal/random.h"

namespace manyverbs {
namespace {

// Of the sequences of a seed, 0 starts the weights and 1, 2, … shuffle the epochs; these are the
// views of a clip and what dropout leaves out in an epoch.
std::uint64_t view_sequence(int epoch, int clip) {
  return (static_cast<std::uint64_t>(epoch) << 32U) + static_cast<std::uint64_t>(clip) + 1;
}
std::uint64_t dropout_sequence(int epoch) { return static_cast<std::uint64_t>(epoch) << 32U; }

// The training views of some clips, one after the other, decoded on so many threads.
at::Tensor load_batch(const ClipSource& source, const std::vector<int>& clips, std::uint64_t seed,
                      int epoch, int threads) {
  std::vector<at::Tensor> views(clips.size());
  side_by_side(clips.size(), threads, [&](std::size_t i) {
    Random random(seed, view_sequence(epoch, clips[i]));
    views[i] = source.training_clip(clips[i], &random);
  });
  return at::cat(views);
}

class Finetuning {
 public:
  Finetuning(const FinetuneData& data, const RunSettings& settings, PreparedBackbone start,
             const Judge& judge, std::filesystem::path folder)
      : data_(data),
        settings_(settings),
        loss_(find_loss(settings.loss)),
        classes_(data.dataset->classes.size()),
        labels_(data.dataset->labels_of(data.clips)),
        folder_(folder),
        course_(std::move(folder), judge, settings),
        tsm_(std::move(start.tsm)),
        normalisation_(start.normalisation),
        regularisation_{settings.clips.dropout, settings.clips.partial_batch_norm},
        sgd_(tsm_.parameters(regularisation_),
             {settings.clips.momentum, settings.clips.weight_decay}) {
    course_.resume(state());
  }

  TrainingHistory run() {
    try {
      run_epochs();
    } catch (const Interrupted&) {
      course_.save_interrupted(state(), steps_taken());
    }
    return course_.history();
  }

 private:
  using Range = std::pair<std::size_t, std::size_t>;

  void run_epochs() {
    const auto steps = static_cast<std::int64_t>(batches().size());
    Progress progress(
        fmt::format("training {} from {} frames", loss_.title, stream_name(settings_.clips.stream)),
        0);
    progress.advance(steps_taken());
    while (!course_.history().finished) {
      progress.expect_at_least(steps * course_.expected_epochs());
      run_epoch(progress);
      if (course_.is_save_due()) course_.save(state(), steps_taken());
    }
  }

  std::int64_t steps_taken() {
    return (course_.next_epoch() - 1) * std::ssize(batches()) + course_.partial().steps;
  }

  std::vector<Range> batches() const {
    return batch_ranges(data_.clips.size(), settings_.batch, settings_.recipe);
  }

  void run_epoch(Progress& progress) {
    at::set_num_threads(num_threads());
    const LabelMatrix targets = manyverbs::targets(suggestions_for(course_.next_epoch()), labels_,
                                                   classes_, loss_.suggested);
    const double train_loss = learn(course_.next_epoch(), targets, progress);
    const Matrix<float> scores =
        clip_scores(FoldedTsm(tsm_), *data_.source, data_.validation_clips);
    Matrix<float> unused(scores.rows(), scores.columns());
    const double validation_loss = loss_.compute(scores, data_.validation_targets, settings_.recipe,
                                                 settings_.loss_settings, &unused);
    if (course_.add(train_loss, validation_loss, probabilities(scores, activation_of(settings_)))) {
      course_.keep_best(tsm_.state(),
                        checkpoint_metadata(tsm_.shape(), normalisation_, settings_.clips.size));
    }
    progress.note(course_.note());
  }

  // One pass, or the rest of one, over the training clips in an order that follows from seed and
  // epoch alone; while the network learns from a batch, the next is decoded.
  double learn(int epoch, const LabelMatrix& targets, Progress& progress) {
    std::vector<int> order(data_.clips.size());
    std::iota(order.begin(), order.end(), 0);
    Random(settings_.seed, static_cast<std::uint64_t>(epoch)).shuffle(std::span(order));
    PartialEpoch& partial = course_.partial();
    Random dropout = partial.steps > 0 ? Random(partial.random_state)
                                       : Random(settings_.seed, dropout_sequence(epoch));
    const double rate =
        settings_.learning_rate *
        rate_factor(settings_.clips.schedule, course_.history().epochs, settings_.epochs);
    const double scale = gradient_scale(loss_, settings_.recipe, classes_);
    const std::vector<Range> ranges = batches();
    const auto chosen = [&](std::size_t b) {
      return std::span(order).subspan(ranges[b].first, ranges[b].second - ranges[b].first);
    };
    std::future<at::Tensor> next;
    for (std::size_t b = partial.steps; b < ranges.size(); ++b) {
      stop_if_interrupted();
      const at::Tensor frames = next.valid() ? next.get() : load(chosen(b), epoch).get();
      if (b + 1 < ranges.size()) next = load(chosen(b + 1), epoch);
      partial.loss_sum += loss_of(frames, target_rows(targets, chosen(b)), scale, &dropout) *
                          static_cast<double>(chosen(b).size());
      sgd_.step(rate);
      ++partial.steps;
      partial.random_state = dropout.state();
      progress.advance();
    }
    return partial.loss_sum / static_cast<double>(ranges.back().second);
  }

  // The loss of a batch, whose gradients are then there. Since that may take minutes, it can be
  // interrupted; then the statistics of batch norm, all that has changed, are as they were.
  double loss_of(const at::Tensor& frames, const LabelMatrix& targets, double scale,
                 Random* dropout) {
    NamedTensors statistics;
    for (const auto& [name, tensor] : tsm_.state()) {
      if (!tensor.requires_grad()) statistics.emplace_back(name, tensor.clone());
    }
    try {
      const at::Tensor scores = tsm_.train_scores(frames, regularisation_, dropout);
      return send_back(scores, targets, loss_, settings_, scale);
    } catch (...) {
      if (!interrupted()) throw;
      auto before = statistics.begin();
      for (const auto& [name, tensor] : tsm_.state()) {
        if (!tensor.requires_grad()) tensor.copy_((before++)->second);
      }
      throw Interrupted();
    }
  }

  std::future<at::Tensor> load(std::span<const int> chosen, int epoch) const {
    std::vector<int> clips;
    for (const int i : chosen) clips.push_back(data_.clips[i]);
    return std::async(std::launch::async, load_batch, std::cref(*data_.source), std::move(clips),
                      settings_.seed, epoch, num_threads());
  }

  // The suggestions of an epoch: those of the last refresh, which is made when it is due. In the
  // middle of an epoch the network is not any more what it was then, but the file is there.
  const Suggestions& suggestions_for(int epoch) {
    const int since_warm_up = epoch - 1 - settings_.clips.refresh.warm_up;
    if (suggestions_.empty()) suggestions_.resize(data_.clips.size());
    if (loss_.suggested == Label::Absent || since_warm_up < 0) return suggestions_;
    const int since_refresh = since_warm_up % settings_.clips.refresh.every;
    const int refreshed_after = epoch - 1 - since_refresh;
    if (since_refresh == 0 && course_.partial().steps == 0) {
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

  // Pseudo-labels from the features of this moment, kept as a table that people can read.
  void refresh(int epochs_before) {
    const RefreshSettings& refresh = settings_.clips.refresh;
    const FeatureTable features(clip_features(FoldedTsm(tsm_), *data_.source, data_.clips));
    std::vector<int> rows(data_.clips.size());
    std::iota(rows.begin(), rows.end(), 0);
    const Matrix<int> counted = votes(
        neighbours_within(features, rows, refresh.k, refresh.metric).clips, labels_, classes_);
    suggestions_ = instance_level(counted, labels_, refresh.tau);
    at::set_num_threads(num_threads());
    write(epochs_before, counted);
  }

  // The file has a row for every training clip, also for those that are held out.
  void write(int epochs_before, const Matrix<int>& counted) const {
    const std::vector<int> training = data_.dataset->clips_of(Split::Train);
    const std::vector<int> places = places_in_training();
    Matrix<int> all_votes(training.size(), classes_);
    Suggestions all(training.size());
    for (std::size_t i = 0; i < places.size(); ++i) {
      std::copy_n(counted.row(i).begin(), classes_, all_votes.row(places[i]).begin());
      all[places[i]] = suggestions_[i];
    }
    PseudoLabelRecord record;
    record.votes = VoteSettings{settings_.clips.refresh.k, settings_.clips.refresh.tau, "backbone",
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

  // Where each of the clips stands among all training clips.
  std::vector<int> places_in_training() const {
    const std::vector<int> training = data_.dataset->clips_of(Split::Train);
    std::vector<int> places;
    for (const int clip : data_.clips) {
      const auto found = std::lower_bound(training.begin(), training.end(), clip);
      places.push_back(static_cast<int>(found - training.begin()));
    }
    return places;
  }

  // What a checkpoint holds.
  NamedTensors state() const {
    NamedTensors named = tsm_.state();
    for (std::size_t i = 0; i < sgd_.momenta.size(); ++i) {
      named.emplace_back(fmt::format("sgd.momentum.{}", i), sgd_.momenta[i]);
    }
    return named;
  }

  const FinetuneData& data_;
  const RunSettings& settings_;
  const Loss& loss_;
  int classes_;
  std::vector<ClassId> labels_;  // one for each of data_.clips
  std::filesystem::path folder_;
  Course course_;
  Tsm tsm_;
  Normalisation normalisation_;
  TsmTraining regularisation_;
  Sgd sgd_;
  Suggestions suggestions_;   // one for each of data_.clips
  int refreshed_after_ = -1;  // epochs
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
    start.remarks = {"without --weights it learns from random weights"};
  return start;
}

TrainingHistory finetune(const FinetuneData& data, const RunSettings& settings,
                         PreparedBackbone start, const Judge& judge,
                         const std::filesystem::path& folder) {
  return Finetuning(data, settings, std::move(start), judge, folder).run();
}

}  // namespace manyverbs
