// SPDX-License-Identifier: MIT
#include "manyverbs/learning/internal/schedule.h"

#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/spelling.h"

namespace manyverbs {
namespace {

constexpr std::array<std::string_view, 2> kNames = {"plateau", "cosine"};
constexpr double kDrop = 0.1;
constexpr int kPatience = 10;
constexpr double kLeastGain = 1e-4;

double plateau_factor(const std::vector<EpochRecord>& epochs) {
  double factor = 1;
  double least = std::numeric_limits<double>::infinity();
  int stale = 0;
  for (const EpochRecord& epoch : epochs) {
    if (epoch.validation_loss < least * (1 - kLeastGain)) {
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

std::string_view schedule_name(Schedule schedule) { return kNames[static_cast<int>(schedule)]; }

Schedule find_schedule(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<Schedule>(i);
  }
  throw Error("no schedule '{}'{}", name,
              did_you_mean_or_list(name, {std::string(kNames[0]), std::string(kNames[1])}));
}

double rate_factor(Schedule schedule, const std::vector<EpochRecord>& epochs, int epochs_at_most) {
  if (schedule == Schedule::Plateau) return plateau_factor(epochs);
  const double share = static_cast<double>(epochs.size()) / epochs_at_most;
  return 0.5 * (1 + std::cos(std::numbers::pi * share));
}

}  // namespace manyverbs
