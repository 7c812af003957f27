// SPDX-License-Identifier: MIT
#include "manyverbs/learning/internal/schedule.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace manyverbs {
namespace {

constexpr double kDrop = 0.1;
constexpr int kPatience = 10;
constexpr double kLeastGain = 1e-4;

double plateau_factor(const std::vector<EpochRecord>& epochs) {
  double factor = 1;
  double least = std::numeric_limits<double>::infinity();
  int stale = 0;
  for (const EpochRecord& epoch : epochs) {
    if (std::isinf(least) || epoch.validation_loss < least - kLeastGain * std::abs(least)) {
      least = epoch.validation_loss;
      stale = 0;
    } else if (++stale > kPatience) {
      factor *= kDrop;
      stale = 0;
    }
  }
  return factor;
}

}  // namespace

double rate_factor(Schedule schedule, const std::vector<EpochRecord>& epochs, int epochs_at_most) {
  if (schedule == Schedule::Constant) return 1;
  if (schedule == Schedule::Plateau) return plateau_factor(epochs);
  const double share = static_cast<double>(epochs.size()) / epochs_at_most;
  return 0.5 * (1 + std::cos(std::numbers::pi * share));
}

}  // namespace manyverbs
