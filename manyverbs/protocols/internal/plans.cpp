// SPDX-License-Identifier: MIT
#include <algorithm>
#include <set>

#include <fmt/ranges.h>

#include "manyverbs/protocols/internal/experiment.h"
#include "manyverbs/protocols/internal/run_pseudo_labels.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/files.h"

namespace manyverbs {
namespace {

// What the pseudo-labels of a row come from, in keys and titles.
struct MethodWords {
  PseudoLabelMethod method;
  std::string_view key;
  std::string_view title;
};
constexpr MethodWords kMethods[] = {
    {PseudoLabelMethod::Instance, "", ""},
    {PseudoLabelMethod::Class, "-class", ", class-level"},
    {PseudoLabelMethod::Ideal, "-ideal", ", ideal"},
};

// Of the ideal row, if class-level pseudo-labels are the same.
constexpr std::string_view kBothTitle = ", ideal = class";

ExperimentRow row_of(std::string_view loss, const MethodWords& method = kMethods[0]) {
  const Loss& found = find_loss(loss);
  ExperimentRow row;
  row.loss = found.name;
  row.key = row.loss + std::string(method.key);
  row.title = fmt::format("{}{}", found.title, method.title);
  row.pseudo_labelled = found.uses_pseudo_labels();
  return row;
}

// A loss of a comparison: "mask-ideal" is the loss mask with ideal pseudo-labels.
struct ComparedLoss {
  std::string_view loss;
  MethodWords method;
};
ComparedLoss compared_loss(std::string_view word) {
  for (const Loss& loss : all_losses()) {
    if (!loss.uses_pseudo_labels() || !word.starts_with(loss.name)) continue;
    for (const MethodWords& method : kMethods) {
      if (word.substr(loss.name.size()) == method.key) return {loss.name, method};
    }
  }
  return {find_loss(word).name, kMethods[0]};
}

// The losses of an ablation or a sweep, which vary the pseudo-labels.
const Loss& pseudo_labelled(std::string_view loss) {
  const Loss& found = find_loss(loss);
  if (!found.uses_pseudo_labels()) {
    std::vector<std::string_view> valid;
    for (const Loss& other : all_losses()) {
      if (other.uses_pseudo_labels()) valid.push_back(other.name);
    }
    throw Error("the loss {} does not use pseudo-labels, so nothing varies; valid values: {}", loss,
                fmt::join(valid, ", "));
  }
  return found;
}

// Names of data sets for folder names: their own if these differ.
std::vector<std::string> names_of(const std::vector<std::filesystem::path>& datasets) {
  std::vector<std::string> names;
  for (const auto& folder : datasets) names.push_back(folder_name(folder));
  if (std::set(names.begin(), names.end()).size() < names.size()) {
    for (std::size_t i = 0; i < names.size(); ++i) names[i] = fmt::format("{}", i + 1);
  }
  return names;
}

// A name with everything that the pseudo-labels depend on, so that experiments do not share names.
std::string pseudo_label_name(const PseudoLabelSettings& settings) {
  const NeighbourSettings& neighbours = settings.neighbours;
  const SpaceSettings& space = neighbours.space;
  std::string name;
  switch (settings.method) {
    case PseudoLabelMethod::Instance:
      name = fmt::format("{}-{}-k{}-tau{}", space.space, metric_name(neighbours.metric),
                         neighbours.k, settings.tau);
      if (!space.streams.empty()) name += fmt::format("-{}", fmt::join(space.streams, "+"));
      if (space.space == "learned" && space.learned.seed != SpaceSettings{}.learned.seed) {
        name += fmt::format("-seed{}", space.learned.seed);
      }
      return name;
    case PseudoLabelMethod::Class:
      return settings.recipe == Recipe::Paper ? "class-level" : "class-level-released";
    case PseudoLabelMethod::Ideal:
      break;
  }
  return "ideal";
}

std::string& pseudo_label_setting(RunSettings& settings) {
  return settings.kind == RunKind::Clips ? settings.clips.pseudo_labels
                                         : settings.features.pseudo_labels;
}

Experiment start_plan(ExperimentKind kind, const ExperimentSettings& settings) {
  Experiment plan;
  plan.kind = kind;
  plan.from = settings.run.kind;
  plan.recipe = settings.run.recipe;
  plan.datasets = settings.datasets;
  plan.evaluation = settings.evaluation;
  return plan;
}

// Adds a row and its runs: every seed on every data set.
void add_row(const ExperimentSettings& settings, const ExperimentRow& row,
             std::optional<PseudoLabelSettings> pseudo_labels, Experiment* plan) {
  for (const ExperimentRow& other : plan->rows) {
    if (other.key == row.key) throw Error("{} is given twice", row.title);
  }
  plan->rows.push_back(row);
  const std::vector<std::string> names = names_of(settings.datasets);
  if (pseudo_labels) pseudo_labels->name = pseudo_label_name(*pseudo_labels);
  for (std::size_t i = 0; i < settings.datasets.size(); ++i) {
    const std::string place = settings.datasets.size() > 1 ? "-" + names[i] : "";
    for (int n = 0; n < settings.seeds; ++n) {
      PlannedRun run;
      run.row = row.key;
      run.dataset = i;
      run.settings = settings.run;
      run.settings.loss = row.loss;
      if (find_loss(row.loss).uses_expected_labels) {
        run.settings.loss_settings.expected_labels = settings.evaluation.expected_labels;
      }
      run.settings.seed += static_cast<std::uint64_t>(n);
      run.name = fmt::format("{}{}-{}", row.key, place, run.settings.seed);
      if (pseudo_labels) pseudo_label_setting(run.settings) = pseudo_labels->name;
      run.pseudo_labels = pseudo_labels;
      plan->runs.push_back(std::move(run));
    }
  }
}

// Whether class-level and ideal pseudo-labels are the same in every data set.
bool class_level_is_ideal(const std::vector<std::filesystem::path>& datasets, Recipe recipe) {
  return std::all_of(datasets.begin(), datasets.end(), [&](const std::filesystem::path& folder) {
    const Dataset dataset = read_dataset(folder);
    const std::vector<ClipRow> training = dataset.clips_of(Split::Train);
    const std::vector<ClassId> labels = dataset.labels_of(training);
    const auto test_sets = dataset.label_sets_of(dataset.clips_of(Split::Test));
    return class_level(test_sets, labels, dataset.classes.size(), together_of(recipe)) ==
           ideal(dataset.truth_of(training), labels);
  });
}

}  // namespace

std::string_view kind_name(ExperimentKind kind) {
  switch (kind) {
    case ExperimentKind::Compare:
      return "compare";
    case ExperimentKind::Ablate:
      return "ablate";
    case ExperimentKind::Sweep:
      break;
  }
  return "sweep";
}

Experiment plan_compare(const ExperimentSettings& settings,
                        const std::vector<std::string>& losses) {
  Experiment plan = start_plan(ExperimentKind::Compare, settings);
  ExperimentSettings given = settings;
  pseudo_label_setting(given.run) = settings.given_pseudo_labels;
  // A run on clips makes its own instance-level pseudo-labels.
  const bool must_make =
      settings.given_pseudo_labels.empty() && settings.run.kind == RunKind::Features;
  for (const std::string& word : losses) {
    const auto [loss, method] = compared_loss(word);
    const ExperimentRow row = row_of(loss, method);
    const bool is_instance = method.method == PseudoLabelMethod::Instance;
    std::optional<PseudoLabelSettings> pseudo_labels;
    if (row.pseudo_labelled && (must_make || !is_instance)) {
      pseudo_labels = settings.pseudo_labels;
      pseudo_labels->method = method.method;
    }
    add_row(given, row, std::move(pseudo_labels), &plan);
  }
  return plan;
}

std::vector<std::string> comparable_losses() {
  std::vector<std::string> words;
  for (const Loss& loss : all_losses()) words.emplace_back(loss.name);
  for (const Loss& loss : all_losses()) {
    if (!loss.uses_pseudo_labels()) continue;
    words.push_back(fmt::format("{}-class", loss.name));
    words.push_back(fmt::format("{}-ideal", loss.name));
  }
  return words;
}

bool have_truth(const std::vector<std::filesystem::path>& datasets) {
  return std::all_of(datasets.begin(), datasets.end(), [](const std::filesystem::path& folder) {
    const Dataset dataset = read_dataset(folder);
    const auto truth = dataset.truth_of(dataset.clips_of(Split::Train));
    return std::any_of(truth.begin(), truth.end(), [](const auto& set) { return !set.empty(); });
  });
}

Experiment plan_ablate(const ExperimentSettings& settings, const std::vector<std::string>& losses) {
  Experiment plan = start_plan(ExperimentKind::Ablate, settings);
  const bool with_ideal = have_truth(settings.datasets);
  const bool with_class =
      !with_ideal || !class_level_is_ideal(settings.datasets, settings.run.recipe);
  if (!with_ideal) {
    plan.remarks.emplace_back(
        "left out the ideal pseudo-labels: clips.csv has no ground truth of training clips");
  }
  if (!with_class) {
    plan.remarks.emplace_back(
        "the class-level pseudo-labels equal the ideal ones: one row stands for both");
  }
  for (const std::string& loss : losses) {
    for (MethodWords method : kMethods) {
      if (method.method == PseudoLabelMethod::Ideal && !with_ideal) continue;
      if (method.method == PseudoLabelMethod::Class && !with_class) continue;
      if (method.method == PseudoLabelMethod::Ideal && !with_class) method.title = kBothTitle;
      PseudoLabelSettings pseudo_labels = settings.pseudo_labels;
      pseudo_labels.method = method.method;
      add_row(settings, row_of(pseudo_labelled(loss).name, method), pseudo_labels, &plan);
    }
  }
  return plan;
}

Experiment plan_sweep(const ExperimentSettings& settings, const std::vector<std::string>& losses,
                      const std::vector<int>& ks, const std::vector<double>& taus) {
  Experiment plan = start_plan(ExperimentKind::Sweep, settings);
  for (const std::string& loss : losses) {
    for (const int k : ks) {
      for (const double tau : taus) {
        ExperimentRow row = row_of(pseudo_labelled(loss).name);
        row.k = k;
        row.tau = tau;
        row.key += fmt::format("-k{}-tau{}", k, tau);
        row.title += fmt::format(", K {}, tau {}", k, tau);
        PseudoLabelSettings pseudo_labels = settings.pseudo_labels;
        pseudo_labels.neighbours.k = k;
        pseudo_labels.tau = tau;
        add_row(settings, row, pseudo_labels, &plan);
      }
    }
  }
  return plan;
}

}  // namespace manyverbs
