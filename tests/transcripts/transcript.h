// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace manyverbs::transcripts {

/// Commands with what they print, as documentation shows them. In a Markdown file, every block that
/// is fenced as ```console is one:
///
///   $ manyverbs evaluate runs/none        a command; goes on in the next line behind a `\`
///   manyverbs: runs/none: is not a run…   what it prints, standard output and error together
///   [exit 1]                              last, where it ends with another code than 0
///
/// `…` stands for any text within a line, and a line that is only `…` for any number of lines. In a
/// block fenced as ```console about, numbers with a decimal point may differ by a seventh, and the
/// spaces before them with them: trained models are not the same to the bit on every processor.

enum class Numbers { Exact, About };

struct Step {
  int line = 0;  ///< of the command in its file, counted from 1
  std::string command;
  std::vector<std::string> expected;  ///< lines, without the exit code
  int exit_code = 0;
  Numbers numbers = Numbers::Exact;
};

/// All steps of a file in order. Throws Error with file and line for a block that does not start
/// with a command, is not closed, or has another word than `about` behind `console`, and for a file
/// without any.
std::vector<Step> read_transcript(std::string_view markdown, const std::filesystem::path& file);

/// Whether a line is as expected: "best: … %" fits "best: 42.0 %", and so does "best: 40.5 %"
/// about.
bool line_fits(std::string_view expected, std::string_view found, Numbers numbers = Numbers::Exact);

/// Whether all lines are: {"a", "…", "z"} fits {"a", "z"} and {"a", "b", "c", "z"}.
bool lines_fit(const std::vector<std::string>& expected, const std::vector<std::string>& found,
               Numbers numbers = Numbers::Exact);

struct Outcome {
  std::vector<std::string> lines;
  int exit_code = 0;  ///< 128 and the signal's number where one ended the command
};

/// "" where the outcome is as expected, else what was expected and what was found, for people.
std::string mismatch(const Step& step, const Outcome& outcome, const std::filesystem::path& file);

}  // namespace manyverbs::transcripts
