// SPDX-License-Identifier: MIT
#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/command.h"
#include "cli/dataset_text.h"
#include "cli/options.h"
#include "manyverbs/dataset/import_arrays.h"
#include "manyverbs/protocols/model.h"
#include "manyverbs/support/internal/csv.h"
#include "manyverbs/support/internal/files.h"
#include "manyverbs/support/internal/spelling.h"

namespace manyverbs::cli {
namespace {

// Files are given as STREAM=FILE, or as FILE in the order of the streams. File names may contain
// '='.
FeatureSource named_source(const std::string& text, const std::string& stream_in_order) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || std::filesystem::exists(text))
    return {stream_in_order, text, ""};
  return {text.substr(0, equals), text.substr(equals + 1), ""};
}

// Opens the feature files in the order of the streams of the model.
FeatureTable open_files(const std::vector<std::string>& given,
                        const std::vector<std::string>& streams) {
  const std::string listed = fmt::format("{}", fmt::join(streams, ", "));
  if (given.size() != streams.size()) {
    throw UsageError(
        fmt::format("manyverbs predict: the model requires {} ({}), found {}",
                    counted(static_cast<std::int64_t>(streams.size()), "stream", "streams"), listed,
                    given.size()));
  }
  std::vector<std::filesystem::path> files(given.size());
  for (std::size_t i = 0; i < given.size(); ++i) {
    const FeatureSource source = named_source(given[i], streams[i]);
    const auto place = std::find(streams.begin(), streams.end(), source.stream);
    if (place == streams.end()) {
      throw UsageError(
          fmt::format("manyverbs predict: unknown feature stream '{}'; existing streams: {}{}",
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

// The column clip of a table, or row numbers.
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
    throw Error("{}: has {}, but the features have {}", table_path,
                counted(static_cast<std::int64_t>(names.size()), "clip", "clips"),
                counted(static_cast<std::int64_t>(rows), "row", "rows"));
  }
  return names;
}

struct Labelled {
  std::vector<std::string> clips;
  Matrix<float> probabilities;
  std::string cut;                      ///< "threshold" or "coverage"
  double value;                         ///< of `cut`
  std::vector<Prediction> predictions;  ///< one for each of `clips`

  double labels_per_clip() const {
    std::size_t sum = 0;
    for (const Prediction& prediction : predictions) sum += prediction.labels.size();
    return static_cast<double>(sum) / static_cast<double>(clips.size());
  }
};

// One line per clip: its labels, most likely first, and their probabilities.
std::string labels_csv(const Labelled& made) {
  std::string text = csv_line({"clip", "labels", "probabilities", "best"});
  for (std::size_t i = 0; i < made.clips.size(); ++i) {
    std::string labels;
    std::string values;
    for (const PredictedLabel& label : made.predictions[i].labels) {
      labels += (labels.empty() ? "" : ";") + label.name;
      values += fmt::format("{}{:.4f}", values.empty() ? "" : ";", label.probability);
    }
    text += csv_line({made.clips[i], labels, values, made.predictions[i].best.name});
  }
  return text;
}

void write_labels(const Labelled& made, const std::string& out) {
  std::filesystem::remove(out + ".csv");  // after a kill, no labels of other probabilities remain
  write_array(out + ".npy", made.probabilities);
  write_file(out + ".csv", labels_csv(made));
}

Json label_json(const PredictedLabel& label) {
  return {{"name", label.name}, {"probability", label.probability}};
}

Json videos_json(const Labelled& made, const std::vector<std::string>& problems) {
  Json videos = Json::array();
  for (std::size_t i = 0; i < made.clips.size(); ++i) {
    const Prediction& prediction = made.predictions[i];
    Json labels = Json::array();
    for (const PredictedLabel& label : prediction.labels) labels.push_back(label_json(label));
    videos.push_back(
        {{"video", made.clips[i]}, {"labels", labels}, {"best", label_json(prediction.best)}});
  }
  return {{made.cut, made.value}, {"videos", videos}, {"skipped", problems}};
}

std::string label_text(const PredictedLabel& label) {
  return fmt::format("{} {:.0f} %", label.name, 100 * label.probability);
}

// "peel 91 %, cut 73 %"; the most likely class if none is above the threshold.
void print_videos(const Labelled& made) {
  for (std::size_t i = 0; i < made.clips.size(); ++i) {
    std::vector<std::string> words;
    for (const PredictedLabel& label : made.predictions[i].labels) {
      words.push_back(label_text(label));
    }
    if (words.empty()) {
      words.push_back(fmt::format("none above {:.3g}; most likely {}", made.value,
                                  label_text(made.predictions[i].best)));
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
  std::optional<double> threshold;
  double expected_labels = 0;
  std::optional<double> coverage;
  bool calibrated = false;
  bool presence = false;
  bool as_json = false;
};

void add_options(CommandLine& line, PredictOptions* options) {
  CLI::App& app = line.app;
  app.add_option("RUN", options->folder, "The run folder, or a bundle")->required();
  CLI::Option* videos =
      app.add_option("VIDEOS", options->videos, "Video files, or folders of frames");
  app.add_option(
         "--features", options->files,
         "Instead of videos: features with one row per clip, FILE.npy or STREAM=FILE.npy; once "
         "per stream")
      ->excludes(videos);
  app.add_option(
      "--clips", options->clips_file,
      "CSV file whose column clip has the names for the rows of --features; default: 0, 1, 2, …");
  CLI::Option* fixed = app.add_option("--threshold", options->threshold,
                                      "Predict classes with a greater probability; default: as "
                                      "'manyverbs evaluate'")
                           ->default_str("")
                           ->check(from_to(0.0, 1.0));
  CLI::Option* expected =
      app.add_option(
             "--expected-labels", options->expected_labels,
             "Instead of --threshold: use the threshold that gives this number of labels per clip "
             "on the validation clips of the run")
          ->default_str("")
          ->check(above_zero())
          ->excludes(fixed);
  app.add_option(
         "--coverage", options->coverage,
         "Instead of --threshold: predict a set of labels per clip; with this probability, such "
         "as 0.9, it contains the label that an annotator would give the clip")
      ->default_str("")
      ->excludes(fixed)
      ->excludes(expected);
  CLI::Option* calibrated = app.add_flag(
      "--calibrated", options->calibrated,
      "Instead of the probabilities of the model, show and write the probability that an annotator "
      "would give the clip this label, calibrated on the validation clips");
  app.add_flag("--presence", options->presence,
               "Instead of the probabilities of the model, show and write how likely each label "
               "applies; requires --expected-labels, or a run that was trained with it")
      ->excludes(calibrated);
  app.add_option("--out", options->out,
                 "Write OUT.csv (labels) and OUT.npy (probabilities); required with --features");
  app.add_option("--on-error", options->on_error,
                 "If a video cannot be read: stop, or skip it and list it at the end")
      ->check(one_of({"stop", "skip"}));
  app.add_flag("--json", options->as_json, "Print one JSON object instead");
  line.counts_if({"--clips"}, "without --features", [options] { return !options->files.empty(); });
  line.counts_if({"--on-error"}, "without videos", [options] { return !options->videos.empty(); });
}

// Replaces the probabilities; the labels were chosen with those of the model.
void show_instead(const Model& model, Matrix<float> probabilities, Labelled* made) {
  made->probabilities = std::move(probabilities);
  const Vocabulary classes(model.classes());
  for (std::size_t i = 0; i < made->clips.size(); ++i) {
    const auto show = [&](PredictedLabel& label) {
      label.probability = made->probabilities(i, classes.find(label.name));
    };
    Prediction& prediction = made->predictions[i];
    std::for_each(prediction.labels.begin(), prediction.labels.end(), show);
    show(prediction.best);
  }
}

// What selects the labels. Computed first, so that errors come before videos are decoded.
struct Selection {
  double expected_labels;  ///< 0: not known
  double threshold;
  std::optional<CoverageRule> rule;  ///< instead of the threshold
};

Selection selection(const PredictOptions& options, const Model& model) {
  // Throws if the model cannot be calibrated.
  if (options.calibrated) model.label_probabilities(Matrix<float>(0, model.classes().size()));
  const double expected =
      options.expected_labels > 0 ? options.expected_labels : model.expected_labels();
  if (options.presence && expected == 0) {
    throw Error(
        "{}: does not know the expected labels per clip, which --presence requires: "
        "--expected-labels",
        options.folder);
  }
  if (options.coverage) return {expected, 0, model.coverage_rule(*options.coverage)};
  if (options.expected_labels > 0) return {expected, model.threshold_for(expected), {}};
  return {expected, options.threshold.value_or(model.default_threshold()), {}};
}

Labelled labelled(const PredictOptions& options, const Model& model, const Selection& selected,
                  std::vector<std::string> clips, Matrix<float> probabilities) {
  const auto& [expected, threshold, rule] = selected;
  Labelled made{std::move(clips),
                std::move(probabilities),
                rule ? "coverage" : "threshold",
                rule ? rule->coverage : threshold,
                {}};
  for (std::size_t i = 0; i < made.clips.size(); ++i) {
    const std::span<const float> row = made.probabilities.row(i);
    made.predictions.push_back(rule ? model.prediction(row, *rule)
                                    : model.prediction(row, threshold));
  }
  if (options.calibrated) {
    show_instead(model, model.label_probabilities(made.probabilities), &made);
  } else if (options.presence) {
    show_instead(model, model.presences(made.probabilities, expected), &made);
  }
  return made;
}

void predict_videos(const PredictOptions& options) {
  const Model model = Model::open(options.folder);
  const Selection selected = selection(options, model);
  const std::vector<std::filesystem::path> files(options.videos.begin(), options.videos.end());
  VideoProbabilities answer = model.probabilities(files, find_on_error(options.on_error));
  if (answer.videos.empty()) {
    throw Error("no video can be read: {}", fmt::join(answer.problems, "; "));
  }
  std::vector<std::string> names;
  for (const std::filesystem::path& video : answer.videos) names.push_back(video.string());
  const Labelled made =
      labelled(options, model, selected, std::move(names), std::move(answer.probabilities));
  if (!options.out.empty()) write_labels(made, options.out);
  if (options.as_json) {
    print_json(videos_json(made, answer.problems));
    return;
  }
  print_videos(made);
  for (const std::string& problem : answer.problems) remark("skipped: " + problem);
}

void predict_features(const PredictOptions& options) {
  const Model model = Model::open(options.folder);
  if (model.streams().empty()) {
    throw Error("{}: was trained by finetune on clips; expected videos instead of features",
                options.folder);
  }
  const FeatureTable features = open_files(options.files, model.streams());
  if (features.rows() == 0) throw Error("{}: has no rows", options.files.front());
  std::vector<std::string> names = clip_names(options.clips_file, features.rows());
  const Selection selected = selection(options, model);
  const Labelled made = labelled(options, model, selected, std::move(names),
                                 model.probabilities(features, first_rows(features.rows())));
  write_labels(made, options.out);
  if (options.as_json) {
    print_json({{"clips", made.clips.size()},
                {made.cut, made.value},
                {"predicted_labels", made.labels_per_clip()},
                {"labels_file", options.out + ".csv"},
                {"probabilities_file", options.out + ".npy"}});
    return;
  }
  fmt::print("{}, {:.2f} labels per clip {} {:.3g}\n{}.csv\n{}.npy\n",
             counted(std::ssize(made.clips), "clip", "clips"), made.labels_per_clip(),
             options.coverage ? "with coverage" : "above", made.value, options.out, options.out);
}

void predict_command(const Arguments& arguments) {
  CommandLine line("predict",
                   "manyverbs predict runs/p+s clip.mp4\n"
                   "manyverbs predict runs/p+s videos/*.mp4 --expected-labels 2.4 --json\n"
                   "manyverbs predict runs/p+s clip.mp4 --coverage 0.9\n"
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
    throw UsageError("manyverbs predict: expected video files or --features");
  }
  if (options.out.empty()) throw UsageError("manyverbs predict: --features requires --out");
  predict_features(options);
}

const Registration kPredict("predict", predict_command);

}  // namespace
}  // namespace manyverbs::cli
