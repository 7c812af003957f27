// SPDX-License-Identifier: MIT
#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/command.h"
#include "cli/options.h"
#include "manyverbs/metrics/thresholds.h"
#include "manyverbs/support/csv.h"
#include "manyverbs/support/files.h"

namespace manyverbs::cli {
namespace {

// The feature files in the order in which the model reads its streams. Files may be named
// STREAM=FILE; unnamed ones are taken in order.
FeatureTable open_files(const std::vector<std::string>& given, const Run& run) {
  if (given.size() != run.streams.size()) {
    throw UsageError(
        fmt::format("manyverbs predict: the model reads {} feature files ({}), {} given",
                    run.streams.size(), fmt::join(run.streams, ", "), given.size()));
  }
  std::vector<std::string> files(given.size());
  for (std::size_t i = 0; i < given.size(); ++i) {
    const std::size_t equals = given[i].find('=');
    const std::string stream =
        equals == std::string::npos ? run.streams[i] : given[i].substr(0, equals);
    const auto place = std::find(run.streams.begin(), run.streams.end(), stream);
    if (place == run.streams.end()) {
      throw UsageError(fmt::format("manyverbs predict: no feature stream '{}' among {}", stream,
                                   fmt::join(run.streams, ", ")));
    }
    files[place - run.streams.begin()] =
        equals == std::string::npos ? given[i] : given[i].substr(equals + 1);
  }
  std::vector<ArrayFile> streams;
  for (const std::string& file : files) streams.emplace_back(file);
  return FeatureTable(std::move(streams));
}

// The column clip of a table, or the number of each row.
std::vector<std::string> clip_names(const std::string& table_path, std::size_t rows) {
  std::vector<std::string> names;
  if (table_path.empty()) {
    for (std::size_t i = 0; i < rows; ++i) names.push_back(std::to_string(i));
    return names;
  }
  const CsvTable table = read_csv(table_path);
  const int column = table.column("clip");
  for (const CsvRow& row : table.rows) names.push_back(row.fields[column]);
  if (names.size() != rows) {
    throw Error("{}: names {} clips where the features have {} rows", table_path, names.size(),
                rows);
  }
  return names;
}

// clip, the labels above the threshold, best first, and their probabilities.
std::string prediction_line(const std::string& clip, std::span<const float> probabilities,
                            const std::vector<std::string>& classes, double threshold) {
  std::vector<int> order(classes.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return probabilities[a] > probabilities[b]; });
  std::string labels;
  std::string values;
  for (const int c : order) {
    if (!(probabilities[c] > threshold)) break;
    labels += (labels.empty() ? "" : ";") + classes[c];
    values += fmt::format("{}{:.4f}", values.empty() ? "" : ";", probabilities[c]);
  }
  return csv_line({clip, labels, values, classes[order[0]]});
}

}  // namespace

void predict_command(const Arguments& arguments) {
  CommandLine line("predict",
                   "manyverbs predict runs/p+s --features new.npy --out predictions\n"
                   "manyverbs predict runs/p+s --features rgb=r.npy --features flow=f.npy --clips "
                   "new.csv --expected-labels 2.4 --out predictions");
  std::string folder;
  std::vector<std::string> files;
  std::string clips_file;
  std::string out;
  double threshold = 0.5;
  double expected_labels = 0;
  line.app.add_option("RUN", folder, "The run folder")->required();
  line.app.add_option("--features", files, "NPY file, one row a clip; FILE or STREAM=FILE")
      ->required();
  line.app.add_option("--clips", clips_file, "CSV file whose column clip names the rows");
  line.app.add_option("--threshold", threshold, "What a probability must exceed")
      ->check(CLI::Range(0.0, 1.0));
  line.app
      .add_option("--expected-labels", expected_labels,
                  "Instead of --threshold: the one that gives this many labels a clip")
      ->check(CLI::PositiveNumber);
  line.app.add_option("--out", out, "Writes OUT.csv (labels) and OUT.npy (probabilities)")
      ->required();
  if (!line.parse(arguments)) return;

  const TrainedRun run(folder);
  const FeatureTable features = open_files(files, run.run());
  const std::vector<std::string> clips = clip_names(clips_file, features.rows());
  std::vector<int> rows(features.rows());
  std::iota(rows.begin(), rows.end(), 0);
  const Matrix<float> probabilities = run.probabilities(features, rows);
  if (expected_labels > 0) threshold = threshold_for_count(probabilities, expected_labels);

  std::string text = csv_line({"clip", "labels", "probabilities", "best"});
  std::size_t labels = 0;
  for (std::size_t i = 0; i < clips.size(); ++i) {
    const auto row = probabilities.row(i);
    text += prediction_line(clips[i], row, run.run().classes, threshold);
    labels += std::count_if(row.begin(), row.end(), [&](float p) { return p > threshold; });
  }
  write_array(out + ".npy", probabilities);
  write_file(out + ".csv", text);
  fmt::print("{} clips, {:.2f} labels each above {:.3f}: {}.csv and {}.npy\n", clips.size(),
             static_cast<double>(labels) / static_cast<double>(clips.size()), threshold, out, out);
}

}  // namespace manyverbs::cli
