// SPDX-License-Identifier: MIT
#include "manyverbs/labels/targets.h"

#include <gtest/gtest.h>

namespace manyverbs {
namespace {

constexpr Label kAbsent = Label::Absent;
constexpr Label kPresent = Label::Present;

TEST(Targets, EveryLabelOfASetIsPresent) {
  const std::vector<std::vector<ClassId>> sets = {{2, 0}, {}};
  EXPECT_EQ(label_sets(sets, 3),
            LabelMatrix(2, 3, {kPresent, kAbsent, kPresent, kAbsent, kAbsent, kAbsent}));
}

}  // namespace
}  // namespace manyverbs
