// SPDX-License-Identifier: MIT
#include "manyverbs/server/internal/gold_assignment.h"

#include <soci/soci.h>

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "manyverbs/server/internal/answer_rows.h"
#include "manyverbs/server/internal/gold.h"
#include "manyverbs/server/internal/leases.h"

namespace manyverbs {
namespace {

int number(soci::session& sql, const std::string& query) {
  int value = 0;
  sql << query, soci::into(value);
  return value;
}

// The place of the next clip that a person gets, from 1.
int next_place(soci::session& sql, int person) {
  return 1 + number(sql, fmt::format("SELECT COUNT(*) FROM leases WHERE person = {}", person));
}

GoldPlaces places_of(const std::string& secret, int person, const AnnotationSettings& settings) {
  return {secret, person, settings.gold_at_start, settings.gold_every};
}

}  // namespace

GoldAssignment::GoldAssignment(std::vector<GoldClip> clips, std::string secret)
    : clips_(std::move(clips)), secret_(std::move(secret)) {
  std::vector<int> numbers;
  for (const GoldClip& clip : clips_) numbers.push_back(clip.task.number);
  numbers_ = fmt::format("({})", fmt::join(numbers, ", "));
}

const GoldClip* GoldAssignment::find(int task) const {
  const auto place = std::find_if(clips_.begin(), clips_.end(),
                                  [&](const GoldClip& clip) { return clip.task.number == task; });
  return place == clips_.end() ? nullptr : &*place;
}

std::vector<int> GoldAssignment::left(soci::session& sql, int person, int people) const {
  int task = 0;
  soci::statement rows =
      (sql.prepare << fmt::format("SELECT task FROM answers WHERE person = {0} AND latest = 1 "
                                  "UNION SELECT task FROM leases WHERE person = {0} AND held = 1 "
                                  "UNION SELECT task FROM reports WHERE task IN {1}",
                                  person, unavailable(person, people)),
       soci::into(task));
  rows.execute();
  std::set<int> taken;
  while (rows.fetch()) taken.insert(task);
  std::vector<int> left;
  for (const GoldClip& clip : clips_) {
    if (!taken.contains(clip.task.number)) left.push_back(clip.task.number);
  }
  return left;
}

int GoldAssignment::next(soci::session& sql, int person, const AnnotationSettings& settings) const {
  if (is_empty()) return 0;
  const GoldPlaces places = places_of(secret_, person, settings);
  if (!places.is_gold(next_place(sql, person))) return 0;
  const std::vector<int> tasks = left(sql, person, settings.people);
  return tasks.empty() ? 0 : places.next_of(tasks);
}

int GoldAssignment::held_and_to_come(soci::session& sql, int person,
                                     const AnnotationSettings& settings, int others) const {
  if (is_empty()) return 0;
  const int held = number(
      sql, fmt::format("SELECT COUNT(*) FROM leases WHERE person = {} AND held = 1 AND task IN {}",
                       person, numbers_));
  const auto left_over = static_cast<int>(left(sql, person, settings.people).size());
  return held +
         places_of(secret_, person, settings).among(next_place(sql, person), others, left_over);
}

void GoldAssignment::pause_if_failing(soci::session& sql, int person, int task,
                                      const AnnotationSettings& settings, Time now) const {
  if (!settings.gold_pauses || find(task) == nullptr) return;
  GoldScore score;
  const std::vector<AnswerRow> rows = select_answers(
      sql, fmt::format("WHERE person = {0} AND latest = 1 AND task IN {1} "
                       "AND id > (SELECT gold_after FROM people WHERE people.id = {0})",
                       person, numbers_));
  for (const AnswerRow& row : rows) {
    count_answer(*find(row.stored.task), row.stored.answer, &score);
  }
  if (!fails_gold(score, settings)) return;
  std::string name;
  sql << "SELECT name FROM people WHERE id = :person AND state = 'active'", soci::into(name),
      soci::use(person);
  if (!sql.got_data()) return;
  sql << "UPDATE people SET state = 'paused', paused_for = 'gold' WHERE id = :person",
      soci::use(person);
  return_leases(sql, person);
  record(sql, {kServer, now}, "changed the state", name, "active to paused, because of gold clips");
}

}  // namespace manyverbs
