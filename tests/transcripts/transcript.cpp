// SPDX-License-Identifier: MIT
#include "tests/transcripts/transcript.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "manyverbs/support/error.h"

namespace manyverbs::transcripts {
namespace {

constexpr std::string_view kAny = "…";
constexpr std::string_view kFence = "```";
constexpr std::string_view kPrompt = "$ ";

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// The number in "[exit 1]".
std::optional<int> exit_code_of(std::string_view line) {
  constexpr std::string_view kStart = "[exit ";
  if (!line.starts_with(kStart) || !line.ends_with(']')) return std::nullopt;
  line = line.substr(kStart.size(), line.size() - kStart.size() - 1);
  int code = 0;
  const auto [end, problem] = std::from_chars(line.data(), line.data() + line.size(), code);
  if (problem != std::errc() || end != line.data() + line.size()) return std::nullopt;
  return code;
}

// Walks over the lines of a file and collects the steps of its blocks.
class Reader {
 public:
  Reader(std::string_view markdown, const std::filesystem::path& file)
      : lines_(lines_of(markdown)), file_(file) {}

  std::vector<Step> read() {
    while (at_ < lines_.size()) {
      const std::string& line = lines_[at_++];
      if (line.starts_with(kFence)) read_block(line.substr(kFence.size()));
    }
    if (steps_.empty()) throw Error("{}: has no ```console block", file_.string());
    take_exit_codes();
    return steps_;
  }

 private:
  void read_block(std::string_view info) {
    const int opened = static_cast<int>(at_);
    const bool is_transcript = info.substr(0, info.find(' ')) == "console";
    const Numbers numbers = info == "console about" ? Numbers::About : Numbers::Exact;
    if (is_transcript && info != "console" && numbers == Numbers::Exact) {
      fail(opened, "a ```console block is always run; no word but 'about' may stand behind it");
    }
    bool has_command = false;
    for (; at_ < lines_.size() && lines_[at_] != kFence; ++at_) {
      if (!is_transcript) continue;
      if (lines_[at_].starts_with(kPrompt)) {
        read_command();
        steps_.back().numbers = numbers;
        has_command = true;
      } else if (has_command) {
        steps_.back().expected.push_back(lines_[at_]);
      } else {
        fail(static_cast<int>(at_) + 1, "a transcript starts with a line '$ command'");
      }
    }
    if (at_ >= lines_.size()) fail(opened, "the block is never closed");
    ++at_;
  }

  // Stays on the last line of the command.
  void read_command() {
    Step step{static_cast<int>(at_) + 1, lines_[at_].substr(kPrompt.size()), {}, 0, {}};
    while (step.command.ends_with('\\') && at_ + 1 < lines_.size()) {
      step.command += '\n' + lines_[++at_];
    }
    steps_.push_back(std::move(step));
  }

  void take_exit_codes() {
    for (Step& step : steps_) {
      if (step.expected.empty()) continue;
      const auto code = exit_code_of(step.expected.back());
      if (!code) continue;
      step.exit_code = *code;
      step.expected.pop_back();
    }
  }

  [[noreturn]] void fail(int line, std::string_view problem) const {
    throw Error("{}:{}: {}", file_.string(), line, problem);
  }

  std::vector<std::string> lines_;
  const std::filesystem::path& file_;
  std::size_t at_ = 0;
  std::vector<Step> steps_;
};

// Removes and returns a number with a decimal point at the front.
std::optional<double> take_number(std::string_view* text) {
  double value = 0;
  const auto [end, problem] = std::from_chars(text->data(), text->data() + text->size(), value);
  const std::string_view digits = text->substr(0, static_cast<std::size_t>(end - text->data()));
  if (problem != std::errc() || digits.find('.') == std::string_view::npos) return std::nullopt;
  text->remove_prefix(digits.size());
  return value;
}

// Numbers of other lengths move the columns of a table, so any number of spaces matches.
void skip_spaces(std::string_view* a, std::string_view* b) {
  if (!a->starts_with(' ') || !b->starts_with(' ')) return;
  a->remove_prefix(std::min(a->find_first_not_of(' '), a->size()));
  b->remove_prefix(std::min(b->find_first_not_of(' '), b->size()));
}

std::string indented(const std::vector<std::string>& lines, int exit_code) {
  std::string text;
  for (const std::string& line : lines) text += "    " + line + '\n';
  if (exit_code != 0) text += fmt::format("    [exit {}]\n", exit_code);
  return text.empty() ? "    (nothing)\n" : text;
}

}  // namespace

std::vector<Step> read_transcript(std::string_view markdown, const std::filesystem::path& file) {
  return Reader(markdown, file).read();
}

bool line_fits(std::string_view expected, std::string_view found, Numbers numbers) {
  while (!expected.empty() && !expected.starts_with(kAny)) {
    if (numbers == Numbers::About) {
      skip_spaces(&expected, &found);
      if (expected.empty() || expected.starts_with(kAny)) break;
      const auto a = take_number(&expected);
      const auto b = take_number(&found);
      if (a.has_value() != b.has_value()) return false;
      if (a && std::abs(*a - *b) > std::max(std::abs(*a), std::abs(*b)) / 7) return false;
      if (a) continue;
    }
    if (found.empty() || expected.front() != found.front()) return false;
    expected.remove_prefix(1);
    found.remove_prefix(1);
  }
  if (expected.empty()) return found.empty();
  expected.remove_prefix(kAny.size());
  for (std::size_t skipped = 0; skipped <= found.size(); ++skipped) {
    if (line_fits(expected, found.substr(skipped), numbers)) return true;
  }
  return false;
}

bool lines_fit(const std::vector<std::string>& expected, const std::vector<std::string>& found,
               Numbers numbers) {
  // fits[j]: the expected lines so far match the first j found lines.
  std::vector<bool> fits(found.size() + 1, false);
  fits[0] = true;
  for (const std::string& line : expected) {
    std::vector<bool> next(found.size() + 1, false);
    if (line == kAny) {
      next[0] = fits[0];
      for (std::size_t j = 1; j <= found.size(); ++j) next[j] = fits[j] || next[j - 1];
    } else {
      for (std::size_t j = 1; j <= found.size(); ++j) {
        next[j] = fits[j - 1] && line_fits(line, found[j - 1], numbers);
      }
    }
    fits = std::move(next);
  }
  return fits.back();
}

std::string mismatch(const Step& step, const Outcome& outcome, const std::filesystem::path& file) {
  if (step.exit_code == outcome.exit_code && lines_fit(step.expected, outcome.lines, step.numbers))
    return "";
  return fmt::format("{}:{}: $ {}\n  expected:\n{}  found:\n{}", file.string(), step.line,
                     step.command, indented(step.expected, step.exit_code),
                     indented(outcome.lines, outcome.exit_code));
}

}  // namespace manyverbs::transcripts
