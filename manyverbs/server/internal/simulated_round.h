// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "manyverbs/dataset/dataset.h"
#include "manyverbs/server/internal/exports.h"
#include "manyverbs/support/internal/random.h"

namespace manyverbs {

/// A round with simulated people on clips whose labels are known, to see before a real round how
/// many answers a clip needs, and how well the rules find the labels.

/// A clip as a simulated person sees it.
struct SimulatedClip {
  std::vector<ClassId> shown;  ///< the candidates in the order on the page
  std::vector<ClassId> truth;  ///< those that apply
};

struct SimulatedPerson {
  std::string_view name;
  std::string_view behaviour;
  std::vector<ClassId> (*chosen)(const SimulatedClip& clip, Random* random);
};
/// careful, hasty, lazy, first, random, all and contrarian: from the best to the worst, where
/// first, random and all are no better than chance.
extern const std::array<SimulatedPerson, 7> kSimulatedPeople;
/// Who takes part: person i + 1 is the entry i.
using SimulatedPeople = std::span<const SimulatedPerson>;

/// The candidates of each task that apply: `truth` of its clip in the data set if known, otherwise
/// its labels. Throws Error if a clip is missing, or if no clip has several labels.
std::vector<std::vector<ClassId>> true_candidates(const AnnotationProject& project,
                                                  const Dataset& dataset);

/// What everybody takes for the truth if they make the same mistakes: each candidate that is not
/// the original is seen the wrong way with this probability. The model of annotators assumes that
/// people err independently, so this is the case in which it fails.
std::vector<std::vector<ClassId>> mistaken_truth(const AnnotationProject& project,
                                                 const std::vector<std::vector<ClassId>>& truth,
                                                 double share, std::uint64_t seed);

/// Each clip is answered by `answers` of the people, chosen at random. `truth` is that of each
/// task. An answer without a verb is "nothing happens".
AnnotationResult simulated_round(const AnnotationProject& project,
                                 const std::vector<std::vector<ClassId>>& truth,
                                 SimulatedPeople people, int answers, std::uint64_t seed);

/// Like simulated_round(), but people come in random order, and each answers the clip that
/// AnnotationStore::next_tasks() would assign in this order, until there are `answers` per clip on
/// average: by ClipOrder::Complete at most ceil(answers) per clip, by ClipOrder::Informative any
/// number. Clip values are computed ten times per round of the clips.
AnnotationResult simulated_round_in_order(const AnnotationProject& project,
                                          const std::vector<std::vector<ClassId>>& truth,
                                          SimulatedPeople people, double answers, ClipOrder order,
                                          std::uint64_t seed);

/// Precision, recall and F1 of the labels of all clips together. A clip without a result has its
/// original label.
struct LabelQuality {
  double precision = 0;
  double recall = 0;
  double f1 = 0;
};
LabelQuality label_quality(std::span<const FinalClip> clips,
                           const std::vector<std::vector<ClassId>>& truth);

}  // namespace manyverbs
