// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "manyverbs/support/matrix.h"

namespace manyverbs {

/// Comparison of methods over several data sets by their ranks (Demsar 2006).

/// The rank of each value; the highest has rank 1, equal values have the mean of their ranks.
/// {0.5, 0.7, 0.5}: {2.5, 1, 2.5}.
std::vector<double> ranks(std::span<const double> values);

struct FriedmanTest {
  std::vector<double> mean_ranks;  ///< of each method
  double chi_squared;              ///< Friedman's statistic, corrected for ties
  double f;                        ///< (N - 1) chi^2 / (N (k - 1) - chi^2), of Iman and Davenport
  double p;                        ///< the probability of such an f if all methods are equal, at
                                   ///< least that of the same order on all data sets, (1/k!)^(N-1)
};
/// values(n, j) is the value of method j on data set n. Statistics are NaN for fewer than two data
/// sets or methods, or if all methods are equal on every data set; f is infinite if all data sets
/// rank the methods in the same order. Values {{3, 2, 1}, {3, 2, 1},
/// {2, 3, 1}}: mean ranks 4/3, 5/3, 3, chi^2 14/3, f 7, p 0.049.
FriedmanTest friedman_test(const Matrix<double>& values);

/// The critical difference of Nemenyi: two of k methods differ at the level of 5 % if their mean
/// ranks on N data sets differ by more. 4 methods, 14 data sets: 1.25.
double critical_difference(int methods, int datasets);

}  // namespace manyverbs
