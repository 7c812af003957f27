// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <functional>

#include "manyverbs/support/internal/json.h"

namespace manyverbs {

/// The place of a data set, as a file in some folder stores it: "path", as it is, and "relative",
/// as seen from that folder, which still holds when both were moved or copied together.
Json place_json(const std::filesystem::path& dataset, const std::filesystem::path& folder);

/// The data set of a place in a file of a folder: where it lies beside the folder, else where it
/// was. When there is one in either place, `is_it` decides about the first. Throws Error that names
/// the file when the place is damaged.
std::filesystem::path find_place(
    const Json& place, const std::filesystem::path& file,
    const std::function<bool(const std::filesystem::path& dataset)>& is_it);

}  // namespace manyverbs
