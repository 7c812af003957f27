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
#include "manyverbs/protocols/internal/video_prediction.h"
#include "manyverbs/support/internal/csv.h"
#include "manyverbs/support/internal/files.h"
#include "manyverbs/support/internal/interruption.h"
#include "manyverbs/support/internal/spelling.h"

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
FeatureTable open_files(const std::vector<std::string>& given,
                        const std::vector<std::string>& streams) {
  const std::string listed = fmt::format("{}", fmt::join(streams, ", "));
  if (given.size() != streams.size()) {
    throw UsageError(
        fmt::format("manyverbs predict: the model reads {} ({}), {} given",
                    counted(static_cast<std::int64_t>(streams.size()), "stream", "streams"), listed,
                    given.size()));
  }
  std::vector<std::filesystem::path> files(given.size());
  for (std::size_t i = 0; i < given.size(); ++i) {
    const FeatureSource source = named_source(given[i], streams[i]);
    const auto place = std::find(streams.begin(), streams.end(), source.stream);
    if (place == streams.end()) {
      throw UsageError(fmt::format("manyverbs predict: no feature stream '{}' among {}{}",
                                   source.stream, listed, did_you_mean(source.stream, streams)));
    }
    std::filesystem::path& file = files[place - streams.begin()];
    if (!file.empty()) {
      throw UsageError(fmt::format("manyverbs predict: the stream '{}' is given twice", *place));
    }
    file = source.file;
  }
  std::vector<ArrayFile> arrays;
  arrays.reserve(files.size());
  for (const std::filesystem::path& file : files) arrays.emplace_back(file);
  return FeatureTable(std::move(arrays));
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

// The classes, most probable first.
std::vector<int> best_first(std::span<const float> probabilities) {
  std::vector<int> order(probabilities.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return probabilities[a] > probabilities[b]; });
  return order;
}

struct Predictions {
  std::vector<std::string> clips;
  std::vector<std::string> classes;
  Matrix<float> probabilities;
  double threshold;

  /// The classes of a clip above the threshold, most probable first.
  std::vector<int> labels(std::size_t clip) const {
    std::vector<int> above = best_first(probabilities.row(clip));
    std::erase_if(above, [&](int c) { return !(probabilities.row(clip)[c] > threshold); });
    return above;
  }
  double labels_a_clip() const {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < clips.size(); ++i) sum += labels(i).size();
    return static_cast<double>(sum) / static_cast<double>(clips.size());
  }
};

// clip, the labels above the threshold, best first, and their probabilities.
std::string predictions_csv(const Predictions& made) {
  std::string text = csv_line({"clip", "labels", "probabilities", "best"});
  for (std::size_t i = 0; i < made.clips.size(); ++i) {
    const auto row = made.probabilities.row(i);
    std::string labels;
    std::string values;
    for (const int c : made.labels(i)) {
      labels += (labels.empty() ? "" : ";") + made.classes[c];
      values += fmt::format("{}{:.4f}", values.empty() ? "" : ";", row[c]);
    }
    text += csv_line({made.clips[i], labels, values, made.classes[best_first(row)[0]]});
  }
  return text;
}

void write_predictions(const Predictions& made, const std::string& out) {
  std::filesystem::remove(out + ".csv");  // labels of other probabilities, should a kill come here
  write_array(out + ".npy", made.probabilities);
  write_file(out + ".csv", predictions_csv(made));
}

Json label_json(const Predictions& made, std::size_t clip, int c) {
  return {{"name", made.classes[c]}, {"probability", made.probabilities.row(clip)[c]}};
}

Json videos_json(const Predictions& made, const std::vector<std::string>& problems) {
  Json videos = Json::array();
  for (std::size_t i = 0; i < made.clips.size(); ++i) {
    Json labels = Json::array();
    for (const int c : made.labels(i)) labels.push_back(label_json(made, i, c));
    videos.push_back({{"video", made.clips[i]},
                      {"labels", labels},
                      {"best", label_json(made, i, best_first(made.probabilities.row(i))[0])}});
  }
  return {{"threshold", made.threshold}, {"videos", videos}, {"skipped", problems}};
}

// "peel 91 %, cut 73 %"; where nothing is above the threshold, what came nearest.
void print_videos(const Predictions& made) {
  for (std::size_t i = 0; i < made.clips.size(); ++i) {
    const auto row = made.probabilities.row(i);
    std::vector<std::string> words;
    for (const int c : made.labels(i)) {
      words.push_back(fmt::format("{} {:.0f} %", made.classes[c], 100 * row[c]));
    }
    if (words.empty()) {
      const int best = best_first(row)[0];
      words.push_back(fmt::format("nothing above {:.3g}; most likely {} {:.0f} %", made.threshold,
                                  made.classes[best], 100 * row[best]));
    }
    fmt::print("{}: {}\n", made.clips[i], fmt::join(words, ", "));
  }
}

struct PredictOptions {
  std::string folder;
  std::vector<std::string> videos;
  std::vector<std::string> files;
  std::string clips_file;
  std::string out;
  std::string on_error = "stop";
  double threshold = 0.5;
  double expected_labels = 0;
  bool as_json = false;
};

void add_options(CommandLine& line, PredictOptions* options) {
  CLI::App& app = line.app;
  app.add_option("RUN", options->folder, "The run folder")->required();
  CLI::Option* videos =
      app.add_option("VIDEOS", options->videos, "Video files, or folders of frames");
  app.add_option("--features", options->files,
                 "Instead of videos, one row a clip: FILE.npy or STREAM=FILE.npy; once for each "
                 "stream")
      ->excludes(videos);
  app.add_option("--clips", options->clips_file,
                 "CSV file whose column clip names the rows of --features; left out: 0, 1, 2, …");
  CLI::Option* fixed =
      app.add_option("--threshold", options->threshold, "What a probability must exceed")
          ->check(from_to(0.0, 1.0));
  app.add_option("--expected-labels", options->expected_labels,
                 "Instead of --threshold: the one that gives this many labels a clip on the clips "
                 "that chose the epoch")
      ->default_str("")
      ->check(above_zero())
      ->excludes(fixed);
  app.add_option("--out", options->out,
                 "Writes OUT.csv (labels) and OUT.npy (probabilities); needed with --features");
  app.add_option("--on-error", options->on_error,
                 "At a video that cannot be read: stop, or skip it and list it at the end")
      ->check(one_of({"stop", "skip"}));
  app.add_flag("--json", options->as_json, "Print one JSON object instead");
  line.counts_if({"--clips"}, "without --features", [options] { return !options->files.empty(); });
  line.counts_if({"--on-error"}, "without videos", [options] { return !options->videos.empty(); });
}

double chosen_threshold(const PredictOptions& options, const TrainedModel& model) {
  return options.expected_labels > 0 ? model.expected_threshold(options.expected_labels)
                                     : options.threshold;
}

void predict_videos(const PredictOptions& options) {
  const auto model = open_model(options.folder);
  const std::vector<std::filesystem::path> files(options.videos.begin(), options.videos.end());
  VideoProbabilities of_videos =
      video_probabilities(*model, files, find_on_error(options.on_error));
  if (of_videos.videos.empty()) {
    throw Error("none of the videos can be read: {}", fmt::join(of_videos.problems, "; "));
  }
  Predictions made{{}, model->classes(), std::move(of_videos.probabilities), 0};
  for (const std::filesystem::path& video : of_videos.videos) made.clips.push_back(video.string());
  made.threshold = chosen_threshold(options, *model);
  if (!options.out.empty()) write_predictions(made, options.out);
  if (options.as_json) {
    print_json(videos_json(made, of_videos.problems));
    return;
  }
  print_videos(made);
  for (const std::string& problem : of_videos.problems) remark("skipped: " + problem);
}

void predict_features(const PredictOptions& options) {
  const TrainedRun run(options.folder);
  const FeatureTable features = open_files(options.files, run.run().settings.features.streams);
  if (features.rows() == 0) throw Error("{}: has no row", options.files.front());
  Predictions made{clip_names(options.clips_file, features.rows()), run.classes(), {}, 0};
  std::vector<int> rows(features.rows());
  std::iota(rows.begin(), rows.end(), 0);
  made.probabilities = run.probabilities(features, rows);
  made.threshold = chosen_threshold(options, run);
  write_predictions(made, options.out);
  if (options.as_json) {
    print_json({{"clips", made.clips.size()},
                {"threshold", made.threshold},
                {"predicted_labels", made.labels_a_clip()},
                {"labels_file", options.out + ".csv"},
                {"probabilities_file", options.out + ".npy"}});
    return;
  }
  fmt::print("{}, {:.2f} labels each above {:.3g}\n{}.csv\n{}.npy\n",
             counted(std::ssize(made.clips), "clip", "clips"), made.labels_a_clip(), made.threshold,
             options.out, options.out);
}

void predict_command(const Arguments& arguments) {
  CommandLine line("predict",
                   "manyverbs predict runs/p+s clip.mp4\n"
                   "manyverbs predict runs/p+s videos/*.mp4 --expected-labels 2.4 --json\n"
                   "manyverbs predict runs/p+s --features rgb=r.npy --features flow=f.npy --clips "
                   "new.csv --out predictions");
  PredictOptions options;
  add_options(line, &options);
  if (!line.parse(arguments)) return;
  if (!options.videos.empty()) {
    predict_videos(options);
    return;
  }
  if (options.files.empty()) {
    throw UsageError("manyverbs predict: give video files, or --features");
  }
  if (options.out.empty()) throw UsageError("manyverbs predict: --features needs --out");
  predict_features(options);
}

const Registration kPredict("predict", predict_command);

}  // namespace
}  // namespace manyverbs::cli
