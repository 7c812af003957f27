// SPDX-License-Identifier: MIT
#include "cli/commands.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>

#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/interruption.h"

namespace manyverbs::cli {
namespace {

constexpr Command kCommands[] = {
    {"demo", "run the whole pipeline on synthetic data", Program::Learning},
    {"import", "create a data set folder", Program::Manyverbs},
    {"import arrays", "clips.csv and feature files: NPY, NPZ, pickle, safetensors, HDF5, CSV",
     Program::Manyverbs},
    {"import videos", "clips.csv and videos, or folders of frames", Program::Video},
    {"import hmdb51", "the split files of HMDB-51, also as Confusing-HMDB-102", Program::Video},
    {"import epic100", "the annotations of EPIC-Kitchens-100, with SPMV labels", Program::Video},
    {"import reference", "the feature files of the paper's released code", Program::Manyverbs},
    {"import youtube8m", "records of YouTube-8M at video level, with one label drawn per video",
     Program::Manyverbs},
    {"confuse", "split every class into several, as in Confusing-HMDB-102", Program::Manyverbs},
    {"inspect", "show counts, label distribution, co-occurrence and likely errors",
     Program::Manyverbs},
    {"flow", "compute the optical flow of every clip with TV-L1 or DIS", Program::Video},
    {"extract", "compute the features of every clip with a TSM backbone", Program::Learning},
    {"neighbours", "find the K nearest training clips of every clip", Program::Manyverbs},
    {"pseudo-label", "suggest further labels for each clip by votes of its neighbours",
     Program::Learning},
    {"learn", "choose the settings and train the best model that single labels allow",
     Program::Learning},
    {"train", "train a model on single labels with one of the losses", Program::Learning},
    {"finetune", "train a backbone on clips with one of the losses", Program::Learning},
    {"evaluate", "compute the metrics of a run on a split", Program::Learning},
    {"predict", "predict the labels of videos or of feature files", Program::Learning},
    {"export", "write a run as one folder for use on other machines", Program::Learning},
    {"compare", "train all losses with several seeds or splits: Table 1 of the paper",
     Program::Learning},
    {"ablate", "compare class-level, ideal and instance-level pseudo-labels: Table 2",
     Program::Learning},
    {"sweep", "train with several K and tau: table of the supplement", Program::Learning},
    {"rank", "compare losses by their mean ranks over several data sets", Program::Learning},
    {"report", "write one HTML file with all tables and charts", Program::Learning},
    {"annotate", "annotate clips with several people", Program::Manyverbs},
    {"annotate prepare", "select clips and verbs, convert videos for browsers", Program::Learning},
    {"annotate serve", "run the web server for annotators and leaders", Program::Annotation},
    {"annotate invite", "invite people by a list of names, and write their personal links",
     Program::Annotation},
    {"annotate status", "show progress, agreement and statistics per person", Program::Annotation},
    {"annotate log", "show what leaders did, newest first", Program::Annotation},
    {"annotate simulate", "simulate a round: how many answers are needed, by which rule",
     Program::Annotation},
    {"annotate export", "write the result: data set, SPMV CSV, JSONL, Label Studio",
     Program::Annotation},
    {"annotate backup", "copy a project and its answers, also while the server runs",
     Program::Annotation},
    {"annotate restore", "make a project from a backup", Program::Annotation},
    {"annotate strings", "print the texts of the annotator's page, which projects can replace",
     Program::Annotation},
};

std::map<std::string_view, Registration::Run>& registrations() {
  static std::map<std::string_view, Registration::Run> table;
  return table;
}

std::string file_name(Program program) {
  switch (program) {
    case Program::Manyverbs:
      return "manyverbs";
    case Program::Annotation:
      return "manyverbs-annotation";
    case Program::Learning:
      return "manyverbs-learning";
    case Program::Video:
      return "manyverbs-video";
  }
  return "";
}

[[noreturn]] void execute(const std::filesystem::path& file, std::string_view command,
                          const Arguments& arguments) {
  std::vector<std::string> words = {"manyverbs"};
  const std::size_t space = command.find(' ');
  words.emplace_back(command.substr(0, space));
  if (space != command.npos) words.emplace_back(command.substr(space + 1));
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  pass_signals_on();
  execv(file.c_str(), pointers.data());
  throw Error("'manyverbs {}' requires {}: {}", command, file.string(), std::strerror(errno));
}

}  // namespace

std::string_view program_version() { return MANYVERBS_VERSION; }

std::span<const Command> all_commands() { return kCommands; }

std::string_view summary_of(std::string_view name) {
  const auto* found = std::find_if(std::begin(kCommands), std::end(kCommands),
                                   [&](const Command& command) { return command.name == name; });
  return found == std::end(kCommands) ? "" : found->summary;
}

std::vector<Command> subcommands_of(const Command& command) {
  const std::string start = std::string(command.name) + " ";
  std::vector<Command> subcommands;
  for (Command each : kCommands) {
    if (!each.name.starts_with(start)) continue;
    each.name.remove_prefix(start.size());
    subcommands.push_back(each);
  }
  return subcommands;
}

Registration::Registration(std::string_view command, Run run) { registrations()[command] = run; }

Registration::Run registered(std::string_view command) {
  const auto found = registrations().find(command);
  return found == registrations().end() ? nullptr : found->second;
}

void continue_in(Program program, std::string_view command, const Arguments& arguments) {
  // In the same folder in a build, in another one when installed.
  const std::filesystem::path here = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  std::filesystem::path file = here / file_name(program);
  if (!std::filesystem::exists(file)) {
    file = (here / MANYVERBS_PROGRAMS_FOLDER / file_name(program)).lexically_normal();
  }
  // A program built without one of its commands must not start itself again and again.
  if (std::filesystem::exists(file) && std::filesystem::equivalent(file, "/proc/self/exe")) {
    throw Error("'manyverbs {}' is not available: this build does not include its component",
                command);
  }
  execute(file, command, arguments);
}

void start_again(std::string_view command, const Arguments& arguments) {
  execute("/proc/self/exe", command, arguments);
}

}  // namespace manyverbs::cli
