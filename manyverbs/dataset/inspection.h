// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "manyverbs/dataset/array_file.h"
#include "manyverbs/dataset/dataset.h"

namespace manyverbs {

/// What is in a data set, and what looks wrong with it, before time is spent on training.

struct InspectionSettings {
  int examples = 3;         ///< shown of each finding
  int co_occurrences = 10;  ///< how many pairs of classes
  int least_clips = 5;      ///< a class on fewer clips starts no pair: its shares mean little
};

/// How many clips of each split carry a class.
struct ClassCount {
  int train = 0;
  int val = 0;
  int test = 0;
};

/// How many labels clips carry; NaN where there is no clip.
struct LabelsPerClip {
  int clips = 0;
  int least = 0;
  int most = 0;
  double mean = 0;
};

/// Of the clips with class `first`, how many carry `second` as well.
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

/// Something a person should look at: "classes without a training clip", 3, {"wash", "dry",
/// "fold"}.
struct Finding {
  Severity severity = Severity::Problem;
  std::string key;   ///< for programs: "untrained_classes"
  std::string what;  ///< for people
  std::int64_t count = 0;
  std::vector<std::string> examples = {};

  /// Counts one more, and keeps it where there are fewer than `most` examples yet.
  void add(std::string example, int most);
};

struct Inspection {
  std::vector<int> clips_by_split;           ///< in the order of kSplits
  std::vector<ClassCount> classes;           ///< one a class
  LabelsPerClip test_labels;                 ///< of test clips
  int originals = 0;                         ///< test clips whose original label is known
  LabelsPerClip truth;                       ///< of the clips whose truth is known
  int classes_of_half = 0;                   ///< so many of the largest classes hold half of train
  int full_clips = 0;                        ///< clips whose whole label set is known
  std::vector<CoOccurrence> co_occurrences;  ///< largest share first; then more clips, then by id
  std::vector<StreamSummary> streams;
  std::vector<Finding> findings;  ///< problems first
};

/// Looks through a data set, in one pass over its features. A broken feature file is a finding.
///
/// A clip's whole label set is its truth where that is known, else the labels of a test clip. Clips
/// {cut, peel}, {cut} and {cut, peel} make peel -> cut 2 of 2 and cut -> peel 2 of 3.
Inspection inspect(const Dataset& dataset, const InspectionSettings& settings);

/// Classes whose names differ only in case, spaces, '-' or '_', likely one class in several
/// spellings: each with the first such name and the number of clips that carry them, "'Kick' (1
/// clip) and 'kick' (20 clips)".
std::vector<std::string> alike_classes(const Dataset& dataset);

/// The part of inspect() that reads the feature files. Rows are looked at with all streams side by
/// side to tell duplicates, and a row of zeros only is no duplicate of another.
struct FeatureInspection {
  std::vector<StreamSummary> streams;
  std::vector<Finding> findings;  ///< those that found nothing have count 0
};
FeatureInspection inspect_features(const Dataset& dataset, const InspectionSettings& settings);

}  // namespace manyverbs
