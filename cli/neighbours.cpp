// SPDX-License-Identifier: MIT
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/dataset_text.h"
#include "cli/neighbour_options.h"
#include "manyverbs/support/internal/csv.h"
#include "manyverbs/support/internal/display.h"
#include "manyverbs/support/internal/spelling.h"

namespace manyverbs::cli {
namespace {

ClipRow find_clip(const Dataset& dataset, const std::string& name) {
  std::vector<std::string> names;
  for (const ClipRow row : first_rows(dataset.clips.size())) {
    if (dataset.clip(row).name == name) return row;
    names.push_back(dataset.clip(row).name);
  }
  throw Error("{}: no clip '{}'{}", (dataset.folder / "clips.csv").string(), name,
              did_you_mean(name, names));
}

// One clip and its neighbours, as text.
void print_clip(const Dataset& dataset, const Neighbours& neighbours, ClipRow row) {
  const Clip& query = dataset.clip(row);
  const auto labels = [&](const Clip& each) {
    return printable(join_labels(each.labels, dataset.classes));
  };
  int width = 0;
  for (const ClipRow near : neighbours.clips.row(index(row))) {
    width = std::max(width, display_width(labels(dataset.clip(near))));
  }
  fmt::print("{}  {}\n", printable(query.name), labels(query));
  for (std::size_t j = 0; j < neighbours.clips.columns(); ++j) {
    const Clip& near = dataset.clip(neighbours.clips(index(row), j));
    fmt::print("{:4}  {:<10.4f}  {}  {}\n", j + 1, neighbours.distances(index(row), j),
               left_aligned(labels(near), width), printable(near.name));
  }
}

Json clip_json(const Dataset& dataset, const Neighbours& neighbours, ClipRow row) {
  Json list = Json::array();
  for (std::size_t j = 0; j < neighbours.clips.columns(); ++j) {
    const Clip& near = dataset.clip(neighbours.clips(index(row), j));
    list.push_back({{"clip", near.name},
                    {"label", join_labels(near.labels, dataset.classes)},
                    {"distance", neighbours.distances(index(row), j)}});
  }
  return {{"clip", dataset.clip(row).name}, {"neighbours", list}};
}

// A summary for all clips, and the file.
Json search_json(const Dataset& dataset, const SpaceOptions& options, const std::string& name) {
  return {{"file", (dataset.folder / "neighbours" / (name + ".npy")).string()},
          {"clips", dataset.clips.size()},
          {"k", options.k},
          {"space", options.space},
          {"metric", metric_name(chosen_metric(options))}};
}

void print_search(const Json& json) {
  fmt::print("{}, {} each, {} distance in {}\n{}\n",
             counted(json["clips"].get<std::int64_t>(), "clip", "clips"),
             counted(json["k"].get<std::int64_t>(), "neighbour", "neighbours"),
             json["metric"].get<std::string>(),
             json["space"] == "learned" ? "the learned space" : "feature space",
             json["file"].get<std::string>());
}

}  // namespace

void run_neighbours(const Arguments& arguments, const NeighbourFinder& find) {
  CommandLine line("neighbours",
                   "manyverbs neighbours kitchen --k 20\n"
                   "manyverbs neighbours kitchen --space learned --of P01_11_4 --json");
  std::string folder;
  std::string clip_name;
  bool as_json = false;
  SpaceOptions space;
  line.app.add_option("DATASET", folder, "The data set")->required();
  line.app.add_option("--of", clip_name, "Show the neighbours of this clip");
  add_neighbour_options(line, &space);
  line.app.add_flag("--json", as_json, "Print one JSON object instead");
  if (!line.parse(arguments)) return;

  const Dataset dataset = read_dataset(folder);
  std::optional<ClipRow> clip;
  if (!clip_name.empty()) clip = find_clip(dataset, clip_name);
  const auto [name, neighbours] = find(dataset, space, clip ? Keep::IfPossible : Keep::Must);
  if (!clip) {
    const Json json = search_json(dataset, space, name);
    as_json ? print_json(json) : print_search(json);
  } else {
    as_json ? print_json(clip_json(dataset, neighbours, *clip))
            : print_clip(dataset, neighbours, *clip);
  }
}

}  // namespace manyverbs::cli
