// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include <CLI/App.hpp>
#include <CLI/Formatter.hpp>

namespace manyverbs::cli {

/// How --help shows an option: what may stand behind it, what it does, and its default, in lines
/// that fit a screen.
///
///   --metric euclidean|cosine     How far apart clips are
///   --k INT                       Neighbours a clip (default 15)
class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter();

  std::string make_description(const CLI::App* app) const override;
  std::string make_option_opts(const CLI::Option* option) const override;
  std::string make_option_desc(const CLI::Option* option) const override;
};

}  // namespace manyverbs::cli
