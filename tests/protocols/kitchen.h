// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "manyverbs/dataset/array_file.h"
#include "manyverbs/demo/internal/synthetic.h"
#include "manyverbs/protocols/pseudo_labelling.h"
#include "manyverbs/protocols/runs.h"
#include "tests/scratch.h"

namespace manyverbs {

/// A rendered kitchen with few clips, as a data-set folder.
inline Dataset write_kitchen(const std::filesystem::path& folder, SyntheticSettings settings) {
  settings.feature_columns = 12;
  write_synthetic(folder, make_synthetic(settings));
  return read_dataset(folder);
}

inline Dataset write_kitchen(const std::filesystem::path& folder) {
  return write_kitchen(folder, {.train = 200, .val = 40, .test = 60});
}

/// Six clips on a line, of the three splits in mixed order, at 0, 1, 3, 7, 8 and 4.
inline Dataset write_line(const std::filesystem::path& folder) {
  Dataset dataset;
  dataset.name = "line";
  dataset.classes = Vocabulary({"cut", "peel", "wash"});
  const auto add = [&](Split split, std::vector<ClassId> labels, std::vector<ClassId> truth) {
    const std::string name = "c" + std::to_string(dataset.clips.size());
    dataset.clips.push_back({name, split, std::move(labels), std::move(truth), "", {}, {}});
  };
  add(Split::Train, {0}, {0, 1});
  add(Split::Test, {0, 1}, {});
  add(Split::Train, {1}, {1});
  add(Split::Train, {2}, {});
  add(Split::Test, {0}, {});
  add(Split::Val, {1}, {});
  std::filesystem::create_directories(folder / "features");
  write_dataset(folder, dataset);
  write_array(folder / "features" / "x.npy", Matrix<float>(6, 1, {0, 1, 3, 7, 8, 4}));
  return read_dataset(folder);
}

/// Replaces the numbers of a file but keeps its size and time.
inline void replace_features(const std::filesystem::path& file) {
  Matrix<float> features = read_float_array(file);
  for (std::size_t i = 0; i < features.rows(); ++i) features(i, 0) = static_cast<float>(i % 7);
  const auto time = std::filesystem::last_write_time(file);
  write_array(file, features);
  std::filesystem::last_write_time(file, time);
}

/// Settings for a very short training.
inline RunSettings quick_run(const std::string& loss) {
  RunSettings settings;
  settings.loss = loss;
  settings.features.hidden = {16, 16};
  settings.learning_rate = 1e-3;
  settings.epochs = 3;
  return settings;
}

}  // namespace manyverbs
