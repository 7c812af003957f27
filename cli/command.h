// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "cli/commands.h"
#include "manyverbs/support/internal/json.h"
#include "manyverbs/support/internal/remark.h"

namespace manyverbs::cli {

/// Wrong usage, not wrong data: exit code 2 and a hint to --help.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The options of one command. Every command has --threads, --quiet and --help.
///
///   CommandLine line("inspect", "manyverbs inspect kitchen");
///   line.app.add_option("DATASET", folder, "The data set")->required();
///   if (!line.parse(arguments)) return;  // help was printed
class CommandLine {
 public:
  /// `examples` are complete commands, one per line, shown below the options.
  CommandLine(std::string_view name, std::string_view examples);

  /// Returns false if help was requested and printed. Throws UsageError for an unknown option, with
  /// a suggestion, and for an option that has no effect.
  bool parse(const Arguments& arguments);

  /// Declares when options have an effect: parse() throws UsageError if one of them is given and
  /// `counts` returns false. It is called after all options are parsed. `otherwise` ends the
  /// message "--seed has no effect …".
  ///
  ///   line.counts_if({"--seed"}, "without --space learned", [&] { return space == "learned"; });
  void counts_if(std::vector<std::string> options, std::string otherwise,
                 std::function<bool()> counts);

  CLI::App app;

 private:
  struct Condition {
    std::vector<std::string> options;
    std::string otherwise;
    std::function<bool()> counts;
  };

  void add_common_options();
  UsageError no_option(const std::string& argument) const;
  void reject_unused_options() const;

  std::string name_;
  std::vector<Condition> conditions_;
  bool quiet_ = false;
  int threads_ = 0;
};

/// Checks that a value is one of a few words, ignoring case, and suggests the nearest one.
CLI::Validator one_of(std::vector<std::string> words);

/// Checks for numbers, with messages such as "expected a number from 1 to 100, found 'many'".
CLI::Validator from_to(double low, double high);
CLI::Validator zero_or(double low, double high);
CLI::Validator from_up(double low);
CLI::Validator above_zero();

/// Results go to standard output, either as text or, for programs, as one JSON object.
void print_json(const Json& json);

/// Prints the remark "next: manyverbs train kitchen" with the next command to use.
void suggest(const std::string& command);

}  // namespace manyverbs::cli
