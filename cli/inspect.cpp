// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string_view>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/dataset_text.h"
#include "manyverbs/dataset/internal/inspection.h"
#include "manyverbs/support/internal/display.h"
#include "manyverbs/support/internal/json.h"

namespace manyverbs::cli {
namespace {

constexpr int kBarWidth = 32;
constexpr int kNameWidth = 24;

// A name in a column of fixed width; longer names end in an ellipsis.
std::string name_column(const std::string& name, int width) {
  return left_aligned(shortened(name, width), width);
}

// A bar with a resolution of an eighth of a character; shares above 0 are always visible.
std::string bar(double share) {
  static constexpr std::array<std::string_view, 8> kEighths = {"",  "▏", "▎", "▍",
                                                               "▌", "▋", "▊", "▉"};
  if (share <= 0) return "";
  const int eighths = std::max(1, static_cast<int>(std::lround(share * kBarWidth * 8)));
  std::string text = " ";
  for (int i = 0; i < eighths / 8; ++i) text += "█";
  return text.append(kEighths[eighths % 8]);
}

int widest_name(const Dataset& dataset) {
  int width = 0;
  for (const std::string& name : dataset.classes.names()) {
    width = std::max(width, display_width(shortened(name, kNameWidth)));
  }
  return width;
}

void print_labels_per_clip(const char* title, const LabelsPerClip& labels) {
  if (labels.clips == 0) return;
  const std::string range = labels.least == labels.most
                                ? counted(labels.most, "label", "labels")
                                : fmt::format("{} to {} labels", labels.least, labels.most);
  fmt::print("  {:<9}{} per clip, mean {:.2f} ({})\n", title, range, labels.mean,
             counted(labels.clips, "clip", "clips"));
}

void print_counts(const Dataset& dataset, const Inspection& found) {
  fmt::print("{}: {}, {}\n\n", titled(dataset),
             counted(static_cast<std::int64_t>(dataset.clips.size()), "clip", "clips"),
             counted(dataset.classes.size(), "class", "classes"));
  fmt::print("Clips\n{}", split_lines(dataset));
  fmt::print("\nLabels\n");
  print_labels_per_clip("test", found.test_labels);
  if (found.test_labels.most > 1) {
    fmt::print("  original known for {} of {}\n", grouped(found.originals),
               counted(found.test_labels.clips, "test clip", "test clips"));
  }
  print_labels_per_clip("truth", found.truth);
  if (found.truth.clips == 0) fmt::print("  truth    unknown\n");
  fmt::print("\nFeatures\n");
  int width = 8;
  for (const StreamSummary& stream : found.streams) {
    width = std::max(width, display_width(shortened(stream.name, kNameWidth)));
  }
  for (const StreamSummary& stream : found.streams) {
    fmt::print("  {} {} x {} {}\n", name_column(stream.name, width),
               grouped(static_cast<std::int64_t>(stream.rows)),
               grouped(static_cast<std::int64_t>(stream.columns)), type_name(stream.type));
  }
  if (found.streams.empty()) {
    fmt::print("  {}\n", feature_streams(dataset).empty() ? "none" : "none usable");
  }
}

// The classes with the most and with the fewest training clips.
void print_distribution(const Dataset& dataset, const Inspection& found, int top) {
  const int num_classes = dataset.classes.size();
  std::vector<ClassId> order(num_classes);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](ClassId a, ClassId b) {
    return found.classes[a].train > found.classes[b].train;
  });
  const int train = found.clips_by_split[0];
  const int most = found.classes[order.front()].train;
  if (most == 0) return;
  const int width = widest_name(dataset);
  fmt::print("\nTraining clips per class (half of them are in {})\n",
             counted(found.classes_of_half, "class", "classes"));
  const int head = std::min(num_classes, top);
  const int tail = std::min(num_classes - head, std::max(1, top / 2));
  for (int i = 0; i < num_classes; ++i) {
    if (i == head && head + tail < num_classes) {
      fmt::print("  … {} more\n", num_classes - head - tail);
      i = num_classes - tail;
    }
    const int count = found.classes[order[i]].train;
    fmt::print("  {} {:>7} {:>5.1f} %{}\n", name_column(dataset.classes.name(order[i]), width),
               grouped(count), 100.0 * count / train, bar(static_cast<double>(count) / most));
  }
}

void print_co_occurrence(const Dataset& dataset, const Inspection& found) {
  if (found.full_clips == 0) return;
  fmt::print("\nCo-occurring classes (in {} with all labels known)\n",
             counted(found.full_clips, "clip", "clips"));
  const int width = widest_name(dataset);
  for (const CoOccurrence& pair : found.co_occurrences) {
    fmt::print("  {} also {} {:>4.0f} %  {:>13} {}\n",
               name_column(dataset.classes.name(pair.first), width),
               name_column(dataset.classes.name(pair.second), width), 100 * pair.share(),
               fmt::format("{} of {}", grouped(pair.together), grouped(pair.clips)),
               bar(pair.share() / 2));
  }
  if (found.co_occurrences.empty()) fmt::print("  none\n");
}

void print_findings(const Inspection& found) {
  fmt::print("\nFindings\n");
  for (const Finding& finding : found.findings) {
    const char* mark = finding.severity == Severity::Problem ? "!" : "·";
    if (finding.examples.empty()) {
      fmt::print("  {} {}\n", mark, finding.what);
      continue;
    }
    fmt::print("  {} {}: {}\n", mark, finding.what, grouped(finding.count));
    for (const std::string& example : finding.examples) {
      fmt::print("      {}\n", printable(example));
    }
    const auto more = finding.count - static_cast<std::int64_t>(finding.examples.size());
    if (more > 0) fmt::print("      … {} more\n", grouped(more));
  }
  if (found.findings.empty()) fmt::print("  none\n");
}

Json labels_json(const LabelsPerClip& labels) {
  if (labels.clips == 0) return nullptr;
  return {
      {"clips", labels.clips}, {"min", labels.least}, {"mean", labels.mean}, {"max", labels.most}};
}

Json inspection_json(const Dataset& dataset, const Inspection& found) {
  Json json = {{"name", dataset.name}, {"clips", dataset.clips.size()}};
  for (std::size_t i = 0; i < kSplits.size(); ++i) {
    json["splits"][std::string(split_name(kSplits[i]))] = found.clips_by_split[i];
  }
  json["test_labels"] = labels_json(found.test_labels);
  json["originals"] = found.originals;
  json["truth"] = labels_json(found.truth);
  json["features"] = Json::array();
  for (const StreamSummary& stream : found.streams) {
    json["features"].push_back({{"name", stream.name},
                                {"rows", stream.rows},
                                {"columns", stream.columns},
                                {"type", type_name(stream.type)}});
  }
  json["classes"] = Json::array();
  for (ClassId id = 0; id < dataset.classes.size(); ++id) {
    const ClassCount& count = found.classes[id];
    json["classes"].push_back({{"name", dataset.classes.name(id)},
                               {"train", count.train},
                               {"val", count.val},
                               {"test", count.test}});
  }
  json["co_occurrence"] = Json::array();
  for (const CoOccurrence& pair : found.co_occurrences) {
    json["co_occurrence"].push_back({{"class", dataset.classes.name(pair.first)},
                                     {"also", dataset.classes.name(pair.second)},
                                     {"clips", pair.clips},
                                     {"together", pair.together},
                                     {"share", pair.share()}});
  }
  json["findings"] = Json::array();
  for (const Finding& finding : found.findings) {
    json["findings"].push_back(
        {{"key", finding.key},
         {"severity", finding.severity == Severity::Problem ? "problem" : "note"},
         {"what", finding.what},
         {"count", finding.count},
         {"examples", finding.examples}});
  }
  return json;
}

void inspect_command(const Arguments& arguments) {
  CommandLine line("inspect",
                   "manyverbs inspect kitchen\n"
                   "manyverbs inspect kitchen --top 20\n"
                   "manyverbs inspect kitchen --json");
  std::filesystem::path folder;
  InspectionSettings settings;
  bool json = false;
  line.app.add_option("DATASET", folder, "The data set")->required();
  line.app.add_option("--top", settings.co_occurrences, "Number of classes and pairs to show")
      ->check(from_up(1));
  line.app.add_flag("--json", json, "Print one JSON object instead");
  if (!line.parse(arguments)) return;

  const Dataset dataset = read_dataset(folder);
  const Inspection found = inspect(dataset, settings);
  if (json) {
    print_json(inspection_json(dataset, found));
    return;
  }
  print_counts(dataset, found);
  print_distribution(dataset, found, settings.co_occurrences);
  print_co_occurrence(dataset, found);
  print_findings(found);
  if (!found.streams.empty()) {
    suggest(fmt::format("manyverbs pseudo-label {}", shell_word(folder)));
  }
}

const Registration kInspect("inspect", inspect_command);

}  // namespace
}  // namespace manyverbs::cli
