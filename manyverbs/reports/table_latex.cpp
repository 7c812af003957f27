// SPDX-License-Identifier: MIT
#include <cmath>

#include <fmt/format.h>

#include "manyverbs/protocols/internal/published.h"
#include "manyverbs/reports/internal/latex.h"
#include "manyverbs/reports/internal/table_cells.h"
#include "manyverbs/reports/internal/tables.h"
#include "manyverbs/support/internal/display.h"

namespace manyverbs {
namespace {

constexpr int kLongestLatexTitle = 60;
constexpr std::string_view kPackages =
    "% needs \\usepackage{booktabs}; for names beyond ASCII also \\usepackage[T1]{fontenc} with\n"
    "% pdflatex, or a font that has them with xelatex\n";

std::string marked(const std::string& text, bool best) {
  return best ? fmt::format("\\textbf{{{}}}", text) : text;
}

std::string cell_latex(double mean, double deviation) {
  return cell_text(mean, deviation, true, " $\\pm$ ");
}

std::string metric_title(std::string_view key) {
  const std::string title(kTableMetrics[table_metric(key)].title);
  return title == "F1" ? "F\\textsubscript{1}" : latex_text(title);
}

std::string header(const Results& results) {
  const bool beside = !results.published.empty();
  std::string titles = "Loss";
  std::string sources;
  for (const std::string_view key : paper_metrics(results)) {
    titles += beside ? fmt::format(" & \\multicolumn{{2}}{{c}}{{{}}}", metric_title(key))
                     : fmt::format(" & {}", metric_title(key));
    sources += " & here & paper";
  }
  return beside ? titles + " \\\\\n" + sources + " \\\\ \\midrule\n" : titles + " \\\\ \\midrule\n";
}

std::string table_line(const Results& results, const TableRow& row) {
  std::string line = latex_text(shortened(row.row.title, kLongestLatexTitle));
  for (const std::string_view key : paper_metrics(results)) {
    const std::size_t metric = table_metric(key);
    const Cell& cell = row.cells[metric];
    line += " & " + marked(cell_latex(cell.mean, cell.deviation), row.best[metric]);
    if (results.published.empty()) continue;
    const auto value = published_value(results.published, row.row.key, key);
    line += " & " + (value ? cell_latex(value->mean, value->deviation) : "-");
  }
  return line + " \\\\\n";
}

std::string loss_table(const Results& results) {
  const std::vector<TableRow> rows = table_of(results);
  const bool beside = !results.published.empty();
  const std::size_t columns = paper_metrics(results).size() * (beside ? 2 : 1);
  std::string text = fmt::format("\\begin{{tabular}}{{@{{}}l{}@{{}}}}\n\\toprule\n{}",
                                 std::string(columns, 'c'), header(results));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (starts_own(rows, i)) text += fmt::format("\\cmidrule(l){{1-{}}}\n", columns + 1);
    text += table_line(results, rows[i]);
  }
  return text + "\\bottomrule\n\\end{tabular}\n";
}

// One column per K; beside published values two.
std::string sweep_header(const SweepGrid& grid) {
  std::string text = "$\\tau$ / K";
  std::string sources;
  for (const int k : grid.ks) {
    text += grid.published.empty() ? fmt::format(" & {}", k)
                                   : fmt::format(" & \\multicolumn{{2}}{{c}}{{{}}}", k);
    sources += " & here & paper";
  }
  text += " \\\\";
  return grid.published.empty() ? text : text + "\n" + sources + " \\\\";
}

std::string sweep_table(const SweepGrid& grid) {
  const std::size_t columns = grid.ks.size() * (grid.published.empty() ? 1 : 2);
  std::string text = fmt::format(
      "\\begin{{tabular}}{{@{{}}l{}@{{}}}}\n\\multicolumn{{{}}}{{c}}{{{}, F\\textsubscript{{1}}}} "
      "\\\\ \\toprule\n{} \\midrule\n",
      std::string(columns, 'c'), columns + 1, latex_text(shortened(grid.title, kLongestLatexTitle)),
      sweep_header(grid));
  for (std::size_t i = 0; i < grid.taus.size(); ++i) {
    text += fmt::format("{}", grid.taus[i]);
    for (std::size_t j = 0; j < grid.ks.size(); ++j) {
      const Cell& cell = grid.f1[i][j];
      text += " & " + marked(cell_latex(cell.mean, cell.deviation), grid.best[i][j]);
      if (!grid.published.empty()) text += " & " + cell_latex(grid.published[i][j], NAN);
    }
    text += " \\\\\n";
  }
  return text + "\\bottomrule\n\\end{tabular}";
}

}  // namespace

std::string table_latex(const Results& results) {
  std::string text = fmt::format("{}% bold: {}\n", kPackages, latex_text(kBestMeaning));
  if (results.kind != ExperimentKind::Sweep) return text + loss_table(results);
  bool first = true;
  for (const SweepGrid& grid : sweep_grids(results, table_of(results))) {
    if (!first) text += "\\qquad\n";
    first = false;
    text += sweep_table(grid) + "%\n";
  }
  return text;
}

}  // namespace manyverbs
