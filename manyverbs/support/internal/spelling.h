// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace manyverbs {

/// The edit distance of two words: insertions, deletions, substitutions and transpositions. "maks"
/// and "mask" have distance 1.
int edit_distance(std::string_view a, std::string_view b);

/// The candidate nearest to a misspelt word, or "" if none is near enough. Case is ignored. Of
/// equally near candidates, one that contains the letters of the word in order comes first: of "ls"
/// and "p+s", the latter is nearest to "ps".
std::string nearest_spelling(std::string_view word, const std::vector<std::string>& candidates);

/// ", did you mean 'mask'?" or "", to append to an error message.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

/// The same for messages that do not list the candidates: if none is near, "; valid values: mask,
/// p+s".
std::string did_you_mean_or_list(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace manyverbs
