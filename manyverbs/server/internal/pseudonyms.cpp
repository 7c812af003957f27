// SPDX-License-Identifier: MIT
#include <algorithm>

#include "manyverbs/server/internal/exports.h"
#include "manyverbs/server/internal/secrets.h"

namespace manyverbs {
namespace {

constexpr std::size_t kDigits = 10;

std::string pseudonym_of(const std::string& secret, const std::string& person) {
  return "p-" + token_hash(fmt::format("{} {}", secret, person)).substr(0, kDigits);
}

bool is_in_word(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return std::isalnum(byte) != 0 || byte >= 0x80;
}

// Replaces a name where it is not a part of another word.
std::string replaced(const std::string& text, const std::string& name, const std::string& by) {
  std::string result;
  std::size_t from = 0;
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    if (at < from) continue;
    const std::size_t end = at + name.size();
    const bool joined = (at > 0 && is_in_word(text[at - 1]) && is_in_word(name.front())) ||
                        (end < text.size() && is_in_word(text[end]) && is_in_word(name.back()));
    if (joined) continue;
    result += text.substr(from, at - from) + by;
    from = end;
  }
  return result + text.substr(from);
}

}  // namespace

void use_pseudonyms(const std::string& secret, AnnotationResult* result) {
  std::vector<std::pair<std::string, std::string>> longest_first;  // name, pseudonym
  for (const Person& person : result->people) {
    longest_first.emplace_back(person.name, pseudonym_of(secret, std::to_string(person.id)));
  }
  for (const std::string& name : result->former_names) {
    longest_first.emplace_back(name, pseudonym_of(secret, "former " + name));
  }
  // "Ann Lee" before "Ann".
  std::stable_sort(longest_first.begin(), longest_first.end(),
                   [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
  const auto hide = [&](std::string* text) {
    for (const auto& [name, pseudonym] : longest_first) *text = replaced(*text, name, pseudonym);
  };
  for (Decision& decision : result->decisions) hide(&decision.reason);
  for (StoredAnswer& stored : result->answers) {
    hide(&stored.answer.comment);
    hide(&stored.answer.other_verb);
  }
  for (Person& person : result->people)
    person.name = pseudonym_of(secret, std::to_string(person.id));
  result->pseudonyms = true;
}

}  // namespace manyverbs
