// SPDX-License-Identifier: MIT
#include "manyverbs/reports/report.h"

#include <cassert>

#include "manyverbs/reports/internal/report_data.h"
#include "manyverbs/reports/internal/report_page.h"
#include "manyverbs/support/internal/files.h"
#include "web/pages.h"

namespace manyverbs {
namespace {

constexpr std::string_view kPlace = "REPORT_DATA";

void replace_all(std::string* text, std::string_view what, std::string_view by) {
  std::string result;
  std::size_t begin = 0;
  for (std::size_t at = text->find(what); at != std::string::npos; at = text->find(what, begin)) {
    result.append(*text, begin, at - begin);
    result += by;
    begin = at + what.size();
  }
  result.append(*text, begin);
  *text = std::move(result);
}

}  // namespace

std::string script_json(const Json& json) {
  std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  replace_all(&text, "<", "\\u003c");
  replace_all(&text, "\u2028", "\\u2028");
  replace_all(&text, "\u2029", "\\u2029");
  return text;
}

std::string filled_page(std::string_view page, const Json& data) {
  const std::size_t at = page.find(kPlace);
  assert(at != std::string_view::npos);
  std::string text(page.substr(0, at));
  text += script_json(data);
  text += page.substr(at + kPlace.size());
  return text;
}

WrittenReport write_report(const std::vector<std::filesystem::path>& experiments,
                           const std::filesystem::path& path, const ReportSettings& settings) {
  std::vector<Results> results;
  results.reserve(experiments.size());
  for (const std::filesystem::path& folder : experiments) results.push_back(read_results(folder));
  ReportData data = report_data(results, settings, path.parent_path());
  const std::string page = filled_page(kReportPage, data.json);
  write_file(path, page);
  return {page.size(), std::move(data.remarks)};
}

}  // namespace manyverbs
