// SPDX-License-Identifier: MIT
#include "manyverbs/server/internal/answer_rows.h"

#include <soci/soci.h>

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "manyverbs/server/internal/meta.h"
#include "manyverbs/support/internal/numbers.h"

namespace manyverbs {
namespace {

using soci::into;
using soci::session;
using soci::use;

}  // namespace

std::string joined(const std::vector<ClassId>& chosen) {
  return fmt::format("{}", fmt::join(chosen, ","));
}

std::vector<ClassId> parted(const std::string& text) {
  std::vector<ClassId> chosen;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    chosen.push_back(number_in<ClassId>(std::string_view(text).substr(at, end - at)).value());
    at = end + 1;
  }
  return chosen;
}

std::vector<AnswerRow> select_answers(session& sql, const std::string& clause) {
  int id = 0;
  int person = 0;
  int task = 0;
  int position = 0;
  std::string chosen;
  int confident = 0;
  int nothing = 0;
  long long milliseconds = 0;
  long long time = 0;
  int latest = 0;
  int other = 0;
  int flagged = 0;
  std::string other_verb;
  std::string comment;
  soci::statement rows(sql);
  for (int* number : {&id, &person, &task, &position}) rows.exchange(into(*number));
  rows.exchange(into(chosen));
  for (int* number : {&confident, &nothing}) rows.exchange(into(*number));
  for (long long* number : {&milliseconds, &time}) rows.exchange(into(*number));
  for (int* number : {&latest, &other, &flagged}) rows.exchange(into(*number));
  for (std::string* text : {&other_verb, &comment}) rows.exchange(into(*text));
  rows.alloc();
  rows.prepare(
      "SELECT id, person, task, position, chosen, confident, no_action, milliseconds, "
      "answered_at, latest, other, flagged, other_verb, comment FROM answers " +
      clause);
  rows.define_and_bind();
  rows.execute();
  std::vector<AnswerRow> found;
  while (rows.fetch()) {
    const Answer answer{parted(chosen), confident != 0, nothing != 0, milliseconds,
                        other != 0,     other_verb,     flagged != 0, comment};
    found.push_back({{person, task, answer, time, latest != 0, id}, position});
  }
  return found;
}

std::optional<AnswerRow> current_answer(session& sql, int person, int task) {
  const auto found = select_answers(
      sql, fmt::format("WHERE person = {} AND task = {} AND latest = 1", person, task));
  return found.empty() ? std::nullopt : std::optional(found.front());
}

void insert_answer(session& sql, int person, int task, int position, const Answer& answer,
                   Time given, bool counts) {
  const std::string chosen = joined(answer.chosen);
  const int confident = answer.confident ? 1 : 0;
  const int nothing = answer.nothing ? 1 : 0;
  const long long milliseconds = answer.milliseconds;
  const long long time = given;
  const int latest = counts ? 1 : 0;
  const int other = answer.other ? 1 : 0;
  const int flagged = answer.flagged ? 1 : 0;
  const int id = next_id(sql, "answers");
  sql << "INSERT INTO answers (id, person, task, position, chosen, confident, no_action, "
         "milliseconds, answered_at, latest, other, flagged, other_verb, comment) VALUES (:id, "
         ":person, :task, :position, :chosen, :confident, :nothing, :milliseconds, :time, :latest, "
         ":other, :flagged, :other_verb, :comment)",
      use(id), use(person), use(task), use(position), use(chosen), use(confident), use(nothing),
      use(milliseconds), use(time), use(latest), use(other), use(flagged), use(answer.other_verb),
      use(answer.comment);
}

}  // namespace manyverbs
