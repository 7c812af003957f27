// SPDX-License-Identifier: MIT
#include "manyverbs/support/internal/csv.h"

#include "tests/scratch.h"

namespace manyverbs {
namespace {

using Fields = std::vector<std::string>;

CsvTable parse(std::string_view text) { return parse_csv(text, "t.csv"); }

std::string problem_of(std::string_view text) {
  try {
    parse(text);
  } catch (const Error& problem) {
    return problem.what();
  }
  return "";
}

TEST(Csv, QuotedFieldsCanContainCommasQuotesAndLineBreaks) {
  const CsvTable table = parse("a,b\n\"1,5\",\"say \"\"hi\"\"\"\n\"two\nlines\",x\nlast,y\n");
  ASSERT_EQ(table.rows.size(), 3);
  EXPECT_EQ(table.rows[0].fields, (Fields{"1,5", "say \"hi\""}));
  EXPECT_EQ(table.rows[1].fields, (Fields{"two\nlines", "x"}));
  EXPECT_EQ(table.rows[1].line, 3);
  EXPECT_EQ(table.rows[2].line, 5);
}

TEST(Csv, ByteOrderMarkCrlfBlankLinesAndAMissingLastLineBreakAreAccepted) {
  const CsvTable table = parse(
      "\xEF\xBB\xBF"
      "a,b\r\n1,2\r\n\r\n\r\n3,4");
  EXPECT_EQ(table.header, (Fields{"a", "b"}));
  ASSERT_EQ(table.rows.size(), 2);
  EXPECT_EQ(table.rows[1].fields, (Fields{"3", "4"}));
  EXPECT_EQ(table.rows[1].line, 5);
}

TEST(Csv, EmptyFieldsAreKept) {
  const CsvTable table = parse("a,b,c\n,,\nx,,\"\"\n");
  ASSERT_EQ(table.rows.size(), 2);
  EXPECT_EQ(table.rows[0].fields, (Fields{"", "", ""}));
  EXPECT_EQ(table.rows[1].fields, (Fields{"x", "", ""}));
}

TEST(Csv, ErrorsNameFileAndLine) {
  EXPECT_EQ(problem_of(""), "t.csv: the file is empty, expected a header line");
  EXPECT_EQ(problem_of("a,b\n1,2\n1,2,3\n"),
            "t.csv:3: expected 2 fields as in the header, found 3");
  EXPECT_EQ(problem_of("a,b\n1\n"), "t.csv:2: expected 2 fields as in the header, found 1");
  EXPECT_EQ(problem_of("a,b,a\n"), "t.csv:1: duplicate column 'a'");
  EXPECT_EQ(problem_of("a,b\n1,\"open\n2,3\n"), "t.csv:2: unclosed quoted field");
  EXPECT_EQ(problem_of("a,b\n1,\"x\"y\n"),
            "t.csv:2: unexpected text after a closing quote; use \"\" for a quote inside a field");
}

TEST(Csv, AMissingColumnGetsASuggestion) {
  const CsvTable table = parse("clip,split,label\n");
  EXPECT_EQ(table.column("split"), 1);
  EXPECT_EQ(table.find_column("labels"), -1);
  try {
    table.column("labels");
    FAIL();
  } catch (const Error& problem) {
    EXPECT_STREQ(
        problem.what(),
        "t.csv:1: missing column 'labels'; found clip, split, label, did you mean 'label'?");
  }
}

TEST(Csv, OtherSeparatorsAreErrors) {
  for (const auto& [text, problem] :
       {std::pair("clip;split;labels\na;train;cut\n",
                  "t.csv:1: expected columns separated by commas, found ';'"),
        std::pair("clip\tsplit\na\ttrain\n",
                  "t.csv:1: expected columns separated by commas, found tabs")}) {
    try {
      parse(text);
      FAIL();
    } catch (const Error& found) {
      EXPECT_STREQ(found.what(), problem);
    }
  }
}

TEST(Csv, FieldsAreQuotedOnlyIfNecessary) {
  EXPECT_EQ(csv_line({"a", "b,c"}), "a,\"b,c\"\n");
  EXPECT_EQ(csv_line({"say \"hi\"", "", "two\nlines"}), "\"say \"\"hi\"\"\",,\"two\nlines\"\n");
  EXPECT_EQ(csv_line({""}), "\"\"\n");
}

TEST(Csv, WhatIsWrittenIsReadBack) {
  const Fields fields = {"", " ", ",", "\"", "\"\"", "a\r\nb", "é;…", "plain"};
  const CsvTable table = parse("1,2,3,4,5,6,7,8\n" + csv_line(fields) + csv_line(fields));
  ASSERT_EQ(table.rows.size(), 2);
  EXPECT_EQ(table.rows[0].fields, fields);
  EXPECT_EQ(table.rows[1].fields, fields);
}

TEST(Csv, AMissingFileIsAnError) {
  const ScratchFolder scratch;
  EXPECT_EQ(error_of(scratch, [&] { read_csv(scratch / "none.csv"); }),
            "none.csv: No such file or directory");
}

}  // namespace
}  // namespace manyverbs
