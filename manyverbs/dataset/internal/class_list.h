// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "manyverbs/dataset/vocabulary.h"

namespace manyverbs {

/// Class names by id, as other data sets publish them: a CSV file with the columns id and name
/// (classes.csv), id and key (EPIC-Kitchens-100) or Index and Name (YouTube-8M), or one name per
/// line, the first with id 0. Throws Error with file and line for an invalid or duplicate id.
std::map<ClassId, std::string> read_class_list(const std::filesystem::path& path);

}  // namespace manyverbs
