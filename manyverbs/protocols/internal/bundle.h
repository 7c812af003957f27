// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace manyverbs {

/// A bundle is a run folder that needs nothing else, here or on another machine. It is opened
/// wherever a run is.
///
///   bundle.json              the content hash of every other file
///   run.json                 as in a run; it names no data set, and the weights in the bundle
///   model.safetensors        as in a run
///   log.csv                  as in a run
///   backbones/HASH.EXT       the weights that make features of videos, each file once

struct BundleReport {
  int files = 0;
  std::uintmax_t bytes = 0;
  bool existed = false;                ///< with the same content; nothing was written
  std::vector<std::string> no_recipe;  ///< streams of unknown origin: the bundle reads no videos
};

/// Writes a run, or a bundle, as a bundle: whole or not at all. Throws Error when `out` is there
/// and holds something else, and when weights are missing or have changed since the features were
/// made with them.
BundleReport export_run(const std::filesystem::path& run, const std::filesystem::path& out);

bool is_bundle(const std::filesystem::path& folder);
/// Throws Error when a file of a bundle is missing, or is not what it was when the bundle was made.
/// A folder that is no bundle is as it is.
void check_bundle(const std::filesystem::path& folder);

}  // namespace manyverbs
