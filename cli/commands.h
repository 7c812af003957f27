// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace manyverbs::cli {

/// The commands and their programs. Loading LibTorch, FFmpeg and the database client takes longer
/// than most commands run, so commands that need them are in separate programs. `manyverbs` has the
/// other commands, and executes one of these programs for the rest.
enum class Program {
  Manyverbs,
  Annotation,  ///< the annotation server
  Learning,    ///< LibTorch
  Video,       ///< FFmpeg and OpenCV
};

struct Command {
  std::string_view name;     ///< "train", or "import arrays" for a subcommand
  std::string_view summary;  ///< one line, no full stop
  Program program;
};
/// "0.1.0".
std::string_view program_version();

/// In the usual order of use; subcommands follow their command.
std::span<const Command> all_commands();

/// "" for unknown names.
std::string_view summary_of(std::string_view name);

/// For import: arrays, videos, hmdb51 and epic100. Most commands have none.
std::vector<Command> subcommands_of(const Command& command);

/// The arguments after the name of the command.
using Arguments = std::vector<std::string>;

/// Registers the function of a command for main(). Each source of a command has one, so a program
/// has the commands whose sources it is built from.
///
///   const Registration kTrain("train", train_command);
class Registration {
 public:
  using Run = void (*)(const Arguments& arguments);  ///< throws on failure
  Registration(std::string_view command, Run run);
};
/// Null for a command of another program.
Registration::Run registered(std::string_view command);

/// Replaces this process by another program (exec) that runs the command. Throws Error if that
/// program is not installed.
[[noreturn]] void continue_in(Program program, std::string_view command,
                              const Arguments& arguments);
/// Replaces this process by another of the same program, which reads a changed environment.
[[noreturn]] void start_again(std::string_view command, const Arguments& arguments);

}  // namespace manyverbs::cli
