// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace manyverbs {

/// Names of people and leaders.

/// The name as it is stored: without spaces at its ends, with single spaces inside. Throws
/// HttpError (400) unless it has 1 to 100 characters, none of them a control character. " Ann  Lee"
/// gives "Ann Lee".
std::string clean_name(const std::string& text);

/// Names that are equal in this form belong to one person: "ann lee" for "Ann  LEE ". Only A to Z
/// become lower case.
std::string folded_name(const std::string& name);

/// The number of characters of a text in UTF-8: 2 for "né".
int character_count(const std::string& text);

}  // namespace manyverbs
