// SPDX-License-Identifier: MIT
#include <exception>

#include <fmt/format.h>

#include "manyverbs/support/internal/files.h"
#include "tests/transcripts/shell.h"

namespace manyverbs::transcripts {
namespace {

// Prints the commands with another outcome than in the file; returns their number.
int run_file(const std::filesystem::path& programs, const std::filesystem::path& file) {
  const std::vector<Step> steps = read_transcript(read_file(file), file);
  const Shell shell(programs, MANYVERBS_TEST_FOLDER);
  int wrong = 0;
  for (const Step& step : steps) {
    const std::string problem = mismatch(step, shell.run(step.command), file);
    if (problem.empty()) continue;
    fmt::print("{}\n", problem);
    ++wrong;
  }
  fmt::print("{}: {} of {} commands did as the file says\n", file.string(), steps.size() - wrong,
             steps.size());
  return wrong;
}

}  // namespace
}  // namespace manyverbs::transcripts

// transcripts PROGRAM_FOLDER FILE.md: runs the commands of the file and compares the output.
int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "Usage: transcripts PROGRAM_FOLDER FILE.md\n");
    return 2;
  }
  try {
    return manyverbs::transcripts::run_file(argv[1], argv[2]) == 0 ? 0 : 1;
  } catch (const std::exception& problem) {
    fmt::print(stderr, "transcripts: {}\n", problem.what());
    return 1;
  }
}
