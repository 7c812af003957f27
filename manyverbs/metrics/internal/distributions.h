// SPDX-License-Identifier: MIT
#pragma once

namespace manyverbs {

/// Distributions of test statistics, accurate to nine digits for up to 100,000 degrees of freedom.

/// The p-quantile of Student's t distribution with `freedom` degrees of freedom, which may be a
/// fraction. p 0.975: 12.706 for 1 degree, 2.776 for 4, 1.960 for very many. NaN unless 0 < p < 1
/// and freedom > 0.
double student_t_quantile(double p, double freedom);

/// The probability that an F-distributed variable with (a, b) degrees of freedom is above f. 5.786
/// with (2, 5): 0.05.
double f_tail(double f, double a, double b);

/// The p-quantile of the range of k independent standard normal variables, k at least 2. p 0.95, k
/// 4: 3.633, which is 2.569 times the square root of 2.
double normal_range_quantile(double p, int k);

}  // namespace manyverbs
