// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "manyverbs/dataset/clip.h"
#include "manyverbs/support/matrix.h"

namespace manyverbs {

/// What is believed of one class in one clip.
enum class Label : std::uint8_t { Absent, Present, Unknown };

/// N clips x C classes.
using LabelMatrix = Matrix<Label>;

/// Each clip's own label Present, all else Absent. Label 1 of 3 gives {Absent, Present, Absent}.
LabelMatrix single_labels(std::span<const ClassId> labels, int num_classes);

/// Every label in each clip's set Present, all else Absent.
LabelMatrix label_sets(std::span<const std::vector<ClassId>> sets, int num_classes);

}  // namespace manyverbs
