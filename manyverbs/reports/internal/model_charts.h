// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "manyverbs/dataset/dataset.h"
#include "manyverbs/protocols/experiment.h"
#include "manyverbs/support/internal/json.h"

namespace manyverbs {

/// What a report shows of the models of an experiment at work on the test clips.
struct ModelCharts {
  Json thresholds = Json::array();    ///< ThresholdCurve of web/src/report/data.ts, one a row
  Json examples = Json::array();      ///< Example, one a clip
  std::vector<std::string> problems;  ///< of runs that cannot be put to use any more, one each
};

/// `datasets` are those of the results, null where one is not there. Examples are clips with
/// several labels about which the rows disagree, of many classes; their addresses of videos are
/// relative to the folder of the page.
ModelCharts model_charts(const Results& results, std::span<const Dataset* const> datasets,
                         int examples, const std::filesystem::path& page_folder);

/// What a model says of one clip: {"labels", "more", "missed"}. Labels are the classes above 0.5,
/// most likely first, twelve at most; `more` counts the rest. Probabilities {.9, .6, .4} and true
/// {0, 2}: labels 0 (correct) and 1 (not), missed 2.
Json prediction_json(std::span<const float> probabilities, const std::vector<ClassId>& truth,
                     const Vocabulary& classes);

}  // namespace manyverbs
