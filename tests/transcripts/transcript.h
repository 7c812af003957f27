// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace manyverbs::transcripts {

/// Commands and their output, as shown in documentation. Every block of a Markdown file that is
/// fenced as ```console is one:
///
///   $ manyverbs evaluate runs/none        a command; continues in the next line after a `\`
///   manyverbs: runs/none: is not a run…   its output, standard output and error together
///   [exit 1]                              last, if the exit code is not 0
///
/// `…` matches any text within a line, and a line that is only `…` any number of lines. In a
/// block fenced as ```console about, numbers with a decimal point may differ by a seventh, and the
/// spaces before them too: trained models are not bit-identical on different processors.

enum class Numbers { Exact, About };

struct Step {
  int line = 0;  ///< of the command in its file, counted from 1
  std::string command;
  std::vector<std::string> expected;  ///< lines, without the exit code
  int exit_code = 0;
  Numbers numbers = Numbers::Exact;
};

/// All steps of a file in order. Throws Error with file and line for a block that does not start
/// with a command, is not closed, or has another word than `about` after `console`, and for a file
/// without blocks.
std::vector<Step> read_transcript(std::string_view markdown, const std::filesystem::path& file);

/// Whether a line is as expected: "best: … %" fits "best: 42.0 %", and so does "best: 40.5 %"
/// about.
bool line_fits(std::string_view expected, std::string_view found, Numbers numbers = Numbers::Exact);

/// Whether all lines are: {"a", "…", "z"} fits {"a", "z"} and {"a", "b", "c", "z"}.
bool lines_fit(const std::vector<std::string>& expected, const std::vector<std::string>& found,
               Numbers numbers = Numbers::Exact);

struct Outcome {
  std::vector<std::string> lines;
  int exit_code = 0;  ///< 128 + number of the signal if one ended the command
};

/// "" if the outcome is as expected, otherwise a text with the expected and the found output.
std::string mismatch(const Step& step, const Outcome& outcome, const std::filesystem::path& file);

}  // namespace manyverbs::transcripts
