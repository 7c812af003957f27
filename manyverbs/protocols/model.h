// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "manyverbs/dataset/dataset.h"
#include "manyverbs/metrics/calibration.h"
#include "manyverbs/metrics/coverage.h"
#include "manyverbs/metrics/evaluation.h"
#include "manyverbs/support/matrix.h"

namespace manyverbs {

struct PredictedLabel {
  std::string name;
  float probability = 0;
};

/// The output of a model for one video or row of features.
struct Prediction {
  std::vector<PredictedLabel> labels;  ///< above the threshold or in the set, most probable first
  PredictedLabel best;                 ///< the most probable label, independent of the threshold
};

struct VideoProbabilities {
  std::vector<std::filesystem::path> videos;  ///< the readable videos, as given
  Matrix<float> probabilities;                ///< one row for each of them
  std::vector<std::string> problems;  ///< of the other videos: "lost.mp4: the file does not exist"
};

/// A trained model from a run folder or from a bundle, written by `manyverbs export`. It needs only
/// its folder. To label videos, a run on features also needs the weights of the backbones, which a
/// bundle contains.
///
///   const Model model = Model::open("verbs");
///   const double threshold = model.threshold_for(2.4);  // about 2.4 labels per clip
///   for (const Prediction& prediction : model.predict({"clip.mp4"}, threshold))
///     for (const PredictedLabel& label : prediction.labels)
///       std::cout << label.name << " " << label.probability << "\n";
///
/// With a coverage instead of a threshold, the labels of a clip are a set that contains the label
/// that an annotator would give it, for at least 90 % of new clips:
///
///   const CoverageRule rule = model.coverage_rule(0.9);
///   const Prediction set = model.predict({"clip.mp4"}, rule).front();
///
/// Thread-safe.
class Model {
 public:
  /// Throws Error if the folder is neither, if a run has no model yet, or if a file of a bundle is
  /// missing or damaged.
  static Model open(const std::filesystem::path& folder);
  ~Model();
  Model(Model&&) noexcept;
  Model& operator=(Model&&) noexcept;

  const std::filesystem::path& folder() const;
  const std::vector<std::string>& classes() const;
  /// The feature streams that it requires, in the order of columns; empty for a run on clips.
  const std::vector<std::string>& streams() const;
  /// Columns of all streams together; 0 for a run on clips.
  int feature_columns() const;
  /// Whether it can label videos. Models trained on imported features cannot.
  bool reads_videos() const;

  /// The threshold that gives this number of labels per clip on the validation clips of the run.
  /// Throws Error unless it is above 0 and at most the number of classes.
  double threshold_for(double labels_per_clip) const;
  /// The threshold of predict() and prediction() unless another one is given: the one with the
  /// highest F1 on the validation clips, if these have all labels that apply; otherwise
  /// threshold_for() the expected number of labels of a run with the loss ce or cross-fit, if it
  /// has one; otherwise 0.5.
  double default_threshold() const;
  /// The rule for sets with this coverage, from the validation clips of the run and their labels.
  /// Approximate, because the same clips selected the epoch. Throws Error unless the coverage is
  /// above 0 and below 1; if there are too few clips (99 are required for 0.99); if they have
  /// several labels, as with Protocol::Paper; and if the run has no labels of them, because an
  /// older version trained it.
  CoverageRule coverage_rule(double coverage) const;
  /// The label probabilities (calibration.h) for rows of probabilities, calibrated on the
  /// validation clips of the run and their labels: how likely an annotator gives a clip this label.
  /// Throws Error without these labels, as coverage_rule().
  Matrix<float> label_probabilities(const Matrix<float>& probabilities) const;
  /// The expected labels per clip that the run was trained with; 0: not given.
  double expected_labels() const;
  /// How likely each class applies (calibration.h), for rows of probabilities, if clips have this
  /// number of labels on average. Needs no labels: the factor comes from the probabilities of the
  /// validation clips. Throws Error unless the number is above 0 and at most that of the classes.
  Matrix<float> presences(const Matrix<float>& probabilities, double labels_per_clip) const;

  /// The labels of video files or folders of frames. Throws Error for the first unreadable one.
  std::vector<Prediction> predict(const std::vector<std::filesystem::path>& videos,
                                  std::optional<double> threshold = {}) const;
  /// The labels of rows of features with feature_columns() columns.
  std::vector<Prediction> predict(const Matrix<float>& features,
                                  std::optional<double> threshold = {}) const;
  /// The labels for a row of probabilities.
  Prediction prediction(std::span<const float> probabilities,
                        std::optional<double> threshold = {}) const;
  /// The same with the sets of a coverage; never empty.
  std::vector<Prediction> predict(const std::vector<std::filesystem::path>& videos,
                                  const CoverageRule& rule) const;
  std::vector<Prediction> predict(const Matrix<float>& features, const CoverageRule& rule) const;
  Prediction prediction(std::span<const float> probabilities, const CoverageRule& rule) const;

  /// Probabilities, one row per video and one column per class, bit-identical to those of the same
  /// videos as clips of a data set. Each video is decoded once; nothing is written. With
  /// OnError::Stop, throws the first problem as Error.
  VideoProbabilities probabilities(const std::vector<std::filesystem::path>& videos,
                                   OnError on_error) const;
  /// The same for rows of features. Throws Error if the number of columns differs or for a run on
  /// clips.
  Matrix<float> probabilities(const FeatureTable& features, std::span<const ClipRow> rows) const;
  /// The same for clips of a data set, from its features or videos. Throws Error if the data set
  /// lacks these.
  Matrix<float> probabilities(const Dataset& dataset, std::span<const ClipRow> clips) const;

  /// The metrics on a split of a data set with the same classes. The expected threshold is always
  /// computed on the validation clips of the run. With a rule, its coverage of the original label
  /// of each clip is measured too, or of all labels where it is not known, and the calibration.
  Evaluation evaluate(const Dataset& dataset, Split split, const EvaluationSettings& settings = {},
                      const std::optional<CoverageRule>& rule = std::nullopt) const;

  /// The data set it was trained on. Throws Error if it no longer exists or if its features have
  /// changed since.
  Dataset dataset() const;
  /// Whether a data set is in the folder of that one.
  bool is_own(const Dataset& dataset) const;
  /// Whether it was trained again with its validation clips, so that their labels cannot measure
  /// it.
  bool was_refitted() const;
  /// The first feature file of its data set, or of a copy, that has changed since training, since a
  /// model is useless for features of another network; "" if there is none.
  std::string changed_features(const Dataset& dataset) const;
  /// Throws Error if there is one.
  void check_features(const Dataset& dataset) const;

 private:
  struct State;
  explicit Model(std::unique_ptr<const State> state);

  std::unique_ptr<const State> state_;
};

}  // namespace manyverbs
