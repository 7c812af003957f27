// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>

#include "manyverbs/learning/internal/trainer.h"
#include "manyverbs/support/internal/random.h"

namespace manyverbs {

/// The files of a training.
inline constexpr std::array kTrainingFiles = {"model.safetensors", "checkpoint.safetensors",
                                              "log.csv"};

/// Three separable classes: class c has about 3 in column c of four, about 0
/// elsewhere. The first clips are for training, 30 more for validation.
struct Toy {
  explicit Toy(int training = 60) : rows(training + 30, 4), table(rows) {
    Random random(5);
    std::vector<std::vector<ClassId>> labels;
    for (int i = 0; i < training + 30; ++i) {
      const ClassId label = i % 3;
      for (float& value : rows.row(i)) value = static_cast<float>(0.3 * random.normal());
      rows(i, label) += 3;
      labels.push_back({label});
      (i < training ? data.clips : data.validation_clips).push_back(ClipRow(i));
    }
    table = FeatureTable(rows);
    data.features = &table;
    data.targets = label_sets(std::span(labels).first(training), 3);
    data.validation_targets = label_sets(std::span(labels).subspan(training), 3);
  }
  Toy(const Toy&) = delete;
  Toy& operator=(const Toy&) = delete;

  /// The top-1 accuracy on the validation clips.
  EpochScorer scorer() const {
    return {{"accuracy"}, [this](const Matrix<float>& probabilities) {
              double right = 0;
              for (std::size_t i = 0; i < probabilities.rows(); ++i) {
                const auto row = probabilities.row(i);
                const auto best = std::max_element(row.begin(), row.end()) - row.begin();
                if (data.validation_targets(i, best) == Label::Present) ++right;
              }
              return std::vector{right / static_cast<double>(probabilities.rows())};
            }};
  }

  Matrix<float> rows;
  FeatureTable table;
  TrainingData data;
};

inline RunSettings toy_settings() {
  RunSettings settings;
  settings.features.hidden = {8};
  settings.learning_rate = 0.01;
  settings.batch = 16;
  settings.epochs = 15;
  return settings;
}

}  // namespace manyverbs
