// SPDX-License-Identifier: MIT
#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "cli/command.h"
#include "manyverbs/support/internal/interruption.h"
#include "manyverbs/support/internal/spelling.h"

namespace manyverbs::cli {

const std::vector<Command>& all_commands() {
  static const std::vector<Command> commands = {
      {"demo", "the whole story on data it makes itself", demo_command},
      {"import", "make a data-set folder: arrays | videos | hmdb51 | epic100", import_command},
      {"confuse", "split every class in several, as Confusing-HMDB-102 does", confuse_command},
      {"inspect", "counts, label distribution, co-occurrence, what looks wrong", inspect_command},
      {"flow", "optical flow of every clip, by TV-L1 or DIS", flow_command},
      {"extract", "features of every clip with a TSM backbone", extract_command},
      {"neighbours", "the K nearest training clips of every clip", neighbours_command},
      {"pseudo-label", "which further labels each clip deserves, and the votes behind it",
       pseudo_label_command},
      {"train", "one model from single labels, with any of the losses", train_command},
      {"finetune", "a backbone from clips, with any of the losses", finetune_command},
      {"evaluate", "the metrics of a run on a split", evaluate_command},
      {"predict", "labels for video files, or for a file of features", predict_command},
      {"compare", "losses x seeds or splits: the paper's Table 1", compare_command},
      {"ablate", "class-level and ideal pseudo-labels beside Mask and P+S: Table 2",
       ablate_command},
      {"sweep", "K x tau for Mask and P+S: the supplementary table", sweep_command},
      {"report", "one HTML file with every table and figure", report_command},
      {"annotate", "several people label the same clips: prepare | serve | status | export",
       annotate_command},
  };
  return commands;
}

namespace {

void print_help() {
  fmt::print(
      "manyverbs: a multi-label classifier from clips that carry one label each\n\n"
      "Usage: manyverbs COMMAND [OPTIONS]\n\n");
  for (const Command& command : all_commands()) {
    fmt::print("  {:<14}{}\n", command.name, command.summary);
  }
  fmt::print(
      "\n'manyverbs COMMAND --help' shows the options of a command with examples.\n"
      "'manyverbs --version' prints the version.\n");
}

void run(const Arguments& arguments) {
  if (arguments.empty() || arguments[0] == "--help" || arguments[0] == "-h" ||
      arguments[0] == "help") {
    print_help();
    return;
  }
  if (arguments[0] == "--version") {
    fmt::print("manyverbs {}\n", MANYVERBS_VERSION);
    return;
  }
  std::vector<std::string> names = {"--help", "--version"};
  for (const Command& command : all_commands()) {
    if (command.name == arguments[0]) {
      command.run({arguments.begin() + 1, arguments.end()});
      return;
    }
    names.emplace_back(command.name);
  }
  throw UsageError(
      fmt::format("manyverbs: no command '{}'{}", arguments[0], did_you_mean(arguments[0], names)));
}

// Threads that wait for each other stay awake for a moment by default, since on a free machine that
// is faster. On a busy one they take the cores from those they wait for, and training gets ten
// times slower. OpenMP reads GOMP_SPINCOUNT only while it is loaded, before main(); but it also
// waits briefly as soon as it has more threads than there are cores, so a few that only sleep will
// do. They take no signals, which are for threads that act on them.
void make_waiting_threads_sleep() {
  if (std::getenv("OMP_WAIT_POLICY") != nullptr || std::getenv("GOMP_SPINCOUNT") != nullptr) return;
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread([] {
    const int more_than_cores = omp_get_num_procs() + 1;
    int started = 0;
#pragma omp parallel num_threads(more_than_cores) reduction(+ : started)
    started = 1;
    if (started == 0) return;
    for (;;) pause();
  }).detach();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

// Also with --quiet, which silences progress and remarks.
int end_interrupted(const std::string& state) {
  std::fflush(stdout);
  fmt::print(stderr, "manyverbs: interrupted; {}\n", state);
  return 130;  // as shells say of a program that Ctrl-C ended
}

std::string state_after(const Interrupted& stop) {
  if (stop.kept().empty()) return "nothing new was saved";
  return stop.kept() + ": run the same command again to resume";
}

int fail(const std::string& problem) {
  std::fflush(stdout);
  // LibTorch puts a stack trace below its messages.
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
  std::signal(SIGXFSZ, SIG_IGN);  // a file that grows too large is an error to report, not a death
  try {
    manyverbs::cli::make_waiting_threads_sleep();
    manyverbs::cli::run({argv + 1, argv + argc});
    if (std::fflush(stdout) != 0) return fail("standard output cannot be written");
    // Too late to stop anything here, but a script around it may want to.
    return manyverbs::interrupted() ? end_interrupted("the work was done already") : 0;
  } catch (const manyverbs::Interrupted& stop) {
    return end_interrupted(manyverbs::cli::state_after(stop));
  } catch (const manyverbs::cli::UsageError& problem) {
    fmt::print(stderr, "{}\nTry --help.\n", problem.what());
    return 2;
  } catch (const std::filesystem::filesystem_error& problem) {
    return fail(fmt::format("{}: {}", problem.path1().string(), problem.code().message()));
  } catch (const std::bad_alloc&) {
    return fail("there is not enough memory");
  } catch (const std::exception& problem) {
    return fail(problem.what());
  }
}
