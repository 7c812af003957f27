// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace manyverbs::cli {

/// The commands, and the programs that they are in. LibTorch, FFmpeg and the database's client take
/// longer to load than most commands take, so what needs them is in a program of its own.
/// `manyverbs` itself has the rest and replaces itself by one of the others where a command asks
/// for it.
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

/// In the order in which people need them; its subcommands follow a command.
std::span<const Command> all_commands();

/// "" for a name that is none.
std::string_view summary_of(std::string_view name);

/// Those of import are arrays, videos, hmdb51 and epic100; most commands have none.
std::vector<Command> subcommands_of(const Command& command);

/// The words behind the command's name.
using Arguments = std::vector<std::string>;

/// Tells main() what a command does: each source of a command has one, so that a program has the
/// commands whose sources it is built from.
///
///   const Registration kTrain("train", train_command);
class Registration {
 public:
  using Run = void (*)(const Arguments& arguments);  ///< returns when done, throws when it failed
  Registration(std::string_view command, Run run);
};
/// Nothing for a command that is in another program.
Registration::Run registered(std::string_view command);

/// Replaces this process by another program, which runs the command. Throws Error when that program
/// is not installed.
[[noreturn]] void continue_in(Program program, std::string_view command,
                              const Arguments& arguments);

}  // namespace manyverbs::cli
