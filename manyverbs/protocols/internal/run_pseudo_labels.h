// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "manyverbs/dataset/dataset.h"
#include "manyverbs/labels/pseudo_labels.h"
#include "manyverbs/learning/losses.h"

namespace manyverbs {

/// The pseudo-labels of runs: read by name, reduced to the training clips, compared by hash.

/// The pseudo-labels with a name in DATASET/pseudo_labels, or of a CSV file; one entry per training
/// clip. Throws Error if there are none, or if their inputs have changed since, with the command
/// that makes them.
Suggestions read_suggestions(const Dataset& dataset, const std::string& name);

/// Of `all`, one entry per training clip, those of the given training clips.
Suggestions chosen_suggestions(const Dataset& dataset, const std::vector<ClipRow>& chosen,
                               const Suggestions& all);

/// The minimum share of co-occurrence for class-level pseudo-labels.
Together together_of(Recipe recipe);

std::string hash_of(const Suggestions& suggestions);

}  // namespace manyverbs
