// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "manyverbs/metrics/evaluation.h"
#include "manyverbs/support/internal/display.h"

namespace manyverbs {
namespace {

constexpr int kLongestName = 40;

std::string percent(double fraction) {
  return std::isnan(fraction) ? "-" : fmt::format("{:.1f}", 100 * fraction);
}

std::string number(double value, int decimals) {
  return std::isnan(value) ? "-" : fmt::format("{:.{}f}", value, decimals);
}

// Three significant digits, because thresholds of uncertain models are small.
std::string threshold_text(double value) {
  return std::isnan(value) ? "-" : fmt::format("{:.3g}", value);
}

std::string threshold_row(std::string_view name, const std::string& fixed,
                          const std::string& expected, const std::string& best) {
  return fmt::format("{:<16}{:>8}{:>10}{:>8}\n", name, fixed, expected, best);
}

std::string five_metrics(const Evaluation& evaluation) {
  constexpr std::string_view kRow = "{:>8}{:>8}{:>8}{:>8}{:>8}\n";
  return fmt::format(kRow, "Top-set", "Top-1", "IOU", "F1", "mAP") +
         fmt::format(kRow, percent(evaluation.top_set), percent(evaluation.top1),
                     percent(evaluation.fixed.iou), percent(evaluation.fixed.f1),
                     percent(evaluation.map));
}

std::string three_thresholds(const Evaluation& evaluation) {
  const ThresholdMetrics& fixed = evaluation.fixed;
  const ThresholdMetrics& expected = evaluation.expected;
  const BestThresholds& best = evaluation.best;
  const std::string truth = number(evaluation.true_labels, 2);
  return threshold_row("", "fixed", "expected", "best*") +
         threshold_row("threshold", threshold_text(fixed.threshold),
                       threshold_text(expected.threshold), threshold_text(best.f1.threshold)) +
         threshold_row("IOU", percent(fixed.iou), percent(expected.iou), percent(best.iou.iou)) +
         threshold_row("F1", percent(fixed.f1), percent(expected.f1), percent(best.f1.f1)) +
         threshold_row("predicted labels", number(fixed.predicted_labels, 2),
                       number(expected.predicted_labels, 2), number(best.f1.predicted_labels, 2)) +
         threshold_row("true labels", truth, truth, truth);
}

// The expected number and the number on these clips refer to different clips.
std::string expected_note(const Evaluation& evaluation) {
  const std::string wanted = number(evaluation.expected_labels, 2);
  if (evaluation.expected_clips == 0) {
    return fmt::format("expected: the threshold that gives {} labels per clip on these clips\n",
                       wanted);
  }
  return fmt::format(
      "expected: the threshold that gives {} labels per clip on the {} validation clips; on "
      "these {} clips it gives {}\n",
      wanted, evaluation.expected_clips, evaluation.clips,
      number(evaluation.expected.predicted_labels, 2));
}

// "coverage: sets for 90 % contain the label of 91.2 % of these clips, with 4.81 labels per set"
std::string coverage_note(const MeasuredCoverage& measured) {
  std::string text = fmt::format(
      "coverage: label sets for {:.4g} %, from the {} validation clips, contain the label of {} % "
      "of these clips, with {} labels per set\n",
      100 * measured.rule.coverage, measured.rule.clips, percent(measured.covered),
      number(measured.labels_per_set, 2));
  if (measured.clips_with_several > 0) {
    text += fmt::format(
        "{} of these clips have several labels and no original label: of each, the share of its "
        "labels in the set counts\n",
        measured.clips_with_several);
  }
  return text;
}

std::string calibration_note(const MeasuredCalibration& measured) {
  return fmt::format(
      "label probabilities: calibration error {} %, {} % after calibration; Brier score {}, {} "
      "after calibration\n",
      percent(measured.before.calibration), percent(measured.after.calibration),
      number(measured.before.brier, 3), number(measured.after.brier, 3));
}

}  // namespace

std::string table(const Evaluation& evaluation) {
  return five_metrics(evaluation) +
         fmt::format(
             "in percent, over {} clips; mAP over the {} of {} classes that occur "
             "(interpolated: {})\n\n",
             evaluation.clips, evaluation.map_classes, evaluation.classes.size(),
             percent(evaluation.map_interpolated)) +
         three_thresholds(evaluation) + expected_note(evaluation) +
         fmt::format("* upper bound: the best threshold on these clips (for IOU {})\n",
                     threshold_text(evaluation.best.iou.threshold)) +
         (evaluation.coverage ? coverage_note(*evaluation.coverage) : "") +
         (evaluation.calibration ? calibration_note(*evaluation.calibration) : "");
}

std::string class_table(const Evaluation& evaluation, const Vocabulary& classes) {
  assert(evaluation.classes.size() == classes.names().size());
  int width = display_width("class");
  for (const std::string& name : classes.names()) {
    width = std::max(width, display_width(shortened(name, kLongestName)));
  }
  std::vector<ClassId> order(classes.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](ClassId a, ClassId b) {
    return evaluation.classes[a].positives > evaluation.classes[b].positives;
  });
  constexpr std::string_view kRow = "{}{:>8}{:>11}{:>8}{:>7}{:>14}\n";
  std::string text = fmt::format(kRow, left_aligned("class", width), "clips", "precision", "recall",
                                 "AP", "interpolated");
  for (const ClassId id : order) {
    const ClassMetrics& metrics = evaluation.classes[id];
    const std::string name = shortened(classes.name(id), kLongestName);
    text +=
        fmt::format(kRow, left_aligned(name, width), metrics.positives, percent(metrics.precision),
                    percent(metrics.recall), percent(metrics.average_precision),
                    percent(metrics.interpolated_average_precision));
  }
  return text;
}

}  // namespace manyverbs
