// SPDX-License-Identifier: MIT
#include "manyverbs/dataset/feature_table.h"

#include <algorithm>
#include <cmath>

#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/parallel.h"
#include "manyverbs/support/internal/vectorised.h"

namespace manyverbs {
namespace {

// The sum of x * 0 is 0 unless an x is NaN or infinite. Unlike a search, it can be vectorised.
[[gnu::always_inline]] inline bool all_finite(const float* values, std::size_t count) {
  float lanes[16] = {};
  std::size_t i = 0;
  for (; i + 16 <= count; i += 16) {
    for (int lane = 0; lane < 16; ++lane) lanes[lane] += values[i + lane] * 0.0F;
  }
  for (; i < count; ++i) lanes[0] += values[i] * 0.0F;
  float sum = 0;
  for (const float lane : lanes) sum += lane;
  return sum == 0.0F;
}

}  // namespace

void check_features(const ArrayFile& file) {
  if (file.type() == NumberType::Int32 || file.type() == NumberType::Int64) {
    throw Error("{}: expected float16, float32 or float64, found {}", file.path().string(),
                type_name(file.type()));
  }
  if (file.columns() == 0) throw Error("{}: has no columns", file.path().string());
}

FeatureTable::FeatureTable(std::vector<ArrayFile> streams) : streams_(std::move(streams)) {
  if (streams_.empty()) throw Error("a feature table needs at least one array file");
  rows_ = streams_[0].rows();
  for (const ArrayFile& stream : streams_) {
    check_features(stream);
    columns_ += stream.columns();
    if (stream.rows() != rows_) {
      throw Error("{}: expected {} rows as in {}, found {}", stream.path().string(), rows_,
                  streams_[0].path().string(), stream.rows());
    }
  }
}

FeatureTable::FeatureTable(Matrix<float> rows)
    : memory_(std::move(rows)), rows_(memory_.rows()), columns_(memory_.columns()) {}

void FeatureTable::read(std::span<const ClipRow> rows, float* out) const {
  parallel_for(rows.size(), 16, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      float* place = out + i * columns_;
      if (streams_.empty()) {
        const auto row = memory_.row(index(rows[i]));
        std::copy(row.begin(), row.end(), place);
        continue;
      }
      for (const ArrayFile& stream : streams_) {
        stream.read_row(index(rows[i]), place);
        if (!vectorised<all_finite>(place, stream.columns())) {
          const float* bad = std::find_if(place, place + stream.columns(),
                                          [](float value) { return !std::isfinite(value); });
          throw Error("{}: row {}, column {}: expected a finite number, found {}",
                      stream.path().string(), index(rows[i]), bad - place, *bad);
        }
        place += stream.columns();
      }
    }
  });
}

std::string FeatureTable::place(ClipRow row, std::size_t column) const {
  for (const ArrayFile& stream : streams_) {
    if (column < stream.columns()) {
      return fmt::format("{}: row {}, column {}", stream.path().string(), index(row), column);
    }
    column -= stream.columns();
  }
  return fmt::format("features: row {}, column {}", index(row), column);
}

void FeatureTable::prefetch(std::span<const ClipRow> rows) const {
  for (const ArrayFile& stream : streams_) {
    for (const ClipRow row : rows) stream.prefetch_row(index(row));
  }
}

}  // namespace manyverbs
