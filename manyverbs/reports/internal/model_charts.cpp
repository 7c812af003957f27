// SPDX-License-Identifier: MIT
#include "manyverbs/reports/internal/model_charts.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "manyverbs/protocols/internal/experiment_table.h"
#include "manyverbs/protocols/model.h"
#include "manyverbs/reports/internal/report_values.h"
#include "manyverbs/reports/internal/threshold_curve.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/progress.h"

namespace manyverbs {
namespace {

constexpr std::size_t kClipsAtOnce = 4096;
constexpr std::size_t kMostLabels = 12;
constexpr double kThreshold = 0.5;

// A run with the test clips of its data set.
class TestedRun {
 public:
  TestedRun(const std::filesystem::path& folder, const Dataset& dataset)
      : model_(Model::open(folder)), dataset_(dataset), clips_(dataset.clips_of(Split::Test)) {
    if (dataset.classes.names() != model_.classes()) {
      throw Error("{}: the run was trained on other classes than those of {}", folder.string(),
                  dataset.folder.string());
    }
    if (model_.streams().empty()) {  // of a run on clips, which takes long
      of_clips_ = model_.probabilities(dataset, clips_);
      return;
    }
    features_.emplace(open_features(dataset, model_.streams()));
    model_.check_features(dataset);
  }

  // Of some of the test clips.
  Matrix<float> probabilities(std::span<const ClipRow> clips) const {
    if (features_) return model_.probabilities(*features_, clips);
    Matrix<float> chosen(clips.size(), of_clips_.columns());
    for (std::size_t i = 0; i < clips.size(); ++i) {
      const auto place = std::lower_bound(clips_.begin(), clips_.end(), clips[i]) - clips_.begin();
      std::ranges::copy(of_clips_.row(place), chosen.row(i).begin());
    }
    return chosen;
  }

  // Calls use(scores, truth) for batches of test clips.
  template <typename Use>
  void in_batches(const Use& use) const {
    for (std::size_t begin = 0; begin < clips_.size(); begin += kClipsAtOnce) {
      const std::size_t end = std::min(clips_.size(), begin + kClipsAtOnce);
      const std::vector<ClipRow> piece(clips_.begin() + static_cast<std::ptrdiff_t>(begin),
                                       clips_.begin() + static_cast<std::ptrdiff_t>(end));
      use(probabilities(piece), label_sets(dataset_.label_sets_of(piece), dataset_.classes.size()));
    }
  }

 private:
  Model model_;
  const Dataset& dataset_;
  std::vector<ClipRow> clips_;
  std::optional<FeatureTable> features_;  // of a run on features
  Matrix<float> of_clips_;                // probabilities of clips_, of a run on clips
};

// The model whose predictions are shown for a row in the examples.
struct ScoredModel {
  std::string row;
  std::unique_ptr<TestedRun> run;
  std::vector<double> f1;  ///< per test clip
};

double clip_f1(std::span<const float> scores, std::span<const Label> truth) {
  int both = 0;
  int either = 0;
  for (std::size_t j = 0; j < scores.size(); ++j) {
    const bool predicted = scores[j] > kThreshold;
    const bool is_true = truth[j] == Label::Present;
    both += predicted && is_true ? 1 : 0;
    either += (predicted ? 1 : 0) + (is_true ? 1 : 0);
  }
  return either > 0 ? 2.0 * both / either : 0;
}

Json curve_json(const std::string& row, const std::vector<std::vector<ThresholdMetrics>>& curves) {
  Json json = {{"row", row},
               {"threshold", Json::array()},
               {"iou", Json::array()},
               {"f1", Json::array()},
               {"labels", Json::array()}};
  const auto mean = [&](std::size_t point, double ThresholdMetrics::*value) {
    std::vector<double> values;
    values.reserve(curves.size());
    for (const auto& curve : curves) values.push_back(curve[point].*value);
    return short_number(summarise(values).mean);
  };
  for (std::size_t t = 0; t < curves.front().size(); ++t) {
    json["threshold"].push_back(curves.front()[t].threshold);
    json["iou"].push_back(mean(t, &ThresholdMetrics::iou));
    json["f1"].push_back(mean(t, &ThresholdMetrics::f1));
    json["labels"].push_back(mean(t, &ThresholdMetrics::predicted_labels));
  }
  return json;
}

// How well each clip serves as an example: high for clips with several labels on which the rows
// differ in F1, -1 for clips without labels.
std::vector<double> example_values(const std::vector<std::vector<ClassId>>& sets,
                                   const std::vector<ScoredModel>& models) {
  constexpr std::size_t kEnough = 4;
  std::vector<double> values;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    double least = 1;
    double most = 0;
    for (const ScoredModel& model : models) {
      least = std::min(least, model.f1[i]);
      most = std::max(most, model.f1[i]);
    }
    const double labels = static_cast<double>(std::min(sets[i].size(), kEnough)) / kEnough;
    values.push_back(sets[i].empty() ? -1 : labels + std::max(0.0, most - least));
  }
  return values;
}

Json examples_json(const Dataset& dataset, const std::vector<ScoredModel>& models, int count,
                   const std::filesystem::path& page_folder) {
  const std::vector<ClipRow> clips = dataset.clips_of(Split::Test);
  const auto sets = dataset.label_sets_of(clips);
  std::vector<ClipRow> chosen;
  for (const int i : varied_choice(example_values(sets, models), sets, count)) {
    chosen.push_back(clips[i]);
  }
  std::vector<Matrix<float>> probabilities;
  probabilities.reserve(models.size());
  for (const ScoredModel& model : models) {
    probabilities.push_back(model.run->probabilities(chosen));
  }
  Json examples = Json::array();
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const Clip& clip = dataset.clip(chosen[i]);
    Json example = {{"clip", report_name(clip.name)},
                    {"truth", class_names(clip.labels, dataset.classes)}};
    if (auto video = video_json(clip, dataset.folder, page_folder)) example["video"] = *video;
    example["predictions"] = Json::array();
    for (std::size_t s = 0; s < models.size(); ++s) {
      Json prediction = {{"row", models[s].row}};
      prediction.update(prediction_json(probabilities[s].row(i), clip.labels, dataset.classes));
      example["predictions"].push_back(std::move(prediction));
    }
    examples.push_back(std::move(example));
  }
  return examples;
}

// Collects the charts row by row. All examples come from one data set; the first run of a row on
// that data set is its example model.
class ModelChartsBuilder {
 public:
  ModelChartsBuilder(const Results& results, std::span<const Dataset* const> datasets)
      : results_(results), datasets_(datasets) {}

  void add_row(const ExperimentRow& row, ModelCharts* charts) {
    std::vector<std::vector<ThresholdMetrics>> curves;
    for (const RunResult& run : results_.runs) {
      if (run.row != row.key || !run.problem.empty() || run.dataset >= datasets_.size()) continue;
      progress_.advance();
      if (datasets_[run.dataset] == nullptr) continue;
      try {
        curves.push_back(curve_of(run));
      } catch (const std::exception& problem) {  // also errors of LibTorch
        charts->problems.emplace_back(problem.what());
      }
    }
    if (!curves.empty()) charts->thresholds.push_back(curve_json(row.key, curves));
  }

  Json examples(int count, const std::filesystem::path& page_folder) const {
    if (models_.empty()) return Json::array();
    return examples_json(*datasets_[*dataset_], models_, count, page_folder);
  }

 private:
  std::vector<ThresholdMetrics> curve_of(const RunResult& run) {
    auto tested =
        std::make_unique<TestedRun>(results_.folder / "runs" / run.name, *datasets_[run.dataset]);
    ThresholdCurve curve(curve_thresholds());
    std::vector<double> f1;
    tested->in_batches([&](const Matrix<float>& scores, const LabelMatrix& truth) {
      curve.add(scores, truth);
      for (std::size_t i = 0; i < scores.rows(); ++i) {
        f1.push_back(clip_f1(scores.row(i), truth.row(i)));
      }
    });
    if (!dataset_) dataset_ = run.dataset;
    const bool has_model = !models_.empty() && models_.back().row == run.row;
    if (run.dataset == *dataset_ && !has_model) {
      models_.push_back({run.row, std::move(tested), std::move(f1)});
    }
    return curve.points();
  }

  const Results& results_;
  std::span<const Dataset* const> datasets_;
  std::optional<std::size_t> dataset_;  ///< the data set of the examples
  std::vector<ScoredModel> models_;
  Progress progress_{"threshold curves", static_cast<std::int64_t>(results_.runs.size())};
};

}  // namespace

ModelCharts model_charts(const Results& results, std::span<const Dataset* const> datasets,
                         int examples, const std::filesystem::path& page_folder) {
  ModelCharts charts;
  ModelChartsBuilder builder(results, datasets);
  for (const ExperimentRow& row : results.rows) builder.add_row(row, &charts);
  charts.examples = builder.examples(examples, page_folder);
  return charts;
}

Json prediction_json(std::span<const float> probabilities, const std::vector<ClassId>& truth,
                     const Vocabulary& classes) {
  std::vector<ClassId> order(probabilities.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](ClassId a, ClassId b) { return probabilities[a] > probabilities[b]; });
  Json labels = Json::array();
  Json missed = Json::array();
  int more = 0;
  int right = 0;
  for (const ClassId id : order) {
    const bool correct = std::find(truth.begin(), truth.end(), id) != truth.end();
    Json label = {{"class", report_name(classes.name(id))},
                  {"probability", short_number(probabilities[id])}};
    if (probabilities[id] > kThreshold && correct) ++right;
    if (probabilities[id] > kThreshold && labels.size() == kMostLabels) {
      ++more;
    } else if (probabilities[id] > kThreshold) {
      label["correct"] = correct;
      labels.push_back(std::move(label));
    } else if (correct) {
      missed.push_back(std::move(label));
    }
  }
  const int predicted = static_cast<int>(labels.size()) + more;
  const char* match = predicted == 0                         ? "nothing"
                      : right == 0                           ? "none"
                      : right == predicted && missed.empty() ? "all"
                                                             : "part";
  return {{"match", match},
          {"labels", std::move(labels)},
          {"more", more},
          {"missed", std::move(missed)}};
}

}  // namespace manyverbs
