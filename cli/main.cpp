// SPDX-License-Identifier: MIT
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/command.h"
#include "manyverbs/support/internal/interruption.h"
#include "manyverbs/support/internal/spelling.h"

namespace manyverbs::cli {

namespace {

std::vector<std::string> names_of(std::span<const Command> commands) {
  std::vector<std::string> names;
  for (const Command& command : commands) names.emplace_back(command.name);
  return names;
}

bool is_help(const std::string& word) { return word == "--help" || word == "-h"; }

void print_help() {
  fmt::print(
      "manyverbs: multi-label action recognition from single labels\n\n"
      "Usage: manyverbs COMMAND [OPTIONS]\n\n");
  for (const Command& command : all_commands()) {
    if (command.name.find(' ') != command.name.npos) continue;
    const std::vector<std::string> subcommands = names_of(subcommands_of(command));
    fmt::print("  {:<14}{}{}{}\n", command.name, command.summary, subcommands.empty() ? "" : ": ",
               fmt::join(subcommands, " | "));
  }
  fmt::print(
      "\n'manyverbs COMMAND --help' shows the options of a command with examples.\n"
      "'manyverbs --version' prints the version.\n");
}

void print_subcommands(const Command& command, const std::vector<Command>& subcommands) {
  fmt::print("manyverbs {0}: {1}\n\nUsage: manyverbs {0} SUBCOMMAND [OPTIONS]\n\n", command.name,
             command.summary);
  for (const Command& each : subcommands) fmt::print("  {:<10}{}\n", each.name, each.summary);
  fmt::print("\n'manyverbs {} SUBCOMMAND --help' shows its options with examples.\n", command.name);
}

// Whether this changed the environment. By default, OpenMP's threads stay awake for a while when
// they wait for each other. On a busy machine they take the cores from those they wait for, and
// training gets several times slower.
bool shorten_waits() {
  if (std::getenv("OMP_WAIT_POLICY") != nullptr || std::getenv("GOMP_SPINCOUNT") != nullptr) {
    return false;
  }
  return setenv("GOMP_SPINCOUNT", "1000", 1) == 0;
}

// Whether this changed the environment. OpenBLAS chooses its kernels by the model of the processor;
// for models newer than itself it takes those of 2004, which are five times slower. So they are
// chosen here, by the instructions that the processor has.
bool choose_kernels() {
#if defined(__x86_64__)
  if (std::getenv("OPENBLAS_CORETYPE") != nullptr) return false;
  const bool has_avx2 = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
  const bool has_avx512 =
      __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512cd") != 0 &&
      __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
      __builtin_cpu_supports("avx512vl") != 0;
  return has_avx2 && setenv("OPENBLAS_CORETYPE", has_avx512 ? "SkylakeX" : "Haswell", 1) == 0;
#else
  return false;
#endif
}

const Command& find_command(std::span<const Command> commands, const std::string& name,
                            const std::string& problem) {
  for (const Command& command : commands) {
    if (command.name == name) return command;
  }
  std::vector<std::string> names = names_of(commands);
  if (commands.size() == all_commands().size()) names.insert(names.end(), {"--help", "--version"});
  throw UsageError(problem + did_you_mean(name, names));
}

// Runs the command here, or in the program that has it. OpenMP and OpenBLAS read the environment
// when they are loaded, before main().
void run_command(const std::string& name, Program program, const Arguments& arguments) {
  const bool waits = shorten_waits();
  const bool kernels = choose_kernels();
  const Registration::Run run = registered(name);
  if (run == nullptr) continue_in(program, name, arguments);
  if (waits || kernels) start_again(name, arguments);
  run(arguments);
}

void run(const Arguments& arguments) {
  if (arguments.empty() || is_help(arguments[0]) || arguments[0] == "help") {
    print_help();
    return;
  }
  if (arguments[0] == "--version") {
    fmt::print("manyverbs {}\n", program_version());
    return;
  }
  const Command& command = find_command(
      all_commands(), arguments[0], fmt::format("manyverbs: unknown command '{}'", arguments[0]));
  const std::string name(command.name);
  const std::vector<Command> subcommands = subcommands_of(command);
  if (subcommands.empty()) {
    run_command(name, command.program, {arguments.begin() + 1, arguments.end()});
    return;
  }
  const std::string valid = fmt::format("{}", fmt::join(names_of(subcommands), "|"));
  if (arguments.size() == 1) {
    throw UsageError(fmt::format("manyverbs {}: SUBCOMMAND is required: {}", name, valid));
  }
  if (is_help(arguments[1])) {
    print_subcommands(command, subcommands);
    return;
  }
  const Command& subcommand =
      find_command(subcommands, arguments[1],
                   fmt::format("manyverbs {}: expected {}, found '{}'", name, valid, arguments[1]));
  run_command(fmt::format("{} {}", name, subcommand.name), subcommand.program,
              {arguments.begin() + 2, arguments.end()});
}

// Also with --quiet, which silences progress and remarks.
int end_interrupted(const std::string& state) {
  std::fflush(stdout);
  fmt::print(stderr, "manyverbs: interrupted; {}\n", state);
  return 130;  // 128 + SIGINT, as in shells
}

std::string state_after(const Interrupted& stop) {
  if (stop.kept().empty()) return "nothing new was saved";
  return stop.kept() + ": run the same command again to resume";
}

int fail(const std::string& problem) {
  std::fflush(stdout);
  // LibTorch appends a stack trace to its messages.
  fmt::print(stderr, "manyverbs: {}\n", problem.substr(0, problem.find('\n')));
  return 1;
}

}  // namespace
}  // namespace manyverbs::cli

// 0: done. 1: failed. 2: wrong usage. 130: interrupted by Ctrl-C or SIGTERM.
int main(int argc, char** argv) {
  using manyverbs::cli::end_interrupted;
  using manyverbs::cli::fail;
  const manyverbs::InterruptionHandler handler;
  std::signal(SIGXFSZ, SIG_IGN);  // exceeding the file size limit is an error, not a crash
  try {
    manyverbs::cli::run({argv + 1, argv + argc});
    if (std::fflush(stdout) != 0) return fail("cannot write to standard output");
    // Too late to stop this command, but a calling script should stop.
    return manyverbs::interrupted() ? end_interrupted("the command was already finished") : 0;
  } catch (const manyverbs::Interrupted& stop) {
    return end_interrupted(manyverbs::cli::state_after(stop));
  } catch (const manyverbs::cli::UsageError& problem) {
    fmt::print(stderr, "{}\nTry --help.\n", problem.what());
    return 2;
  } catch (const std::filesystem::filesystem_error& problem) {
    return fail(fmt::format("{}: {}", problem.path1().string(), problem.code().message()));
  } catch (const std::bad_alloc&) {
    return fail("not enough memory");
  } catch (const std::exception& problem) {
    return fail(problem.what());
  }
}
