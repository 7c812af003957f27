// SPDX-License-Identifier: MIT
#include "manyverbs/metrics/internal/mean_ranks.h"

#include <algorithm>
#include <cmath>

#include "manyverbs/metrics/internal/distributions.h"
#include "manyverbs/metrics/internal/undefined.h"

namespace manyverbs {

using metrics_internal::kUndefined;

std::vector<double> ranks(std::span<const double> values) {
  std::vector<double> result;
  for (const double value : values) {
    const auto higher =
        std::count_if(values.begin(), values.end(), [&](double other) { return other > value; });
    const auto equal = std::count(values.begin(), values.end(), value);
    result.push_back(static_cast<double>(higher) + static_cast<double>(equal + 1) / 2);
  }
  return result;
}

FriedmanTest friedman_test(const Matrix<double>& values) {
  const auto datasets = static_cast<double>(values.rows());
  const auto methods = static_cast<double>(values.columns());
  FriedmanTest test{{}, kUndefined, kUndefined, kUndefined};
  // Ranks are multiples of 1/2, so these sums are exact.
  std::vector<double> sums(values.columns(), 0.0);
  double squares = 0;
  for (std::size_t n = 0; n < values.rows(); ++n) {
    const std::vector<double> each = ranks(values.row(n));
    for (std::size_t j = 0; j < each.size(); ++j) {
      sums[j] += each[j];
      squares += each[j] * each[j];
    }
  }
  const double middle = (methods + 1) / 2;
  double between = 0;
  for (const double sum : sums) {
    test.mean_ranks.push_back(sum / datasets);
    between += (sum - datasets * middle) * (sum - datasets * middle);
  }
  // Less with ties.
  const double all = squares - datasets * methods * middle * middle;
  if (datasets < 2 || methods < 2 || all == 0) return test;
  test.chi_squared = (methods - 1) * between / all;
  test.f = (datasets - 1) * between / (datasets * all - between);
  // The F distribution is an approximation, which gives 0 for the same order on all data sets.
  const double same_order = std::exp(-std::lgamma(methods + 1) * (datasets - 1));
  test.p = std::max(same_order, f_tail(test.f, methods - 1, (methods - 1) * (datasets - 1)));
  return test;
}

double critical_difference(int methods, int datasets) {
  const double k = methods;
  return normal_range_quantile(0.95, methods) / std::sqrt(2.0) *
         std::sqrt(k * (k + 1) / (6.0 * datasets));
}

}  // namespace manyverbs
