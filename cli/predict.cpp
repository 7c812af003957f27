// SPDX-License-Identifier: MIT
#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/command.h"
#include "cli/dataset_text.h"
#include "cli/options.h"
#include "manyverbs/dataset/import_arrays.h"
#include "manyverbs/metrics/thresholds.h"
#include "manyverbs/support/csv.h"
#include "manyverbs/support/files.h"
#include "manyverbs/support/spelling.h"

namespace manyverbs::cli {
namespace {

// Files may be named STREAM=FILE; unnamed ones are taken in order. A file may have '=' in its name.
FeatureSource named_source(const std::string& text, const std::string& stream_in_order) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || std::filesystem::exists(text))
    return {stream_in_order, text, ""};
  return {text.substr(0, equals), text.substr(equals + 1), ""};
}

// The feature files in the order in which the model reads its streams.
FeatureTable open_files(const std::vector<std::string>& given, const Run& run) {
  const std::string listed = fmt::format("{}", fmt::join(run.streams, ", "));
  if (given.size() != run.streams.size()) {
    throw UsageError(
        fmt::format("manyverbs predict: the model reads {} ({}), {} given",
                    counted(static_cast<std::int64_t>(run.streams.size()), "stream", "streams"),
                    listed, given.size()));
  }
  std::vector<std::filesystem::path> files(given.size());
  for (std::size_t i = 0; i < given.size(); ++i) {
    const FeatureSource source = named_source(given[i], run.streams[i]);
    const auto place = std::find(run.streams.begin(), run.streams.end(), source.stream);
    if (place == run.streams.end()) {
      throw UsageError(fmt::format("manyverbs predict: no feature stream '{}' among {}{}",
                                   source.stream, listed,
                                   did_you_mean(source.stream, run.streams)));
    }
    std::filesystem::path& file = files[place - run.streams.begin()];
    if (!file.empty()) {
      throw UsageError(fmt::format("manyverbs predict: the stream '{}' is given twice", *place));
    }
    file = source.file;
  }
  std::vector<ArrayFile> streams;
  streams.reserve(files.size());
  for (const std::filesystem::path& file : files) streams.emplace_back(file);
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
    throw Error("{}: names {} where the features have {}", table_path,
                counted(static_cast<std::int64_t>(names.size()), "clip", "clips"),
                counted(static_cast<std::int64_t>(rows), "row", "rows"));
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

struct Predictions {
  Matrix<float> probabilities;
  double threshold;
  std::string text;  // the CSV file
  double labels_a_clip;
};

Predictions predict(const TrainedRun& run, const FeatureTable& features,
                    const std::vector<std::string>& clips, double threshold,
                    double expected_labels) {
  std::vector<int> rows(features.rows());
  std::iota(rows.begin(), rows.end(), 0);
  Predictions made{run.probabilities(features, rows), threshold,
                   csv_line({"clip", "labels", "probabilities", "best"}), 0};
  if (expected_labels > 0)
    made.threshold = threshold_for_count(made.probabilities, expected_labels);
  std::int64_t labels = 0;
  for (std::size_t i = 0; i < clips.size(); ++i) {
    const auto row = made.probabilities.row(i);
    made.text += prediction_line(clips[i], row, run.run().classes, made.threshold);
    labels += std::count_if(row.begin(), row.end(), [&](float p) { return p > made.threshold; });
  }
  made.labels_a_clip = static_cast<double>(labels) / static_cast<double>(clips.size());
  return made;
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
  bool as_json = false;
  line.app.add_option("RUN", folder, "The run folder")->required();
  line.app
      .add_option("--features", files,
                  "One row a clip: FILE.npy or STREAM=FILE.npy; once for each stream")
      ->required();
  line.app.add_option("--clips", clips_file,
                      "CSV file whose column clip names the rows; left out: 0, 1, 2, …");
  CLI::Option* fixed =
      line.app.add_option("--threshold", threshold, "What a probability must exceed")
          ->check(from_to(0.0, 1.0));
  line.app
      .add_option("--expected-labels", expected_labels,
                  "Instead of --threshold: the one that gives this many labels a clip")
      ->default_str("")
      ->check(above_zero())
      ->excludes(fixed);
  line.app.add_option("--out", out, "Writes OUT.csv (labels) and OUT.npy (probabilities)")
      ->required();
  line.app.add_flag("--json", as_json, "Print one JSON object instead");
  if (!line.parse(arguments)) return;

  const TrainedRun run(folder);
  const FeatureTable features = open_files(files, run.run());
  if (features.rows() == 0) throw Error("{}: has no row", files.front());
  const std::vector<std::string> clips = clip_names(clips_file, features.rows());
  const Predictions made = predict(run, features, clips, threshold, expected_labels);
  write_array(out + ".npy", made.probabilities);
  write_file(out + ".csv", made.text);
  if (as_json) {
    print_json({{"clips", clips.size()},
                {"threshold", made.threshold},
                {"predicted_labels", made.labels_a_clip},
                {"labels_file", out + ".csv"},
                {"probabilities_file", out + ".npy"}});
    return;
  }
  fmt::print("{}, {:.2f} labels each above {:.3g}\n{}.csv\n{}.npy\n",
             counted(static_cast<std::int64_t>(clips.size()), "clip", "clips"), made.labels_a_clip,
             made.threshold, out, out);
}

}  // namespace manyverbs::cli
