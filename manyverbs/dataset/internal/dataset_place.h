// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <functional>

#include "manyverbs/support/internal/json.h"

namespace manyverbs {

/// The path of a data set, as stored in a file in `folder`: "path", absolute, and "relative" to the
/// folder, which is still valid if both are moved or copied together.
Json place_json(const std::filesystem::path& dataset, const std::filesystem::path& folder);

/// The data set of such a path, stored in `file`: at the relative path, otherwise at the absolute
/// one. If both exist, `is_it` decides whether it is the first. Throws Error with the file if the
/// stored path is damaged.
std::filesystem::path find_place(
    const Json& place, const std::filesystem::path& file,
    const std::function<bool(const std::filesystem::path& dataset)>& is_it);

}  // namespace manyverbs
