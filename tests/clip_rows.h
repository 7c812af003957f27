// SPDX-License-Identifier: MIT
#pragma once

#include <initializer_list>
#include <vector>

#include "manyverbs/dataset/clip.h"
#include "manyverbs/support/matrix.h"

namespace manyverbs {

inline std::vector<ClipRow> clip_rows(std::initializer_list<int> numbers) {
  std::vector<ClipRow> rows;
  for (const int number : numbers) rows.push_back(ClipRow(number));
  return rows;
}

inline Matrix<ClipRow> clip_rows(std::size_t rows, std::size_t columns,
                                 std::initializer_list<int> numbers) {
  return {rows, columns, clip_rows(numbers)};
}

}  // namespace manyverbs
