// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "manyverbs/server/internal/store.h"

namespace manyverbs {

/// What annotators write in their own words: verbs that are missing among the candidates, comments
/// and flags. Strangers write it, so it is short, on one line, and always shown as text.

/// In characters, not bytes.
inline constexpr int kLongestOtherVerb = 40;
inline constexpr int kLongestComment = 500;

/// A verb as it is stored, so that equal verbs compare equal: white space is trimmed and collapsed,
/// Latin letters are lower case. "  Stir  FRY" gives "stir fry". Throws HttpError (400) if it is
/// longer than kLongestOtherVerb or contains control characters.
std::string normalised_verb(const std::string& text);

/// The same for a comment, but letters stay as they are. Line breaks become spaces.
std::string normalised_comment(const std::string& text);

/// The text for a CSV file, with an apostrophe before what a spreadsheet would take for a formula.
std::string without_formula(const std::string& text);

/// A verb that people entered with "none of these verbs".
struct OtherVerb {
  std::string verb;
  int answers = 0;
  std::map<int, int> clips = {};  ///< answers by task

  bool operator==(const OtherVerb&) const = default;
};
/// From the latest answers of people who are not excluded; the most frequent first, equal ones in
/// alphabetical order.
std::vector<OtherVerb> other_verbs(std::span<const StoredAnswer> answers,
                                   std::span<const Person> people);

/// Whether an answer has a comment or a flag.
bool is_remark(const Answer& answer);
/// The latest answers with a comment or a flag, of people who are not excluded; newest first. They
/// refer to `answers`.
std::vector<const StoredAnswer*> remarks(std::span<const StoredAnswer> answers,
                                         std::span<const Person> people);

/// CSV with one line per verb and clip: verb, clip, answers. Here and below, a text that a
/// spreadsheet would take for a formula, as it begins with = + - or @, begins with ' instead.
std::string other_verbs_csv(const AnnotationProject& project, std::span<const OtherVerb> verbs);

/// CSV with one line per remark: clip, task, name, flagged (1 or 0), comment, time.
std::string remarks_csv(const AnnotationProject& project, std::span<const Person> people,
                        std::span<const StoredAnswer* const> remarks);

/// JSON objects described in web/src/annotation/api.ts.
Json other_verb_json(const AnnotationProject& project, const OtherVerb& verb);
Json remark_json(const AnnotationProject& project, std::span<const Person> people,
                 const StoredAnswer& remark);

}  // namespace manyverbs
