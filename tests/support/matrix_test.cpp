// SPDX-License-Identifier: MIT
#include "manyverbs/support/matrix.h"

#include <gtest/gtest.h>

namespace manyverbs {
namespace {

TEST(Matrix, IsRowMajor) {
  Matrix<int> matrix(2, 3, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(matrix(1, 0), 4);
  EXPECT_EQ(matrix.row(1)[2], 6);
  EXPECT_EQ(matrix.data()[2], 3);
  matrix(0, 1) = 9;
  EXPECT_EQ(matrix.values(), (std::vector<int>{1, 9, 3, 4, 5, 6}));
}

TEST(Matrix, StartsWithTheGivenValue) {
  EXPECT_EQ((Matrix<int>(2, 2, 7)), (Matrix<int>(2, 2, {7, 7, 7, 7})));
  EXPECT_EQ((Matrix<int>(1, 2)), (Matrix<int>(1, 2, {0, 0})));
}

}  // namespace
}  // namespace manyverbs
