// SPDX-License-Identifier: MIT
#include "manyverbs/metrics/evaluation.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "manyverbs/metrics/internal/clip_values.h"
#include "manyverbs/metrics/internal/evaluation_json.h"
#include "manyverbs/metrics/internal/undefined.h"
#include "manyverbs/support/error.h"

namespace manyverbs {
namespace {

using metrics_internal::kUndefined;

double mean_true_labels(const LabelMatrix& truth) {
  if (truth.rows() == 0) return kUndefined;
  const auto count = std::count(truth.values().begin(), truth.values().end(), Label::Present);
  return static_cast<double>(count) / static_cast<double>(truth.rows());
}

// The mean over classes with a true clip.
double mean_over_classes(const std::vector<ClassMetrics>& classes, double ClassMetrics::*value) {
  double sum = 0;
  int defined = 0;
  for (const ClassMetrics& metrics : classes) {
    if (metrics.positives == 0) continue;
    sum += metrics.*value;
    ++defined;
  }
  return defined == 0 ? kUndefined : sum / defined;
}

ThresholdMetrics at_expected_count(const Matrix<float>& scores, const LabelMatrix& truth,
                                   const Matrix<float>& reference, double labels) {
  // Without any true label there is no expected number.
  if (scores.rows() == 0 || std::isnan(labels) || labels == 0) {
    return {kUndefined, kUndefined, kUndefined, kUndefined};
  }
  return at_threshold(scores, truth, threshold_for_count(reference, labels));
}

Json coverage_json(const MeasuredCoverage& measured) {
  return {{"requested", measured.rule.coverage},
          {"covered", number_or_null(measured.covered)},
          {"labels_per_set", number_or_null(measured.labels_per_set)},
          {"validation_clips", measured.rule.clips},
          {"clips_with_several", measured.clips_with_several}};
}

Json errors_json(const LabelProbabilityErrors& errors) {
  return {{"error", number_or_null(errors.calibration)}, {"brier", number_or_null(errors.brier)}};
}

std::vector<ClipEvaluation> evaluate_clips(const Matrix<float>& scores, const LabelMatrix& truth,
                                           const Evaluation& all) {
  const std::vector<double> top_set = top_set_of_clips(scores, truth);
  const std::vector<double> top1 = top1_of_clips(scores, truth);
  const auto overlap = [&](const ThresholdMetrics& cut) {
    return overlap_of_clips(scores, truth, cut.threshold);
  };
  const OverlapOfClips fixed = overlap(all.fixed);
  const OverlapOfClips expected = overlap(all.expected);
  const std::vector<double> best_iou = overlap(all.best.iou).iou;
  const std::vector<double> best_f1 = overlap(all.best.f1).f1;
  std::vector<ClipEvaluation> clips;
  for (std::size_t i = 0; i < scores.rows(); ++i) {
    clips.push_back({top_set[i], top1[i], fixed.iou[i], fixed.f1[i], expected.iou[i],
                     expected.f1[i], best_iou[i], best_f1[i]});
  }
  return clips;
}

}  // namespace

Evaluation evaluate(const Matrix<float>& scores, const LabelMatrix& truth,
                    const Matrix<float>& validation_scores, const EvaluationSettings& settings) {
  assert(scores.rows() == truth.rows() && scores.columns() == truth.columns());
  assert(validation_scores.rows() == 0 || validation_scores.columns() == scores.columns());
  if (!(settings.expected_labels >= 0)) {
    throw Error(
        "invalid number of expected labels per clip {}; expected 0 (the ground-truth mean) or "
        "more",
        settings.expected_labels);
  }
  require_finite(scores);
  Evaluation result{};
  result.clips = static_cast<int>(scores.rows());
  result.true_labels = mean_true_labels(truth);
  result.top_set = top_set_accuracy(scores, truth);
  result.top1 = top1_accuracy(scores, truth);
  // Scores are float, so no score lies between this double and the threshold.
  const double above =
      settings.at_least ? std::nextafter(settings.threshold, -1) : settings.threshold;
  result.classes = class_metrics(scores, truth, above);
  result.map = mean_over_classes(result.classes, &ClassMetrics::average_precision);
  result.map_interpolated =
      mean_over_classes(result.classes, &ClassMetrics::interpolated_average_precision);
  result.map_classes = static_cast<int>(
      std::count_if(result.classes.begin(), result.classes.end(),
                    [](const ClassMetrics& metrics) { return metrics.positives > 0; }));
  result.fixed = at_threshold(scores, truth, above);
  result.expected_labels =
      settings.expected_labels > 0 ? settings.expected_labels : result.true_labels;
  result.expected_clips = static_cast<int>(validation_scores.rows());
  result.expected =
      at_expected_count(scores, truth, validation_scores.rows() > 0 ? validation_scores : scores,
                        result.expected_labels);
  result.best = best_thresholds(scores, truth);
  // Of thresholds that differ only by rounding, the bound takes the highest value.
  for (const ThresholdMetrics& cut : {result.fixed, result.expected}) {
    if (cut.f1 > result.best.f1.f1) result.best.f1 = cut;
    if (cut.iou > result.best.iou.iou) result.best.iou = cut;
  }
  result.per_clip = evaluate_clips(scores, truth, result);
  result.fixed.threshold = settings.threshold;
  return result;
}

Json to_json(const Evaluation& evaluation, const Vocabulary& classes) {
  assert(evaluation.classes.size() == classes.names().size());
  const ThresholdMetrics& expected = evaluation.expected;
  const BestThresholds& best = evaluation.best;
  Json json = {{"clips", evaluation.clips},
               {"true_labels", number_or_null(evaluation.true_labels)},
               {"threshold", evaluation.fixed.threshold},
               {"top_set", number_or_null(evaluation.top_set)},
               {"top1", number_or_null(evaluation.top1)},
               {"iou", number_or_null(evaluation.fixed.iou)},
               {"f1", number_or_null(evaluation.fixed.f1)},
               {"map", number_or_null(evaluation.map)},
               {"map_interpolated", number_or_null(evaluation.map_interpolated)},
               {"map_classes", evaluation.map_classes},
               {"predicted_labels", number_or_null(evaluation.fixed.predicted_labels)}};
  json["at_expected"] = {{"expected_labels", number_or_null(evaluation.expected_labels)},
                         {"threshold", number_or_null(expected.threshold)},
                         {"iou", number_or_null(expected.iou)},
                         {"f1", number_or_null(expected.f1)},
                         {"predicted_labels", number_or_null(expected.predicted_labels)}};
  json["best"] = {{"threshold", number_or_null(best.f1.threshold)},
                  {"f1", number_or_null(best.f1.f1)},
                  {"predicted_labels", number_or_null(best.f1.predicted_labels)},
                  {"iou", number_or_null(best.iou.iou)},
                  {"iou_threshold", number_or_null(best.iou.threshold)}};
  if (evaluation.coverage) json["coverage"] = coverage_json(*evaluation.coverage);
  if (evaluation.calibration) {
    json["calibration"] = {{"before", errors_json(evaluation.calibration->before)},
                           {"after", errors_json(evaluation.calibration->after)}};
  }
  json["classes"] = Json::array();
  for (ClassId id = 0; id < classes.size(); ++id) {
    const ClassMetrics& metrics = evaluation.classes[id];
    json["classes"].push_back(
        {{"name", classes.name(id)},
         {"positives", metrics.positives},
         {"precision", number_or_null(metrics.precision)},
         {"recall", number_or_null(metrics.recall)},
         {"ap", number_or_null(metrics.average_precision)},
         {"ap_interpolated", number_or_null(metrics.interpolated_average_precision)}});
  }
  return json;
}

}  // namespace manyverbs
