// SPDX-License-Identifier: MIT
#include "manyverbs/reports/internal/pseudo_label_charts.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <unordered_map>

#include <fmt/format.h>

#include "manyverbs/knn/internal/neighbours_file.h"
#include "manyverbs/labels/internal/pseudo_label_file.h"
#include "manyverbs/reports/internal/report_values.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/csv.h"

namespace manyverbs {
namespace {

constexpr int kMostNeighbours = 50;

struct Vote {
  ClassId label;
  int votes;
  bool suggested;
};
using Votes = std::vector<Vote>;

// Clips with one to three pseudo-labels are the best examples; clips whose votes all agree are the
// worst.
std::vector<ClipRow> clips_to_show(const Dataset& dataset, const Suggestions& suggestions,
                                   int count) {
  constexpr std::size_t kEnough = 3;
  const std::vector<ClipRow> training = dataset.clips_of(Split::Train);
  std::vector<double> worth;
  std::vector<std::vector<ClassId>> classes;
  for (std::size_t i = 0; i < training.size(); ++i) {
    const std::size_t further = std::min(suggestions[i].size(), kEnough);
    worth.push_back(further == 0 ? -1 : static_cast<double>(further) / kEnough);
    classes.push_back(suggestions[i]);
    classes.back().push_back(dataset.clip(training[i]).labels.front());
  }
  std::vector<ClipRow> shown;
  for (const int i : varied_choice(worth, classes, count)) shown.push_back(training[i]);
  return shown;
}

// The votes of the example clips in the order of the file: most votes first.
std::map<ClipRow, Votes> read_votes(const Dataset& dataset, const std::filesystem::path& csv,
                                    const std::vector<ClipRow>& shown) {
  std::unordered_map<std::string, ClipRow> wanted;
  for (const ClipRow row : shown) wanted.emplace(dataset.clip(row).name, row);
  const CsvTable table = read_csv(csv);
  const int clip = table.column("clip");
  const int label = table.column("class");
  const int votes = table.column("votes");
  const int suggested = table.column("suggested");
  std::map<ClipRow, Votes> result;
  for (const CsvRow& row : table.rows) {
    const auto found = wanted.find(row.fields[clip]);
    if (found == wanted.end()) continue;
    result[found->second].push_back({dataset.classes.find(row.fields[label]),
                                     std::atoi(row.fields[votes].c_str()),
                                     row.fields[suggested] == "1"});
  }
  return result;
}

// The stored neighbours, whatever their inputs: they are compared with the votes. A new search
// could take hours.
std::optional<Neighbours> kept_neighbours(const Dataset& dataset, const VoteSettings& settings) {
  const std::filesystem::path folder = dataset.folder / "neighbours";
  const std::string& name = settings.neighbours;
  if (name.empty()) return std::nullopt;
  const std::filesystem::path about = folder / (name + ".json");
  if (!std::filesystem::exists(about)) return std::nullopt;
  const NeighboursRecord record{settings.space, find_metric(settings.metric), settings.k,
                                json_value<std::string>(read_json(about), "stamp", about)};
  auto neighbours = read_neighbours(folder, name, record);
  if (neighbours && neighbours->clips.rows() != dataset.clips.size()) return std::nullopt;
  return neighbours;
}

bool have_cast(const Dataset& dataset, std::span<const ClipRow> neighbours, const Votes& votes) {
  std::map<ClassId, int> counted;
  for (const ClipRow row : neighbours) {
    if (dataset.clip(row).labels.empty()) return false;
    ++counted[dataset.clip(row).labels.front()];
  }
  std::map<ClassId, int> cast;
  for (const Vote& vote : votes) {
    if (vote.votes > 0) cast[vote.label] = vote.votes;
  }
  return counted == cast;
}

Json neighbours_json(const Dataset& dataset, const Neighbours& neighbours, ClipRow row,
                     const std::filesystem::path& page_folder) {
  Json list = Json::array();
  const std::size_t count = std::min<std::size_t>(neighbours.clips.columns(), kMostNeighbours);
  for (std::size_t n = 0; n < count; ++n) {
    const Clip& neighbour = dataset.clip(neighbours.clips(index(row), n));
    Json entry = {{"clip", report_name(neighbour.name)},
                  {"label", report_name(dataset.classes.name(neighbour.labels.front()))},
                  {"distance", short_number(neighbours.distances(index(row), n))}};
    if (auto video = video_json(neighbour, dataset.folder, page_folder)) entry["video"] = *video;
    list.push_back(std::move(entry));
  }
  return list;
}

Json votes_json(const Dataset& dataset, const Votes& votes, int k) {
  Json list = Json::array();
  for (const Vote& vote : votes) {
    list.push_back({{"class", report_name(dataset.classes.name(vote.label))},
                    {"votes", vote.votes},
                    {"share", short_number(static_cast<double>(vote.votes) / k)},
                    {"suggested", vote.suggested}});
  }
  return list;
}

}  // namespace

std::optional<Json> pseudo_label_charts(const Dataset& dataset, const std::filesystem::path& csv,
                                        int count, const std::filesystem::path& page_folder) {
  const auto record = read_pseudo_label_record(csv);
  if (!record || !record->votes) return std::nullopt;
  const std::string changed = changed_file(dataset, record->made_from);
  if (!changed.empty()) throw Error("{}: is outdated: {} has changed", csv.string(), changed);
  const VoteSettings& made = *record->votes;
  const std::vector<ClipRow> shown =
      clips_to_show(dataset, read_pseudo_labels(csv, dataset), count);
  const std::map<ClipRow, Votes> votes = read_votes(dataset, csv, shown);
  const auto neighbours = kept_neighbours(dataset, made);
  Json clips = Json::array();
  for (const ClipRow row : shown) {
    const Clip& clip = dataset.clip(row);
    Json entry = {
        {"clip", report_name(clip.name)},
        {"label", report_name(dataset.classes.name(clip.labels.front()))},
        {"truth", clip.truth.empty() ? Json(nullptr) : class_names(clip.truth, dataset.classes)}};
    if (auto video = video_json(clip, dataset.folder, page_folder)) entry["video"] = *video;
    entry["votes"] = votes_json(dataset, votes.at(row), made.k);
    const bool known =
        neighbours && have_cast(dataset, neighbours->clips.row(index(row)), votes.at(row));
    entry["neighbours"] =
        known ? neighbours_json(dataset, *neighbours, row, page_folder) : Json::array();
    clips.push_back(std::move(entry));
  }
  return Json{{"name", report_name(csv.stem().string())},
              {"k", made.k},
              {"tau", made.tau},
              {"space", made.space},
              {"metric", made.metric},
              {"precision", short_number(record->quality.precision)},
              {"recall", short_number(record->quality.recall)},
              {"clips", std::move(clips)}};
}

}  // namespace manyverbs
