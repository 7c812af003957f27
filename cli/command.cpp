// SPDX-License-Identifier: MIT
#include "cli/command.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "manyverbs/support/parallel.h"
#include "manyverbs/support/progress.h"
#include "manyverbs/support/spelling.h"

namespace manyverbs::cli {
namespace {

std::string_view summary_of(std::string_view name) {
  for (const Command& command : all_commands()) {
    if (command.name == name) return command.summary;
  }
  return "";
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::string indented(std::string_view lines) {
  std::string text = "Examples:\n";
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    text += fmt::format("  {}\n", lines.substr(0, end));
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return text;
}

}  // namespace

CommandLine::CommandLine(std::string_view name, std::string_view examples)
    : app(fmt::format("manyverbs {}: {}", name, summary_of(name.substr(0, name.find(' '))))),
      name_(fmt::format("manyverbs {}", name)) {
  app.name(name_);
  app.footer(indented(examples));
  app.option_defaults()->always_capture_default();
  app.get_formatter()->column_width(34);
  app.get_formatter()->label("REQUIRED", "(needed)");
  app.set_help_flag("--help,-h", "Show this and stop");
  app.add_flag("--quiet,-q", quiet_, "No progress on standard error");
  app.add_option("--threads", threads_, "Threads to use; 0 takes every core")
      ->check(CLI::Range(0, 1024));
}

bool CommandLine::parse(const Arguments& arguments) {
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", app.help());
    return false;
  } catch (const CLI::ExtrasError&) {
    const std::string extra = app.remaining().front();
    const std::string hint = did_you_mean(extra.substr(0, extra.find('=')), option_names(app));
    throw UsageError(extra.starts_with('-')
                         ? fmt::format("{}: no option '{}'{}", name_, extra, hint)
                         : fmt::format("{}: what is '{}' for?", name_, extra));
  } catch (const CLI::ParseError& problem) {
    throw UsageError(fmt::format("{}: {}", name_, problem.what()));
  }
  if (quiet_) Progress::silence();
  set_num_threads(threads_ > 0 ? threads_ : num_threads());
  return true;
}

CLI::Validator one_of(std::vector<std::string> words) {
  const std::string listed = fmt::format("{}", fmt::join(words, "|"));
  return CLI::Validator(
      [words = std::move(words), listed](std::string& given) {
        if (std::find(words.begin(), words.end(), given) != words.end()) return std::string();
        return fmt::format("no '{}' among {}{}", given, listed, did_you_mean(given, words));
      },
      listed);
}

}  // namespace manyverbs::cli
