// SPDX-License-Identifier: MIT
#include "manyverbs/knn/internal/bounded_products.h"

#include <cblas.h>

#include <algorithm>
#include <cmath>

#include "manyverbs/knn/internal/exact_distance.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/parallel.h"
#include "manyverbs/support/internal/vectorised.h"

namespace manyverbs::knn_internal {
namespace {

// A dot product whose terms are rounded m times has an error of at most about m u |a||b|, in any
// order of summation. Products are summed in slices of columns, so that m is the length of a
// slice and the number of slices, not the number of columns. This length costs no time.
constexpr std::size_t kSlice = 256;

constexpr std::size_t kSampleRows = 1024;

// Squares and sums of squares of such numbers do not overflow float.
constexpr double kLargestSquare = 0x1p120;

// The relative error e of float32, as a share of |c(a)|^2 + |c(b)|^2, with u = 2^-24: products m u
// (2|a||b| is at most |a|^2 + |b|^2); c itself, rounded to float, 4 u; floor rounded to float and
// added to the product, 3 u; rounding of the exact distance in double, less than u. The rest of the
// 16 covers second-order terms.
double relative_error(std::size_t columns) {
  const std::size_t slices = (columns + kSlice - 1) / kSlice;
  const auto roundings = static_cast<double>(std::min(columns, kSlice) + slices + 16);
  return roundings * 0x1p-24 / (1 - roundings * 0x1p-24);
}

// The absolute error: products too small for float and, for cosine, the rounding in double of
// normalised rows.
double absolute_error(std::size_t columns, Metric metric) {
  const auto size = static_cast<double>(columns);
  return size * 0x1p-120 + (metric == Metric::Cosine ? 16 * (size + 16) * 0x1p-53 : 0.0);
}

// row = row * scale - mean; returns the squared length of the result.
[[gnu::always_inline]] inline double scale_and_centre(float* row, const float* mean, double scale,
                                                      std::size_t count) {
  double lanes[8] = {};
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    for (int lane = 0; lane < 8; ++lane) {
      row[i + lane] = static_cast<float>(row[i + lane] * scale - mean[i + lane]);
      lanes[lane] += static_cast<double>(row[i + lane]) * row[i + lane];
    }
  }
  double sum = 0;
  for (; i < count; ++i) {
    row[i] = static_cast<float>(row[i] * scale - mean[i]);
    sum += static_cast<double>(row[i]) * row[i];
  }
  for (const double lane : lanes) sum += lane;
  return sum;
}

}  // namespace

std::vector<Tile> PreparedRows::tiles(std::size_t columns) const {
  std::vector<Tile> tiles;
  for (std::size_t i = 0; i < size(); i += kTileRows) {
    tiles.push_back(
        {rows.data() + i * columns, floors.data() + i, first + i, std::min(kTileRows, size() - i)});
  }
  return tiles;
}

BoundedProducts::BoundedProducts(const FeatureTable& table, std::span<const ClipRow> clips,
                                 Metric metric)
    : table_(table),
      metric_(metric),
      mean_(table.columns()),
      relative_error_(relative_error(table.columns())),
      absolute_error_(absolute_error(table.columns(), metric)) {
  const std::size_t count = std::min(clips.size(), kSampleRows);
  std::vector<ClipRow> sample(count);
  for (std::size_t i = 0; i < count; ++i) sample[i] = clips[i * clips.size() / count];
  PreparedRows prepared;
  prepare(sample, 0, count, &prepared);
  std::vector<double> sums(columns());
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < columns(); ++j) sums[j] += prepared.rows[i * columns() + j];
  }
  for (std::size_t j = 0; j < columns(); ++j) {
    mean_[j] = static_cast<float>(sums[j] / static_cast<double>(count));
  }
}

float BoundedProducts::prepare_row(float* row, ClipRow table_row) const {
  double scale = 1;
  double missing = 0;
  if (metric_ == Metric::Cosine) {
    const double squared = dot_product(row, row, columns());
    scale = squared > 0 ? 1 / std::sqrt(squared) : 0;
    // A row of zeros has squared distance 1 from all normalised rows, but cosine distance 1 must be
    // a squared distance of 2. The difference of 1 is added here.
    missing = squared > 0 ? 0 : 1;
  }
  const double squared =
      vectorised<scale_and_centre>(row, mean_.data(), scale, columns()) + missing;
  if (!(squared < kLargestSquare)) {
    const float* bad = std::find_if(row, row + columns(), [&](float value) {
      return !(double{value} * value * static_cast<double>(columns()) < kLargestSquare);
    });
    throw Error("{}: expected a finite number below 1e16", table_.place(table_row, bad - row));
  }
  return static_cast<float>(squared * (1 - relative_error_) - absolute_error_);
}

void BoundedProducts::prepare(std::span<const ClipRow> list, std::size_t first, std::size_t count,
                              PreparedRows* prepared) const {
  const auto rows = list.subspan(first, count);
  prepared->first = first;
  prepared->rows.resize(count * columns());
  prepared->floors.resize(count);
  table_.read(rows, prepared->rows.data());
  parallel_for(count, 16, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      prepared->floors[i] = prepare_row(prepared->rows.data() + i * columns(), rows[i]);
    }
  });
}

void BoundedProducts::multiply(const Tile& a, const Tile& b, float* out) const {
  const int stride = static_cast<int>(columns());
  for (std::size_t slice = 0; slice < columns(); slice += kSlice) {
    const int length = static_cast<int>(std::min(kSlice, columns() - slice));
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, static_cast<int>(a.size),
                static_cast<int>(b.size), length, -2.0F, a.rows + slice, stride, b.rows + slice,
                stride, slice == 0 ? 0.0F : 1.0F, out, static_cast<int>(b.size));
  }
}

}  // namespace manyverbs::knn_internal
