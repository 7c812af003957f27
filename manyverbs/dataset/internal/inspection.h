// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "manyverbs/dataset/array_file.h"
#include "manyverbs/dataset/dataset.h"

namespace manyverbs {

/// Statistics of a data set, and likely errors in it.

struct InspectionSettings {
  int examples = 3;         ///< examples shown per finding
  int co_occurrences = 10;  ///< number of class pairs to list
  int least_clips = 5;      ///< minimum number of clips of the first class of a pair
};

/// Number of clips of a class in each split.
struct ClassCount {
  int train = 0;
  int val = 0;
  int test = 0;
};

/// Statistics of the number of labels per clip; NaN without clips.
struct LabelsPerClip {
  int clips = 0;
  int least = 0;
  int most = 0;
  double mean = 0;
};

/// Co-occurrence: of the clips with class `first`, how many also have `second`.
struct CoOccurrence {
  ClassId first = 0;
  ClassId second = 0;
  int clips = 0;     ///< with `first`
  int together = 0;  ///< with both

  double share() const { return static_cast<double>(together) / clips; }
};

struct StreamSummary {
  std::string name;
  std::size_t rows = 0;
  std::size_t columns = 0;
  NumberType type = NumberType::Float32;
};

enum class Severity { Note, Problem };

/// A likely error or a note: "classes without a training clip", 3, {"wash", "dry", "fold"}.
struct Finding {
  Severity severity = Severity::Problem;
  std::string key;   ///< for programs: "untrained_classes"
  std::string what;  ///< for people
  std::int64_t count = 0;
  std::vector<std::string> examples = {};

  /// Increases the count, and adds an example if there are fewer than `most`.
  void add(std::string example, int most);
};

struct Inspection {
  std::vector<int> clips_by_split;  ///< in the order of kSplits
  std::vector<ClassCount> classes;  ///< one per class
  LabelsPerClip test_labels;        ///< of test clips
  int originals = 0;                ///< test clips whose original label is known
  LabelsPerClip truth;              ///< of the clips with known ground truth
  int classes_of_half = 0;  ///< minimum number of classes that contain half of the training clips
  int full_clips = 0;       ///< clips with a known full label set
  std::vector<CoOccurrence> co_occurrences;  ///< ordered by share, then number of clips, then id
  std::vector<StreamSummary> streams;
  std::vector<Finding> findings;  ///< problems first
};

/// Inspects a data set in one pass over its features. An invalid feature file is a finding.
///
/// The full label set of a clip is its ground truth if known, otherwise the labels of a test clip.
/// Clips {cut, peel}, {cut} and {cut, peel} give peel -> cut 2 of 2 and cut -> peel 2 of 3.
Inspection inspect(const Dataset& dataset, const InspectionSettings& settings);

/// Classes whose names differ only in case, spaces, '-' or '_', which are probably the same class.
/// Each is listed with the first such name and the numbers of clips: "'Kick' (1 clip) and 'kick'
/// (20 clips)".
std::vector<std::string> alike_classes(const Dataset& dataset);

/// The part of inspect() that reads the feature files. Duplicates are rows that are equal in all
/// streams; rows of zeros are not counted as duplicates.
struct FeatureInspection {
  std::vector<StreamSummary> streams;
  std::vector<Finding> findings;  ///< including findings with count 0
};
FeatureInspection inspect_features(const Dataset& dataset, const InspectionSettings& settings);

}  // namespace manyverbs
