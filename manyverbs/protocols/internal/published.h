// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "manyverbs/protocols/internal/experiment.h"

namespace manyverbs {

/// The values in the tables of the paper, to show beside measured ones.

struct PublishedValue {
  double mean;       ///< a fraction
  double deviation;  ///< NaN if the paper gives none
};

/// "epic", "hmdb" and "hmdb-end-to-end".
std::vector<std::string> published_names();
/// Those with values for the tables of a kind: "epic" and "hmdb" for comparisons and ablations on
/// features, "epic" for sweeps, "hmdb-end-to-end" for comparisons of runs on clips.
std::vector<std::string> published_names(ExperimentKind kind, RunKind from);
/// Throws Error if there are no values with this name for the table; "" is also valid.
void require_published(std::string_view name, ExperimentKind kind, RunKind from);
/// "the paper, EPIC-Kitchens-100-SPMV". Throws Error with a suggestion for unknown names.
std::string published_source(std::string_view name);

/// The published value for a row and a metric, by their keys; nothing if the paper gives none. Its
/// mAP is interpolated, so it is the value of "map_interpolated", and "map" has none. "epic",
/// "p+s", "f1": 0.449 ± 0.003.
std::optional<PublishedValue> published_value(std::string_view name, std::string_view row,
                                              std::string_view metric);

}  // namespace manyverbs
