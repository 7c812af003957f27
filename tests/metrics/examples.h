// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <initializer_list>
#include <vector>

#include "manyverbs/labels/targets.h"
#include "manyverbs/support/internal/json.h"
#include "manyverbs/support/internal/random.h"
#include "manyverbs/support/matrix.h"

namespace manyverbs {

/// Common inputs of tests of metrics.

/// Labels from 0 and 1.
inline std::vector<Label> labels_of(std::initializer_list<int> values) {
  std::vector<Label> labels;
  for (const int value : values) labels.push_back(value == 0 ? Label::Absent : Label::Present);
  return labels;
}

inline LabelMatrix truth_of(std::size_t rows, std::size_t columns,
                            std::initializer_list<int> values) {
  return {rows, columns, labels_of(values)};
}

struct Example {
  Matrix<float> scores;
  LabelMatrix truth;
};

/// Scores in `levels` steps from 0, of which many are equal; about one label in ten is true, and
/// true labels score higher.
inline Example random_example(int seed, std::size_t clips, std::size_t classes, int levels) {
  Random random(seed);
  Example example{Matrix<float>(clips, classes), LabelMatrix(clips, classes)};
  for (std::size_t i = 0; i < clips; ++i) {
    for (std::size_t j = 0; j < classes; ++j) {
      const bool is_true = random.uniform() < 0.1;
      const double level = static_cast<double>(random.below(levels)) / levels;
      example.scores(i, j) = static_cast<float>(is_true ? (level + 1) / 2 : level * level * level);
      example.truth(i, j) = is_true ? Label::Present : Label::Absent;
    }
  }
  return example;
}

/// The output of tests/golden/metrics.py.
struct Golden {
  Json json;
  Matrix<float> scores;
  LabelMatrix truth;
};

inline Golden read_golden() {
  Golden golden;
  golden.json = read_json(std::filesystem::path(MANYVERBS_TEST_FOLDER) / "golden" / "metrics.json");
  const Json& scores = golden.json["scores"];
  golden.scores = Matrix<float>(scores.size(), scores[0].size());
  golden.truth = LabelMatrix(scores.size(), scores[0].size());
  for (std::size_t i = 0; i < scores.size(); ++i) {
    for (std::size_t j = 0; j < scores[i].size(); ++j) {
      golden.scores(i, j) = scores[i][j];
      golden.truth(i, j) = golden.json["truth"][i][j] == 1 ? Label::Present : Label::Absent;
    }
  }
  return golden;
}

}  // namespace manyverbs
