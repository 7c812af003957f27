// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace manyverbs {

/// A bundle is a run folder that can be used without other files, also on other machines. It is
/// accepted wherever a run is.
///
///   bundle.json              the content hash of every other file
///   run.json                 as in a run, without data set; weights are those in the bundle
///   model.safetensors        as in a run
///   log.csv                  as in a run
///   backbones/HASH.EXT       the weights of the backbones, each file once

struct BundleReport {
  int files = 0;
  std::uintmax_t bytes = 0;
  bool existed = false;                ///< with the same content: nothing was written
  std::vector<std::string> no_recipe;  ///< imported streams: the bundle cannot label videos
};

/// Writes a run, or a bundle, as a bundle, completely or not at all. Throws Error if `out` exists
/// with other content, or if weights are missing or have changed since the features were made.
BundleReport export_run(const std::filesystem::path& run, const std::filesystem::path& out);

bool is_bundle(const std::filesystem::path& folder);
/// Throws Error if a file of a bundle is missing or has changed. Does nothing for other folders.
void check_bundle(const std::filesystem::path& folder);

}  // namespace manyverbs
