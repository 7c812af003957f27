// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "manyverbs/server/internal/store.h"

namespace soci {
class session;
}

namespace manyverbs {

/// The rows of the table answers. Their columns are read and written here only.

/// Classes in a column: "0,3", and "" for none.
std::string joined(const std::vector<ClassId>& chosen);
std::vector<ClassId> parted(const std::string& text);

struct AnswerRow {
  StoredAnswer stored;
  int position = 0;  ///< orders the answers of one person; a correction keeps it
};

/// The answers that match an SQL clause, in the order of its ORDER BY.
std::vector<AnswerRow> select_answers(soci::session& sql, const std::string& clause);

/// The latest answer of a person to a task.
std::optional<AnswerRow> current_answer(soci::session& sql, int person, int task);

/// Adds an answer, as the one that counts or as one that was given earlier.
void insert_answer(soci::session& sql, int person, int task, int position, const Answer& answer,
                   Time given, bool counts = true);

}  // namespace manyverbs
