// SPDX-License-Identifier: MIT
#include "manyverbs/reports/internal/latex.h"

#include <algorithm>
#include <cstdlib>

#include <gtest/gtest.h>

#include "manyverbs/reports/internal/tables.h"
#include "manyverbs/support/internal/files.h"
#include "tests/reports/results.h"
#include "tests/scratch.h"

namespace manyverbs {
namespace {

// Without the lines that name packages.
std::string body_of(const std::string& text) { return text.substr(text.find("\\begin")); }

// Braces that are opened and closed outside of "\{" and "\}".
void expect_balanced(const std::string& text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '{') {
      ++depth;
    } else if (text[i] == '}') {
      ASSERT_GE(--depth, 0) << text.substr(0, i);
    }
  }
  EXPECT_EQ(depth, 0);
}

TEST(Latex, SpecialCharactersAreEscaped) {
  EXPECT_EQ(latex_text("a_b & 5 %"), "a\\_b \\& 5 \\%");
  EXPECT_EQ(latex_text("$#{}"), "\\$\\#\\{\\}");
  EXPECT_EQ(latex_text("\\~^<>|"),
            "\\textbackslash{}\\textasciitilde{}\\textasciicircum{}\\textless{}\\textgreater{}"
            "\\textbar{}");
  EXPECT_EQ(latex_text("[*]"), "{[}{*}]");
  EXPECT_EQ(latex_text("切る é"), "切る é");
}

TEST(Latex, TheTableHasTheFormatOfThePaper) {
  EXPECT_EQ(body_of(table_latex(small_comparison())),
            R"(\begin{tabular}{@{}lccccc@{}}
\toprule
Loss & Top-set & Top-1 & IOU & F\textsubscript{1} & mAP \\ \midrule
AN & 21.0 $\pm$ 1.4 & 20.0 $\pm$ 1.4 & 19.0 $\pm$ 1.4 & 18.0 $\pm$ 1.4 & 17.0 $\pm$ 1.4 \\
\cmidrule(l){1-6}
Mask & \textbf{50.0 $\pm$ 0.0} & \textbf{49.0 $\pm$ 0.0} & \textbf{48.0 $\pm$ 0.0} & \textbf{47.0 $\pm$ 0.0} & \textbf{46.0 $\pm$ 0.0} \\
P+S & 40.0 & 39.0 & 38.0 & 37.0 & 36.0 \\
\bottomrule
\end{tabular}
)");
}

TEST(Latex, PublishedValuesHaveSeparateColumns) {
  Results results = small_comparison();
  results.published = "epic";
  const std::string text = table_latex(results);
  EXPECT_NE(text.find("{@{}lcccccccccc@{}}"), std::string::npos) << text;
  EXPECT_NE(text.find("\\multicolumn{2}{c}{F\\textsubscript{1}}"), std::string::npos) << text;
  EXPECT_NE(text.find("\\cmidrule(l){1-11}"), std::string::npos) << text;
  EXPECT_NE(text.find("& 37.0 & 44.9 $\\pm$ 0.3 &"), std::string::npos) << text;
}

TEST(Latex, ASweepIsOneTabularPerLoss) {
  EXPECT_EQ(body_of(table_latex(small_sweep())),
            R"(\begin{tabular}{@{}lcc@{}}
\multicolumn{3}{c}{Mask, F\textsubscript{1}} \\ \toprule
$\tau$ / K & 5 & 10 \\ \midrule
0.1 & 30.0 & 31.0 \\
0.2 & 28.0 & - \\
\bottomrule
\end{tabular}%
)");
}

TEST(Latex, PublishedValuesOfASweepHaveSeparateColumns) {
  Results results = small_sweep();
  results.published = "epic";
  EXPECT_EQ(body_of(table_latex(results)),
            R"(\begin{tabular}{@{}lcccc@{}}
\multicolumn{5}{c}{Mask, F\textsubscript{1}} \\ \toprule
$\tau$ / K & \multicolumn{2}{c}{5} & \multicolumn{2}{c}{10} \\
 & here & paper & here & paper \\ \midrule
0.1 & 30.0 & 30.5 & 31.0 & 31.0 \\
0.2 & 28.0 & 23.8 & - & 26.3 \\
\bottomrule
\end{tabular}%
)");
}

// Without fontenc, whose fonts would have to be made first.
void expect_compiles(const std::vector<std::string>& tables) {
  const ScratchFolder scratch;
  std::string text = "\\documentclass{article}\n\\usepackage{booktabs}\n\\begin{document}\n";
  for (std::size_t i = 0; i < tables.size(); ++i) {
    scratch.write(fmt::format("table{}.tex", i), tables[i]);
    text += fmt::format("\\input{{table{}}}\\par\n", i);
  }
  scratch.write("page.tex", text + "\\end{document}\n");
  // A draft, whose fonts need not be drawn.
  const std::string call = fmt::format(
      "cd '{0}' && HOME='{0}' pdflatex -draftmode -interaction=nonstopmode -halt-on-error page.tex "
      "> output.txt 2>&1",
      scratch.path().string());
  EXPECT_EQ(std::system(call.c_str()), 0) << read_file(scratch / "output.txt");
}

TEST(Latex, TablesCompile) {
  Results beside = small_comparison();
  beside.published = "epic";
  Results sweep = small_sweep();
  sweep.published = "epic";
  Results hostile = small_comparison();
  hostile.rows[0].title = "</script>, 'x' &_%$#{}~^\\|[*] é ß \"quoted\" -- <a>";
  hostile.rows[1].title = "*";
  hostile.rows[2].title = "[2ex]";
  std::vector<std::string> tables;
  for (const Results& results :
       {small_comparison(), beside, small_sweep(), sweep, hostile, Results{}}) {
    tables.push_back(table_latex(results));
  }
  expect_compiles(tables);
}

TEST(Latex, SpecialNamesDoNotBreakTables) {
  Results results = small_comparison();
  const std::string usual = table_latex(results);
  results.rows[0].title = kHostile;
  results.rows[1].title = "%&\\\\" + kHostile;
  const std::string text = table_latex(results);
  expect_balanced(text);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'),
            std::count(usual.begin(), usual.end(), '\n'));
  EXPECT_EQ(text.find("<script"), std::string::npos);
  EXPECT_NE(text.find("\n\\textless{}/script\\textgreater{}"), std::string::npos) << text;
  EXPECT_NE(text.find("\n\\%\\&\\textbackslash{}\\textbackslash{}"), std::string::npos) << text;
}

}  // namespace
}  // namespace manyverbs
