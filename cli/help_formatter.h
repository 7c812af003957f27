// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include <CLI/App.hpp>
#include <CLI/Formatter.hpp>

namespace manyverbs::cli {

/// Formats options in --help: values, description and default, in lines that fit the screen.
///
///   --metric euclidean|cosine     Distance between clips
///   --k INT                       Neighbours per clip (default 15)
class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter();

  std::string make_description(const CLI::App* app) const override;
  std::string make_option_opts(const CLI::Option* option) const override;
  std::string make_option_desc(const CLI::Option* option) const override;
};

}  // namespace manyverbs::cli
