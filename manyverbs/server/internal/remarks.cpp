// SPDX-License-Identifier: MIT
#include "manyverbs/server/internal/remarks.h"

#include <algorithm>
#include <set>

#include "manyverbs/http/internal/http_error.h"
#include "manyverbs/support/internal/csv.h"

namespace manyverbs {
namespace {

bool is_white_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// In UTF-8, which the JSON parser guarantees, all bytes of a character but the first are 10xxxxxx.
int characters(const std::string& text) {
  return static_cast<int>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

// Trimmed, with single spaces.
std::string one_line(const std::string& text, int longest, const std::string& what) {
  std::string line;
  for (const char c : text) {
    if (is_white_space(c)) {
      if (!line.empty() && line.back() != ' ') line += ' ';
      continue;
    }
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      throw HttpError(400, "{} must not contain control characters", what);
    }
    line += c;
  }
  if (!line.empty() && line.back() == ' ') line.pop_back();
  if (characters(line) > longest) {
    throw HttpError(400, "{} must have at most {} characters, found {}", what, longest,
                    characters(line));
  }
  return line;
}

// A to Z, and À to Þ without ×, which in UTF-8 are the bytes C3 80 to C3 9E.
void make_lower_case(std::string* text) {
  char before = 0;
  for (char& c : *text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool latin = before == '\xC3' && byte >= 0x80 && byte <= 0x9E && byte != 0x97;
    if ((c >= 'A' && c <= 'Z') || latin) c = static_cast<char>(byte + 0x20);
    before = c;
  }
}

// The latest answers of people who are not excluded.
template <typename Use>
void for_each_counted(std::span<const StoredAnswer> answers, std::span<const Person> people,
                      const Use& use) {
  std::set<int> counted;
  for (const Person& person : people) {
    if (person.state != PersonState::Excluded) counted.insert(person.id);
  }
  for (const StoredAnswer& stored : answers) {
    if (stored.current && counted.contains(stored.person)) use(stored);
  }
}

std::string name_in(std::span<const Person> people, int id) {
  return std::find_if(people.begin(), people.end(),
                      [&](const Person& each) { return each.id == id; })
      ->name;
}

}  // namespace

std::string without_formula(const std::string& text) {
  const bool formula = !text.empty() && std::string_view("=+-@").find(text[0]) != std::string::npos;
  return formula ? "'" + text : text;
}

std::string normalised_verb(const std::string& text) {
  std::string verb = one_line(text, kLongestOtherVerb, "a verb");
  make_lower_case(&verb);
  return verb;
}

std::string normalised_comment(const std::string& text) {
  return one_line(text, kLongestComment, "a comment");
}

std::vector<OtherVerb> other_verbs(std::span<const StoredAnswer> answers,
                                   std::span<const Person> people) {
  std::map<std::string, OtherVerb> by_verb;
  for_each_counted(answers, people, [&](const StoredAnswer& stored) {
    const std::string& verb = stored.answer.other_verb;
    if (verb.empty()) return;
    OtherVerb& entry = by_verb[verb];
    entry.verb = verb;
    ++entry.answers;
    ++entry.clips[stored.task];
  });
  std::vector<OtherVerb> verbs;
  for (auto& [verb, entry] : by_verb) verbs.push_back(std::move(entry));
  std::stable_sort(verbs.begin(), verbs.end(),
                   [](const OtherVerb& a, const OtherVerb& b) { return a.answers > b.answers; });
  return verbs;
}

bool is_remark(const Answer& answer) { return answer.flagged || !answer.comment.empty(); }

std::vector<const StoredAnswer*> remarks(std::span<const StoredAnswer> answers,
                                         std::span<const Person> people) {
  std::vector<const StoredAnswer*> found;
  for_each_counted(answers, people, [&](const StoredAnswer& stored) {
    if (is_remark(stored.answer)) found.push_back(&stored);
  });
  std::reverse(found.begin(), found.end());
  return found;
}

std::string other_verbs_csv(const AnnotationProject& project, std::span<const OtherVerb> verbs) {
  std::string text = csv_line({"verb", "clip", "answers"});
  for (const OtherVerb& verb : verbs) {
    for (const auto& [task, answers] : verb.clips) {
      text += csv_line(
          {without_formula(verb.verb), project.find_shown(task)->clip, std::to_string(answers)});
    }
  }
  return text;
}

std::string remarks_csv(const AnnotationProject& project, std::span<const Person> people,
                        std::span<const StoredAnswer* const> remarks) {
  std::string text = csv_line({"clip", "task", "name", "flagged", "comment", "time"});
  for (const StoredAnswer* remark : remarks) {
    text += csv_line({project.find_shown(remark->task)->clip, std::to_string(remark->task),
                      without_formula(name_in(people, remark->person)),
                      remark->answer.flagged ? "1" : "0", without_formula(remark->answer.comment),
                      time_text(remark->time)});
  }
  return text;
}

Json other_verb_json(const AnnotationProject& project, const OtherVerb& verb) {
  Json clips = Json::array();
  for (const auto& [number, answers] : verb.clips) {
    const AnnotationTask& task = *project.find_shown(number);
    clips.push_back({{"task", number}, {"clip", task.clip}, {"video", "/" + task.video}});
  }
  return {{"verb", verb.verb}, {"answers", verb.answers}, {"clips", clips}};
}

Json remark_json(const AnnotationProject& project, std::span<const Person> people,
                 const StoredAnswer& remark) {
  const AnnotationTask& task = *project.find_shown(remark.task);
  std::vector<std::string> chosen;
  for (const ClassId verb : remark.answer.chosen) chosen.push_back(project.classes.name(verb));
  return {{"task", task.number},
          {"clip", task.clip},
          {"video", "/" + task.video},
          {"name", name_in(people, remark.person)},
          {"time", time_text(remark.time)},
          {"flagged", remark.answer.flagged},
          {"comment", remark.answer.comment},
          {"chosen", chosen},
          {"nothing", remark.answer.nothing},
          {"other", remark.answer.other},
          {"other_verb", remark.answer.other_verb}};
}

}  // namespace manyverbs
