// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "manyverbs/dataset/dataset.h"
#include "manyverbs/metrics/evaluation.h"
#include "manyverbs/support/matrix.h"

namespace manyverbs {

struct PredictedLabel {
  std::string name;
  float probability = 0;
};

/// What a model says of one video or row of features.
struct Prediction {
  std::vector<PredictedLabel> labels;  ///< above the threshold, the most probable first
  PredictedLabel best;                 ///< the most probable, whatever the threshold
};

struct VideoProbabilities {
  std::vector<std::filesystem::path> videos;  ///< those that could be read, as they were given
  Matrix<float> probabilities;                ///< one row for each of them
  std::vector<std::string> problems;  ///< "lost.mp4: the file does not exist", of the others
};

/// A trained model, of a run folder or of a bundle that `manyverbs export` wrote. It needs only its
/// folder, and of a run on features that labels videos also the files of the backbones' weights,
/// which a bundle holds.
///
///   const Model model = Model::open("verbs");
///   const double threshold = model.threshold_for(2.4);  // about 2.4 labels per clip
///   for (const Prediction& prediction : model.predict({"clip.mp4"}, threshold))
///     for (const PredictedLabel& label : prediction.labels)
///       std::cout << label.name << " " << label.probability << "\n";
///
/// Any number of threads may use a model at once.
class Model {
 public:
  /// Throws Error when the folder is neither, when a run has no model yet, and when a file of a
  /// bundle is missing or damaged.
  static Model open(const std::filesystem::path& folder);
  ~Model();
  Model(Model&&) noexcept;
  Model& operator=(Model&&) noexcept;

  const std::filesystem::path& folder() const;
  const std::vector<std::string>& classes() const;
  /// The streams of the features it reads, in the order of their columns. None: it reads clips.
  const std::vector<std::string>& streams() const;
  /// Columns of all streams together; 0 where it reads clips.
  int feature_columns() const;
  /// Whether it can label videos. A model that learnt from features of unknown origin cannot.
  bool reads_videos() const;

  /// The threshold that gave so many labels per clip on the validation clips of its training.
  /// Throws Error unless the number is above 0 and at most that of the classes.
  double threshold_for(double labels_per_clip) const;

  /// The labels of video files, or of folders of frames. Throws Error for the first that cannot be
  /// read.
  std::vector<Prediction> predict(const std::vector<std::filesystem::path>& videos,
                                  double threshold = 0.5) const;
  /// The labels of rows of features, feature_columns() numbers each.
  std::vector<Prediction> predict(const Matrix<float>& features, double threshold = 0.5) const;
  /// The labels that a row of probabilities stands for.
  Prediction prediction(std::span<const float> probabilities, double threshold = 0.5) const;

  /// Probabilities, one row per video, one column per class: to the bit those that the videos would
  /// get as clips of a data set. Each is decoded once and nothing is written. With OnError::Stop
  /// the first problem is thrown as Error.
  VideoProbabilities probabilities(const std::vector<std::filesystem::path>& videos,
                                   OnError on_error) const;
  /// The same of rows of features. Throws Error when they have another number of columns or the
  /// model reads clips.
  Matrix<float> probabilities(const FeatureTable& features, std::span<const ClipRow> rows) const;
  /// The same of clips of a data set, of its features or of its videos. Throws Error when the data
  /// set lacks what the model reads.
  Matrix<float> probabilities(const Dataset& dataset, std::span<const ClipRow> clips) const;

  /// The metrics on a split of a data set with the same classes. The expected threshold is found on
  /// the validation clips of the training, whatever the data set.
  Evaluation evaluate(const Dataset& dataset, Split split,
                      const EvaluationSettings& settings = {}) const;

  /// The data set it was trained on. Throws Error when it is not there any more, or when features
  /// it learnt from have changed since.
  Dataset dataset() const;
  /// Whether a data set lies where that one is.
  bool is_own(const Dataset& dataset) const;
  /// Of its own data set or a copy of it, the first feature file that is not what it was in
  /// training: a model knows nothing about features of another network. "" when there is none.
  std::string changed_features(const Dataset& dataset) const;
  /// Throws Error when there is one.
  void check_features(const Dataset& dataset) const;

 private:
  struct State;
  explicit Model(std::unique_ptr<const State> state);

  std::unique_ptr<const State> state_;
};

}  // namespace manyverbs
