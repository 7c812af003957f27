// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "manyverbs/dataset/clip.h"
#include "manyverbs/support/matrix.h"

namespace manyverbs {

/// The training target of a class in a clip. It has the size of a score, which makes loops over
/// both fast.
enum class Label : std::int32_t { Absent, Present, Unknown };

/// N clips x C classes.
using LabelMatrix = Matrix<Label>;

/// All labels in the set of each clip are Present, all others Absent. {2, 0} of 3 classes gives
/// {Present, Absent, Present}.
LabelMatrix label_sets(std::span<const std::vector<ClassId>> sets, int num_classes);

/// Whether a row has more than one Present.
bool has_several_labels(const LabelMatrix& labels);

}  // namespace manyverbs
