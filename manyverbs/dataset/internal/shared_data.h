// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "manyverbs/dataset/dataset.h"

namespace manyverbs {

/// Data sets of the same videos in different splits, as those of HMDB-51, share what is made from
/// the videos, so that it is made once:
///
///   hmdb51/split1/   dataset.json: "shared": "../shared"; clips.csv …
///   hmdb51/split2/   …
///   hmdb51/shared/   shared.json: {"format": 1, "datasets": ["../split1", "../split2", …]}; flow/
///
/// Feature files have the rows of one data set; a row is copied if another of the data sets has it.
/// All paths are relative, so the parent folder can be moved and copied. A data set that is copied
/// without it works alone.

/// The folder of what is shared; the folder of the data set itself if nothing is.
std::filesystem::path shared_folder(const Dataset& dataset);

/// The folders of the other data sets that share it; those that exist.
std::vector<std::filesystem::path> sharing_datasets(const Dataset& dataset);

/// Writes PARENT/shared/shared.json for data sets with these folder names in PARENT, and returns
/// the value for Dataset::shared.
std::string write_shared(const std::filesystem::path& parent,
                         const std::vector<std::string>& names);

}  // namespace manyverbs
