// SPDX-License-Identifier: MIT
#include "cli/help_formatter.h"

#include <algorithm>

#include <fmt/format.h>

namespace manyverbs::cli {
namespace {

constexpr std::size_t kLeftWidth = 30;
constexpr std::size_t kRightWidth = 68;

// CLI11 joins type and checks: "TEXT:euclidean|cosine", "INT:INT in [1 - 100]". A list of words
// replaces the type; other checks are not shown.
std::string placeholder(const CLI::Option& option) {
  const std::string name = option.get_type_name();
  const std::size_t colon = std::min(name.find(':'), name.size());
  const std::string check = name.substr(std::min(colon + 1, name.size()));
  return check.find('|') == std::string::npos ? name.substr(0, colon) : check;
}

// Lists are shown without the brackets of "[1024,1024]", as they are typed.
std::string default_of(const CLI::Option& option) {
  std::string text = option.get_default_str();
  if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  std::replace(text.begin(), text.end(), ' ', ',');
  return text;
}

// Wraps a text into lines of at most kRightWidth characters.
std::string wrapped(const std::string& text) {
  std::string lines;
  std::size_t begin = 0;
  while (text.size() - begin > kRightWidth) {
    const std::size_t space = text.rfind(' ', begin + kRightWidth);
    if (space == std::string::npos || space <= begin) break;
    lines += text.substr(begin, space - begin) + '\n';
    begin = space + 1;
  }
  return lines + text.substr(begin);
}

}  // namespace

HelpFormatter::HelpFormatter() { column_width(kLeftWidth); }

std::string HelpFormatter::make_description(const CLI::App* app) const {
  return app->get_description() + "\n\n";
}

std::string HelpFormatter::make_option_opts(const CLI::Option* option) const {
  return option->get_type_size() == 0 || option->get_positional() ? "" : " " + placeholder(*option);
}

std::string HelpFormatter::make_option_desc(const CLI::Option* option) const {
  std::string text = option->get_description();
  const std::string preset = option->get_type_size() == 0 ? "" : default_of(*option);
  if (option->get_required() && !option->get_positional()) {
    text += " (required)";
  } else if (!preset.empty()) {
    text += fmt::format(" (default {})", preset);
  }
  return wrapped(text);
}

}  // namespace manyverbs::cli
