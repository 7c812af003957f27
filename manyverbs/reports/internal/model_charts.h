// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "manyverbs/dataset/dataset.h"
#include "manyverbs/protocols/internal/experiment.h"
#include "manyverbs/support/internal/json.h"

namespace manyverbs {

/// The charts of an experiment that need predictions on the test clips.
struct ModelCharts {
  Json thresholds = Json::array();    ///< ThresholdCurve of web/src/report/data.ts, one per row
  Json examples = Json::array();      ///< Example, one per clip
  std::vector<std::string> problems;  ///< errors of runs that cannot be used, one each
};

/// `datasets` are the data sets of the results, null if missing. Examples are clips with several
/// labels and different predictions, of varied classes. Video paths are relative to the folder of
/// the page.
ModelCharts model_charts(const Results& results, std::span<const Dataset* const> datasets,
                         int examples, const std::filesystem::path& page_folder);

/// The predictions for one clip: {"match", "labels", "more", "missed"}. `match` is the mark of the
/// paper: "all" if they are exactly the ground truth, "part", "none", or "nothing" without
/// predictions. Labels are the classes above 0.5,
/// most probable first, at most twelve; `more` counts the rest. Probabilities {.9, .6, .4}, ground
/// truth {0, 2}: labels 0 (correct) and 1 (wrong), missed 2.
Json prediction_json(std::span<const float> probabilities, const std::vector<ClassId>& truth,
                     const Vocabulary& classes);

}  // namespace manyverbs
