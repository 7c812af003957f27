// SPDX-License-Identifier: MIT
#include "cli/command.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/help_formatter.h"
#include "manyverbs/support/internal/numbers.h"
#include "manyverbs/support/internal/parallel.h"
#include "manyverbs/support/internal/progress.h"
#include "manyverbs/support/internal/spelling.h"

namespace manyverbs::cli {
namespace {

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::string indented(std::string_view lines) {
  std::string text = "Examples:";
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    text += fmt::format("\n  {}", lines.substr(0, end));
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return text;
}

// `allowed` is called only for finite numbers; `range` describes it in words.
CLI::Validator number_check(const std::string& range, const std::function<bool(double)>& allowed) {
  return CLI::Validator(
      [range, allowed](std::string& given) {
        const auto value = number_in<double>(given);
        const bool is_right = value && std::isfinite(*value) && allowed(*value);
        return is_right ? std::string()
                        : fmt::format("expected a number {}, found '{}'", range, given);
      },
      "");
}

}  // namespace

CommandLine::CommandLine(std::string_view name, std::string_view examples)
    : app(fmt::format("manyverbs {}: {}", name, summary_of(name))),
      name_(fmt::format("manyverbs {}", name)) {
  app.name(name_);
  app.footer(indented(examples));
  app.option_defaults()->always_capture_default();
  app.formatter(std::make_shared<HelpFormatter>());
}

// After the options of the command, which are more important in --help.
void CommandLine::add_common_options() {
  app.add_option("--threads", threads_, "Number of threads; 0: all cores")->check(from_to(0, 1024));
  app.add_flag("--quiet,-q", quiet_, "Print only errors to standard error");
  app.set_help_flag("--help,-h", "Show this help");
  for (CLI::Option* option : app.get_options({})) {
    // Each --features takes one value: the next argument may be the data set.
    if (option->nonpositional()) option->allow_extra_args(false);
  }
}

UsageError CommandLine::no_option(const std::string& argument) const {
  const std::string hint = did_you_mean(argument.substr(0, argument.find('=')), option_names(app));
  return UsageError(fmt::format("{}: unknown option '{}'{}", name_, argument, hint));
}

void CommandLine::counts_if(std::vector<std::string> options, std::string otherwise,
                            std::function<bool()> counts) {
  conditions_.push_back({std::move(options), std::move(otherwise), std::move(counts)});
}

void CommandLine::reject_unused_options() const {
  for (const Condition& condition : conditions_) {
    if (condition.counts()) continue;
    for (const std::string& option : condition.options) {
      if (app.get_option(option)->count() == 0) continue;
      throw UsageError(fmt::format("{}: {} has no effect {}", name_, option, condition.otherwise));
    }
  }
}

bool CommandLine::parse(const Arguments& arguments) {
  add_common_options();
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", app.help());
    return false;
  } catch (const CLI::ExtrasError&) {
    const std::string extra = app.remaining().front();
    throw extra.starts_with('-')
        ? no_option(extra)
        : UsageError(fmt::format("{}: unexpected argument '{}'", name_, extra));
  } catch (const CLI::RequiredError& problem) {
    // The missing option may be misspelt, so unknown options are reported first.
    const std::vector<std::string> names = option_names(app);
    for (const std::string& argument : arguments) {
      const std::string name = argument.substr(0, argument.find('='));
      const bool known = std::find(names.begin(), names.end(), name) != names.end();
      if (name.starts_with("--") && !known) throw no_option(argument);
    }
    throw UsageError(fmt::format("{}: {}", name_, problem.what()));
  } catch (const CLI::ParseError& problem) {
    throw UsageError(fmt::format("{}: {}", name_, problem.what()));
  }
  reject_unused_options();
  if (quiet_) {
    silence_remarks();
    Progress::silence();
  }
  set_num_threads(threads_ > 0 ? threads_ : num_threads());
  return true;
}

CLI::Validator one_of(std::vector<std::string> words) {
  const std::string listed = fmt::format("{}", fmt::join(words, "|"));
  return CLI::Validator(
      [words = std::move(words), listed](std::string& given) {
        const auto same = [&](const std::string& word) {
          return CLI::detail::to_lower(given) == word;
        };
        const auto found = std::find_if(words.begin(), words.end(), same);
        if (found != words.end()) {
          given = *found;
          return std::string();
        }
        return fmt::format("expected {}, found '{}'{}", listed, given, did_you_mean(given, words));
      },
      listed);
}

CLI::Validator from_to(double low, double high) {
  return number_check(fmt::format("from {} to {}", low, high),
                      [=](double value) { return value >= low && value <= high; });
}

CLI::Validator zero_or(double low, double high) {
  return number_check(fmt::format("from {} to {}, or 0", low, high),
                      [=](double value) { return value == 0 || (value >= low && value <= high); });
}

CLI::Validator from_up(double low) {
  return number_check(fmt::format("of at least {}", low),
                      [=](double value) { return value >= low; });
}

CLI::Validator above_zero() {
  return number_check("above 0", [](double value) { return value > 0; });
}

void print_json(const Json& json) {
  // Names come from users' files and may not be valid UTF-8.
  fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
}

void suggest(const std::string& command) { remark("next: " + command); }

}  // namespace manyverbs::cli
