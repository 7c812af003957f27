// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "manyverbs/protocols/internal/ranking.h"
#include "manyverbs/reports/internal/tables.h"

namespace manyverbs {

/// For the terminal: the mean ranks for the five metrics of the paper, p of the Friedman test, and
/// the critical difference. With Emphasis::Ansi, the ranks are bold that differ from the best by at
/// most the critical difference.
std::string ranking_text(const Ranking& ranking, Emphasis emphasis = Emphasis::None);

/// One object: datasets, rows (key, title, mean_ranks by metric key), p by metric key,
/// critical_difference, left_out. Undefined values are null.
Json ranking_json(const Ranking& ranking);

}  // namespace manyverbs
