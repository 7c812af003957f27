// SPDX-License-Identifier: MIT
#include "manyverbs/labels/internal/pseudo_label_file.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/csv.h"
#include "manyverbs/support/internal/files.h"
#include "manyverbs/support/internal/json.h"
#include "manyverbs/support/internal/spelling.h"

namespace manyverbs {
namespace {

// The classes of a clip that get a row, most votes first.
std::vector<ClassId> listed_classes(std::span<const int> votes,
                                    const std::vector<ClassId>& suggested) {
  std::vector<ClassId> classes = suggested;
  for (ClassId j = 0; j < static_cast<ClassId>(votes.size()); ++j) {
    if (votes[j] > 0 && !std::binary_search(suggested.begin(), suggested.end(), j)) {
      classes.push_back(j);
    }
  }
  std::sort(classes.begin(), classes.end(), [&](ClassId a, ClassId b) {
    const int votes_a = votes.empty() ? 0 : votes[a];
    const int votes_b = votes.empty() ? 0 : votes[b];
    return votes_a != votes_b ? votes_a > votes_b : a < b;
  });
  return classes;
}

std::string clip_rows(const std::string& clip, const Vocabulary& classes,
                      std::span<const int> votes, const std::vector<ClassId>& suggested) {
  const double k = std::accumulate(votes.begin(), votes.end(), 0);
  std::string text;
  for (const ClassId j : listed_classes(votes, suggested)) {
    const bool voted = !votes.empty() && votes[j] > 0;
    text += csv_line({clip, classes.name(j), voted ? std::to_string(votes[j]) : "",
                      voted ? fmt::format("{:.4f}", votes[j] / k) : "",
                      std::binary_search(suggested.begin(), suggested.end(), j) ? "1" : "0"});
  }
  return text;
}

std::filesystem::path record_path(std::filesystem::path csv) {
  return csv.replace_extension(".json");
}

Json to_json(const PseudoLabelRecord& record) {
  Json json = {{"method", method_name(record.method)}};
  if (record.votes) {
    json["k"] = record.votes->k;
    json["tau"] = record.votes->tau;
    json["space"] = record.votes->space;
    json["metric"] = record.votes->metric;
    json["neighbours"] = record.votes->neighbours;
  }
  json["made_from"] = to_json(record.made_from);
  json["quality"] = {{"precision", number_or_null(record.quality.precision)},
                     {"recall", number_or_null(record.quality.recall)},
                     {"suggestions_per_clip", number_or_null(record.quality.suggestions_per_clip)},
                     {"clips", record.quality.clips}};
  return json;
}

// Whether the file and its record already have this content; the disk may be read-only.
bool is_written(const std::filesystem::path& csv, const std::string& text, const Json& record) {
  return std::filesystem::exists(csv) && std::filesystem::exists(record_path(csv)) &&
         read_file(csv) == text && read_json(record_path(csv)) == record;
}

double number_or_nan(const Json& json, const std::string& key, const std::filesystem::path& path) {
  if (json.contains(key) && json.at(key).is_null()) {
    return SuggestionQuality::kUndefined;
  }
  return json_value<double>(json, key, path);
}

// Reads the rows of a file and throws at the first invalid one.
class SuggestionReader {
 public:
  SuggestionReader(const CsvTable& table, const Dataset& dataset)
      : table_(table),
        dataset_(dataset),
        clip_(table.column("clip")),
        class_(table.column("class")),
        suggested_(table.find_column("suggested")) {
    position_.assign(dataset.clips.size(), -1);
    for (const ClipRow row : first_rows(dataset.clips.size())) {
      row_of_.emplace(dataset.clip(row).name, row);
      if (dataset.clip(row).split == Split::Train) position_[index(row)] = training_clips_++;
    }
    lines_.resize(training_clips_);
  }

  Suggestions read() {
    Suggestions suggestions(training_clips_);
    for (const CsvRow& row : table_.rows) {
      const ClipRow clip = find_clip(row);
      const ClassId label = find_class(row);
      const int position = position_[index(clip)];
      note_line(row, position, label);
      if (is_suggested(row) && label != dataset_.clip(clip).labels.front()) {
        suggestions[position].push_back(label);
      }
    }
    for (std::vector<ClassId>& classes : suggestions) std::sort(classes.begin(), classes.end());
    return suggestions;
  }

 private:
  ClipRow find_clip(const CsvRow& row) const {
    const std::string& name = row.fields[clip_];
    const auto found = row_of_.find(name);
    if (found == row_of_.end()) {
      std::vector<std::string> names;
      names.reserve(dataset_.clips.size());
      for (const Clip& clip : dataset_.clips) names.push_back(clip.name);
      fail(row, fmt::format("the data set '{}' has no clip '{}'{}", dataset_.name, name,
                            did_you_mean(name, names)));
    }
    const Split split = dataset_.clip(found->second).split;
    if (split != Split::Train) {
      fail(row,
           fmt::format("'{}' is a {} clip, expected a training clip", name, split_name(split)));
    }
    return found->second;
  }

  ClassId find_class(const CsvRow& row) const {
    const std::string& name = row.fields[class_];
    const ClassId label = dataset_.classes.find(name);
    if (label < 0) {
      fail(row, fmt::format("unknown class '{}' (there are {} classes){}", name,
                            dataset_.classes.size(), did_you_mean(name, dataset_.classes.names())));
    }
    return label;
  }

  bool is_suggested(const CsvRow& row) const {
    if (suggested_ < 0) return true;
    const std::string& value = row.fields[suggested_];
    if (value != "0" && value != "1") {
      fail(row, fmt::format("suggested: expected 0 or 1, found '{}'", value));
    }
    return value == "1";
  }

  void note_line(const CsvRow& row, int position, ClassId label) {
    for (const auto& [earlier, line] : lines_[position]) {
      if (earlier == label) {
        fail(row, fmt::format("duplicate clip '{}' with class '{}', see line {}", row.fields[clip_],
                              row.fields[class_], line));
      }
    }
    lines_[position].emplace_back(label, row.line);
  }

  [[noreturn]] void fail(const CsvRow& row, std::string_view problem) const {
    throw Error("{}:{}: {}", table_.path.string(), row.line, problem);
  }

  const CsvTable& table_;
  const Dataset& dataset_;
  int clip_, class_, suggested_;
  int training_clips_ = 0;
  std::unordered_map<std::string, ClipRow> row_of_;          // by name
  std::vector<int> position_;                                // among training clips, by row; or -1
  std::vector<std::vector<std::pair<ClassId, int>>> lines_;  // the line of each class of a clip
};

}  // namespace

std::filesystem::path write_pseudo_labels(const std::filesystem::path& folder,
                                          const std::string& name, const Dataset& dataset,
                                          const Matrix<int>& votes, const Suggestions& suggestions,
                                          const PseudoLabelRecord& record) {
  const std::vector<ClipRow> clips = dataset.clips_of(Split::Train);
  assert(suggestions.size() == clips.size());
  assert(votes.rows() == 0 || votes.rows() == clips.size());
  std::string text = "clip,class,votes,share,suggested\n";
  for (std::size_t i = 0; i < clips.size(); ++i) {
    const std::span<const int> row = votes.rows() == 0 ? std::span<const int>() : votes.row(i);
    text += clip_rows(dataset.clip(clips[i]).name, dataset.classes, row, suggestions[i]);
  }
  std::filesystem::path csv = folder / (name + ".csv");
  if (is_written(csv, text, to_json(record))) return csv;
  std::filesystem::create_directories(folder);
  // After a crash there may be a table without a record, but never a table with the record of
  // another.
  std::filesystem::remove(record_path(csv));
  write_file(csv, text);
  write_json(record_path(csv), to_json(record));
  return csv;
}

Suggestions read_pseudo_labels(const std::filesystem::path& csv, const Dataset& dataset) {
  const CsvTable table = read_csv(csv);
  return SuggestionReader(table, dataset).read();
}

std::optional<PseudoLabelRecord> read_pseudo_label_record(const std::filesystem::path& csv) {
  const std::filesystem::path path = record_path(csv);
  if (!std::filesystem::exists(path)) return std::nullopt;
  const Json json = read_json(path);
  const auto method = json_value<std::string>(json, "method", path);
  PseudoLabelRecord record;
  try {
    record.method = find_method(method);
  } catch (const Error& problem) {
    throw Error("{}: {}", path.string(), problem.what());
  }
  if (json.contains("k")) {
    record.votes = VoteSettings{
        json_value<int>(json, "k", path), json_value<double>(json, "tau", path),
        json_value<std::string>(json, "space", path), json_value<std::string>(json, "metric", path),
        json_value<std::string>(json, "neighbours", path)};
  }
  record.made_from = content_at(json, "made_from", path);
  const Json quality = json_value<Json>(json, "quality", path);
  record.quality = {number_or_nan(quality, "precision", path),
                    number_or_nan(quality, "recall", path),
                    number_or_nan(quality, "suggestions_per_clip", path),
                    json_value<int>(quality, "clips", path)};
  return record;
}

}  // namespace manyverbs
