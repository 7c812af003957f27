// SPDX-License-Identifier: MIT
#include "manyverbs/reports/internal/report_data.h"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "manyverbs/learning/internal/run.h"
#include "manyverbs/protocols/internal/experiment_table.h"
#include "manyverbs/reports/internal/dataset_charts.h"
#include "manyverbs/reports/internal/experiment_charts.h"
#include "manyverbs/reports/internal/model_charts.h"
#include "manyverbs/reports/internal/pseudo_label_charts.h"
#include "manyverbs/reports/internal/relabelled_charts.h"
#include "manyverbs/reports/internal/report_values.h"
#include "manyverbs/support/internal/files.h"

namespace manyverbs {
namespace {

constexpr std::size_t kCurvePoints = 60000;  // in total over all runs: 2 MB
constexpr std::size_t kMostPointsOfARun = 300;
constexpr std::size_t kLeastPointsOfARun = 20;
constexpr std::size_t kMostPseudoLabels = 3;  // pseudo-label files per data set

// A data set of the report, shared by experiments.
struct Shown {
  std::filesystem::path folder;
  std::unique_ptr<Dataset> dataset;                  ///< null if missing
  std::vector<std::filesystem::path> pseudo_labels;  ///< files used by runs
};

class ReportMaker {
 public:
  ReportMaker(const ReportSettings& settings, const std::filesystem::path& page_folder)
      : settings_(settings), page_folder_(page_folder) {}

  ReportData make(const std::vector<Results>& experiments) {
    std::size_t runs = 0;
    for (const Results& results : experiments) runs += results.runs.size();
    points_ = std::clamp(kCurvePoints / std::max<std::size_t>(runs, 1), kLeastPointsOfARun,
                         kMostPointsOfARun);
    Json list = Json::array();
    for (const Results& results : experiments) list.push_back(experiment(results));
    Json datasets = Json::array();
    for (const Shown& shown : shown_) datasets.push_back(dataset(shown));
    return {{{"format", 1},
             {"title", report_name(title(experiments))},
             {"program", settings_.program},
             {"datasets", std::move(datasets)},
             {"experiments", std::move(list)}},
            std::move(remarks_)};
  }

 private:
  std::string title(const std::vector<Results>& experiments) const {
    if (!settings_.title.empty()) return settings_.title;
    std::string names;
    for (const Results& results : experiments) {
      names += (names.empty() ? "" : ", ") + folder_name(results.folder);
    }
    return names;
  }

  std::size_t place_of(const std::filesystem::path& folder) {
    std::error_code problem;
    std::filesystem::path real = std::filesystem::weakly_canonical(folder, problem);
    if (problem) real = folder;
    const auto found = std::find_if(shown_.begin(), shown_.end(),
                                    [&](const Shown& shown) { return shown.folder == real; });
    if (found != shown_.end()) return static_cast<std::size_t>(found - shown_.begin());
    shown_.push_back({real, nullptr, {}});
    try {
      shown_.back().dataset = std::make_unique<Dataset>(read_dataset(real));
    } catch (const std::exception& problem_with_it) {
      remarks_.push_back(
          fmt::format("left out everything that needs the data set: {}", problem_with_it.what()));
    }
    return shown_.size() - 1;
  }

  Json experiment(const Results& results) {
    std::vector<std::size_t> places;
    for (const auto& folder : results.datasets) places.push_back(place_of(folder));
    std::vector<const Dataset*> datasets;
    datasets.reserve(places.size());
    for (const std::size_t place : places) datasets.push_back(shown_[place].dataset.get());
    Json json = experiment_charts(results, places, points_);
    note_pseudo_labels(results, places);
    if (results.kind == ExperimentKind::Sweep) return json;  // too many models
    ModelCharts charts = model_charts(results, datasets, settings_.examples, page_folder_);
    if (!charts.problems.empty()) {
      remarks_.push_back(fmt::format(
          "{}: left out {} of {} runs from threshold curves and examples; first error: {}",
          results.folder.string(), charts.problems.size(), results.runs.size(),
          charts.problems.front()));
    }
    json["thresholds"] = std::move(charts.thresholds);
    json["examples"] = std::move(charts.examples);
    return json;
  }

  // The pseudo-labels that the runs used; for a sweep, those of its best row.
  void note_pseudo_labels(const Results& results, const std::vector<std::size_t>& places) {
    const std::string best = best_row(results);
    for (const RunResult& run : results.runs) {
      if (!run.problem.empty() || run.dataset >= places.size()) continue;
      if (results.kind == ExperimentKind::Sweep && run.row != best) continue;
      Shown& shown = shown_[places[run.dataset]];
      const std::filesystem::path folder = results.folder / "runs" / run.name;
      if (!shown.dataset || !std::filesystem::exists(folder / "run.json")) continue;
      std::filesystem::path file;
      try {
        file = pseudo_label_file(read_run(folder), folder, shown.folder);
      } catch (const std::exception& problem) {
        remarks_.push_back(fmt::format("left out pseudo-labels: {}", problem.what()));
      }
      auto& files = shown.pseudo_labels;
      if (file.empty() || std::find(files.begin(), files.end(), file) != files.end()) continue;
      files.push_back(file);
    }
  }

  // The pseudo-labels that a run used, the last ones if it made them itself; "" if none.
  static std::filesystem::path pseudo_label_file(const Run& run,
                                                 const std::filesystem::path& run_folder,
                                                 const std::filesystem::path& dataset) {
    const bool on_clips = run.settings.kind == RunKind::Clips;
    const std::string& name =
        on_clips ? run.settings.clips.pseudo_labels : run.settings.features.pseudo_labels;
    if (!name.empty()) {
      const std::filesystem::path kept = dataset / "pseudo_labels" / (name + ".csv");
      return std::filesystem::exists(kept) ? kept : std::filesystem::path(name);
    }
    std::filesystem::path last;
    for (int epochs = 0; on_clips && epochs <= run.settings.epochs; ++epochs) {
      const auto file = run_folder / "pseudo_labels" / fmt::format("epoch-{}.csv", epochs);
      if (std::filesystem::exists(file)) last = file;
    }
    return last;
  }

  static std::string best_row(const Results& results) {
    const std::size_t f1 = table_metric("f1");
    for (const TableRow& row : table_of(results)) {
      if (row.rank[f1] == 1) return row.row.key;
    }
    return "";
  }

  Json dataset(const Shown& shown) {
    if (!shown.dataset) {
      return {
          {"name", report_name(folder_name(shown.folder))},
          {"selection", nullptr},
          {"clips", {{"train", 0}, {"val", 0}, {"test", 0}}},
          {"classes", Json::array()},
          {"single", Json::array()},
          {"multi", Json::array()},
          {"labels_per_clip", Json::array()},
          {"cooccurrence", {{"order", Json::array()}, {"rows", Json::array()}, {"left_out", 0}}},
          {"relabelled", nullptr},
          {"pseudo_labels", Json::array()}};
    }
    Json json = dataset_charts(*shown.dataset);
    json["relabelled"] = relabelled_charts(*shown.dataset, settings_.examples, page_folder_);
    json["pseudo_labels"] = Json::array();
    for (const std::filesystem::path& file : shown.pseudo_labels) {
      if (json["pseudo_labels"].size() == kMostPseudoLabels) break;
      try {
        auto charts = pseudo_label_charts(*shown.dataset, file, settings_.pseudo_label_examples,
                                          page_folder_);
        if (!charts) continue;
        const std::filesystem::path owner = file.parent_path().parent_path();
        if (file.filename().string().starts_with("epoch-") && owner != shown.folder) {
          (*charts)["name"] =
              report_name(fmt::format("{}, {}", folder_name(owner), file.stem().string()));
        }
        json["pseudo_labels"].push_back(std::move(*charts));
      } catch (const std::exception& problem) {
        remarks_.push_back(fmt::format("left out pseudo-labels: {}", problem.what()));
      }
    }
    return json;
  }

  const ReportSettings& settings_;
  const std::filesystem::path& page_folder_;
  std::size_t points_ = 0;
  std::vector<Shown> shown_;
  std::vector<std::string> remarks_;
};

}  // namespace

ReportData report_data(const std::vector<Results>& experiments, const ReportSettings& settings,
                       const std::filesystem::path& page_folder) {
  return ReportMaker(settings, page_folder).make(experiments);
}

}  // namespace manyverbs
