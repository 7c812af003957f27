// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace manyverbs {

/// How many letters must be put in, taken out, changed or swapped with their neighbour to turn one
/// word into the other. "maks" and "mask" are 1 apart.
int edit_distance(std::string_view a, std::string_view b);

/// The candidate nearest to a mistyped word, or "" when none is near enough to be meant. Capitals
/// do not matter, and of equally near ones a candidate with the word's letters in their order comes
/// first: of "ls" and "p+s", the latter is near to "ps".
std::string nearest_spelling(std::string_view word, const std::vector<std::string>& candidates);

/// ", did you mean 'mask'?" or "", to end an error message with.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

/// The same where the message does not list the candidates: when none is near, ", right are: mask,
/// p+s".
std::string did_you_mean_or_list(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace manyverbs
