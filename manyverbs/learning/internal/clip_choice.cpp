// SPDX-License-Identifier: MIT
#include "manyverbs/learning/internal/clip_choice.h"

#include <algorithm>

#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/random.h"

namespace manyverbs {
namespace {

// Random sequences of a seed: 0 is for the initial weights; 1, 2, … are for the order in epochs.
constexpr std::uint64_t kHoldOutSequence = UINT64_MAX;

// Holds out a seeded random tenth of the clips to select the epoch.
void hold_out(ClipChoice* choice, std::uint64_t seed, const std::filesystem::path& clips_file) {
  if (choice->training.size() < 10) {
    throw Error("{}: {} training clips are too few to hold out a tenth; add clips of the split val",
                clips_file.string(), choice->training.size());
  }
  std::vector<ClipRow> shuffled = choice->training;
  Random(seed, kHoldOutSequence).shuffle(std::span(shuffled));
  const auto cut = shuffled.begin() + static_cast<std::ptrdiff_t>(shuffled.size() / 10);
  choice->validation.assign(shuffled.begin(), cut);
  choice->training.assign(cut, shuffled.end());
  std::sort(choice->validation.begin(), choice->validation.end());
  std::sort(choice->training.begin(), choice->training.end());
}

}  // namespace

ClipChoice choose_clips(const Dataset& dataset, Protocol protocol, std::uint64_t seed) {
  ClipChoice choice;
  choice.training = dataset.clips_of(Split::Train);
  choice.validation = dataset.clips_of(Split::Val);
  if (choice.training.size() < 2) {
    throw Error("{}: expected at least 2 clips of the split train, found {}",
                (dataset.folder / "clips.csv").string(), choice.training.size());
  }
  if (!choice.validation.empty()) return choice;
  if (protocol == Protocol::Clean) {
    hold_out(&choice, seed, dataset.folder / "clips.csv");
    return choice;
  }
  choice.validation = dataset.clips_of(Split::Test);
  choice.validation_is_test = true;
  if (choice.validation.empty()) {
    throw Error("{}: has no clips of the split val or test, which select the best epoch",
                (dataset.folder / "clips.csv").string());
  }
  return choice;
}

}  // namespace manyverbs
