// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "manyverbs/server/internal/times.h"
#include "manyverbs/support/internal/json.h"

namespace soci {
class session;
}  // namespace soci

namespace manyverbs {

/// The rules of a round, which leaders can change at any time.

/// Which clip a person gets next.
enum class ClipOrder {
  Complete,  ///< the one with the most answers and assignments, so that clips are completed early
  Informative,  ///< the one on whose labels another answer tells the most
};
/// "complete" or "informative".
std::string_view clip_order_name(ClipOrder order);
/// Throws HttpError (400) for an unknown name.
ClipOrder find_clip_order(std::string_view name);

struct AnnotationSettings {
  int people = 3;                ///< answers by different people that a clip needs
  int hold_minutes = 15;         ///< of inactivity until assigned clips go to others
  double least_found = 0.5;      ///< warning below this share of original labels chosen
  double least_verbs = 1.5;      ///< warning below this mean number of verbs per clip
  double most_chosen = 0.6;      ///< warning above this mean share of candidates chosen
  double least_seconds = 2;      ///< warning below this median time per clip
  double most_same_keys = 0.7;   ///< warning above this share of answers with the same keys
  double least_agreement = 0.2;  ///< warning below this kappa with the others
  ClipOrder order = ClipOrder::Complete;
  int gold_at_start = 3;     ///< gold clips among the first clips of a person, twice as many
  int gold_every = 15;       ///< after that, a gold clip among so many clips; 0: none
  int gold_answers = 5;      ///< to gold clips, before a person is judged by them
  double least_gold = 0.5;   ///< warning below this F1 on gold clips, the pass mark
  bool gold_pauses = false;  ///< people below the pass mark are paused
  bool closed = false;       ///< no clip is assigned any more
  std::optional<Time> deadline = {};  ///< the round is closed from then on
  int quota = 0;                      ///< most clips that one person answers; 0: no limit
  int link_days = 14;                 ///< until an unused personal link expires

  bool is_over(Time now) const { return closed || (deadline && now >= *deadline); }
  bool operator==(const AnnotationSettings&) const = default;
};
/// As stored in the database and sent to pages.
Json settings_json(const AnnotationSettings& settings);
/// Parses settings_json(); the defaults for "".
AnnotationSettings settings_in(const std::string& text);
/// Those in the database.
AnnotationSettings settings_of(soci::session& sql);

}  // namespace manyverbs
