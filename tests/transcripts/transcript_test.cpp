// SPDX-License-Identifier: MIT
#include "tests/transcripts/transcript.h"

#include "tests/scratch.h"
#include "tests/transcripts/shell.h"

namespace manyverbs::transcripts {
namespace {

constexpr const char* kFile = "guide.md";

std::vector<Step> read(std::string_view markdown) { return read_transcript(markdown, kFile); }

std::string error_in(std::string_view markdown) {
  try {
    read(markdown);
  } catch (const Error& problem) {
    return problem.what();
  }
  return "";
}

TEST(Transcript, TakesCommandsOutputAndExitCodesFromConsoleBlocks) {
  const auto steps = read(
      "Words.\n```console\n$ one a\nsays\nthis\n$ two\n[exit 1]\n```\n"
      "```sh\n$ not run\n```\n```console\n$ three \\\n    more\n```\n");
  ASSERT_EQ(steps.size(), 3U);
  EXPECT_EQ(steps[0].line, 3);
  EXPECT_EQ(steps[0].command, "one a");
  EXPECT_EQ(steps[0].expected, (std::vector<std::string>{"says", "this"}));
  EXPECT_EQ(steps[0].exit_code, 0);
  EXPECT_EQ(steps[1].exit_code, 1);
  EXPECT_TRUE(steps[1].expected.empty());
  EXPECT_EQ(steps[2].command, "three \\\n    more");
}

TEST(Transcript, AFileWithoutConsoleBlockIsAnError) {
  EXPECT_EQ(error_in("```sh\n$ ls\n```\n"), "guide.md: has no ```console block");
}

TEST(Transcript, EveryBlockIsRun) {
  EXPECT_EQ(
      error_in("```console skip-run\n$ ls\n```\n"),
      "guide.md:1: a ```console block is always run; no word but 'about' may stand behind it");
}

TEST(Transcript, ABlockMustStartWithACommandAndEnd) {
  EXPECT_EQ(error_in("```console\nls\n```\n"),
            "guide.md:2: a transcript starts with a line '$ command'");
  EXPECT_EQ(error_in("\n```console\n$ ls\n"), "guide.md:2: the block is never closed");
}

TEST(Transcript, AnEllipsisStandsForAnyTextInALine) {
  EXPECT_TRUE(line_fits("best: … %", "best: 42.0 %"));
  EXPECT_TRUE(line_fits("…a…b…", "xaxbx"));
  EXPECT_TRUE(line_fits("a…", "a"));
  EXPECT_FALSE(line_fits("best: … %", "best: 42.0"));
  EXPECT_FALSE(line_fits("a", "ab"));
}

TEST(Transcript, NumbersWithADecimalPointMatchNearlyEqualOnes) {
  EXPECT_TRUE(line_fits("best: 42.0 %", "best: 40.5 %", Numbers::About));
  EXPECT_TRUE(line_fits("  9.8  50.1", " 10.2  49.0", Numbers::About));
  EXPECT_TRUE(line_fits("epoch … is best: 42.0 %", "epoch 3 of 9 is best: 40.5 %", Numbers::About));
  EXPECT_TRUE(line_fits("AN  42.0 ± …  7.1", "AN   41.0 ± 13.2  7.0", Numbers::About));
  EXPECT_FALSE(line_fits("AN  42.0 ± …  7.1", "AN   41.0 ± 13.2  9.0", Numbers::About));
  EXPECT_FALSE(line_fits("best: 42.0 %", "best: 40.5 %", Numbers::Exact));
  EXPECT_FALSE(line_fits("best: 42.0 %", "best: 21.0 %", Numbers::About));
  EXPECT_FALSE(line_fits("7 clips", "8 clips", Numbers::About));
  EXPECT_FALSE(line_fits("best: 42.0 %", "best: - %", Numbers::About));
  EXPECT_FALSE(line_fits("a 1.0", "a 1.0 b", Numbers::About));
  EXPECT_EQ(read("```console about\n$ ls\n```\n")[0].numbers, Numbers::About);
}

TEST(Transcript, ALineThatIsAnEllipsisStandsForAnyLines) {
  EXPECT_TRUE(lines_fit({"a", "…", "z"}, {"a", "z"}));
  EXPECT_TRUE(lines_fit({"a", "…", "z"}, {"a", "b", "c", "z"}));
  EXPECT_TRUE(lines_fit({"…", "b", "…"}, {"a", "b", "b"}));
  EXPECT_FALSE(lines_fit({"a", "…", "z"}, {"a", "b"}));
  EXPECT_FALSE(lines_fit({}, {"a"}));
  EXPECT_FALSE(lines_fit({"a"}, {}));
}

TEST(Shell, CommandsShareAFolderAndBothOutputsAreCaptured) {
  const Shell shell("/bin", "/tests");
  EXPECT_EQ(shell.run("echo kept > file").exit_code, 0);
  const Outcome outcome = shell.run("cat file; echo $MANYVERBS_TEST_FOLDER >&2; exit 3");
  EXPECT_EQ(outcome.lines, (std::vector<std::string>{"kept", "/tests"}));
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_EQ(shell.run("kill -9 $$").exit_code, 137);
}

TEST(Shell, EachHasASeparateFolder) {
  const Shell one("/bin", "/tests");
  const Shell other("/bin", "/tests");
  one.run("touch file");
  EXPECT_TRUE(other.run("ls").lines.empty());
}

TEST(Mismatch, ShowsPlaceExpectedAndFoundOutput) {
  const Shell shell("/bin", "/tests");
  const auto steps = read("```console\n$ echo one\ntwo\n$ false\n$ echo as it should\nas …\n```\n");
  EXPECT_EQ(mismatch(steps[0], shell.run(steps[0].command), kFile),
            "guide.md:2: $ echo one\n  expected:\n    two\n  found:\n    one\n");
  EXPECT_EQ(mismatch(steps[1], shell.run(steps[1].command), kFile),
            "guide.md:4: $ false\n  expected:\n    (nothing)\n  found:\n    [exit 1]\n");
  EXPECT_EQ(mismatch(steps[2], shell.run(steps[2].command), kFile), "");
}

}  // namespace
}  // namespace manyverbs::transcripts
