// SPDX-License-Identifier: MIT
#include "manyverbs/metrics/internal/distributions.h"

#include <cassert>
#include <cmath>

#include "manyverbs/metrics/internal/undefined.h"

namespace manyverbs {
namespace {

using metrics_internal::kUndefined;

// Continued fraction of the incomplete beta function, evaluated with the method of Lentz. Converges
// fast for x < (a + 1) / (a + b + 2).
double beta_fraction(double x, double a, double b) {
  constexpr double kTiny = 1e-300;
  const auto not_zero = [](double value) { return std::abs(value) < kTiny ? kTiny : value; };
  double c = 1;
  double d = 1 / not_zero(1 - (a + b) * x / (a + 1));
  double result = d;
  for (int m = 1; m < 100000; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / not_zero(1 + even * d);
    c = not_zero(1 + even / c);
    result *= c * d;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / not_zero(1 + odd * d);
    c = not_zero(1 + odd / c);
    result *= c * d;
    if (std::abs(c * d - 1) < 1e-15) break;
  }
  return result;
}

// The regularised incomplete beta function I_x(a, b), for x = part / (part + rest). Both are given
// because 1 - x loses digits if x is near 1.
double incomplete_beta(double part, double rest, double a, double b) {
  if (part <= 0) return 0;
  if (rest <= 0) return 1;
  const double x = part / (part + rest);
  const double y = rest / (part + rest);
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                a * std::log(x) + b * std::log(y));
  return x < (a + 1) / (a + b + 2) ? front * beta_fraction(x, a, b) / a
                                   : 1 - front * beta_fraction(y, b, a) / b;
}

// The x > 0 with rising(x) = p, by bisection.
template <typename Function>
double inverse(Function rising, double p) {
  double low = 0;
  double high = 1;
  while (rising(high) < p) high *= 2;
  while (high - low > 1e-13 * high) {
    const double middle = low + (high - low) / 2;
    (rising(middle) < p ? low : high) = middle;
  }
  return high;
}

double normal_below(double z) { return std::erfc(-z / std::sqrt(2.0)) / 2; }

// P(range <= q) = k * integral of phi(z) (Phi(z) - Phi(z - q))^(k - 1), where z is the maximum.
double normal_range_below(double q, int k) {
  constexpr double kLimit = 9;  // phi(9) is 1e-18
  constexpr int kSteps = 1000;  // of the trapezoidal rule, which is exact enough for this shape
  const double root = std::sqrt(2 * std::acos(-1.0));
  double sum = 0;
  for (int i = 0; i <= kSteps; ++i) {
    const double z = -kLimit + 2 * kLimit * i / kSteps;
    sum += std::exp(-z * z / 2) * std::pow(normal_below(z) - normal_below(z - q), k - 1);
  }
  return k * sum * 2 * kLimit / kSteps / root;
}

}  // namespace

double student_t_quantile(double p, double freedom) {
  if (!(p > 0 && p < 1 && freedom > 0)) return kUndefined;
  if (p < 0.5) return -student_t_quantile(1 - p, freedom);
  if (p == 0.5) return 0;
  return inverse(
      [&](double t) { return 1 - incomplete_beta(freedom, t * t, freedom / 2, 0.5) / 2; }, p);
}

double f_tail(double f, double a, double b) {
  if (std::isinf(f)) return 0;
  return incomplete_beta(b, a * f, b / 2, a / 2);
}

double normal_range_quantile(double p, int k) {
  assert(p > 0 && p < 1 && k >= 2);
  return inverse([&](double q) { return normal_range_below(q, k); }, p);
}

}  // namespace manyverbs
