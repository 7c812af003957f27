// SPDX-License-Identifier: MIT
#include <algorithm>
#include <set>

#include <fmt/ranges.h>

#include "manyverbs/protocols/internal/experiment.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/files.h"

namespace manyverbs {
namespace {

ExperimentRow row_of(std::string_view loss) {
  const Loss& found = find_loss(loss);
  ExperimentRow row;
  row.key = row.loss = found.name;
  row.title = found.title;
  row.pseudo_labelled = found.suggested != Label::Absent;
  return row;
}

// The losses of an ablation or a sweep, which vary the pseudo-labels.
const Loss& pseudo_labelled(std::string_view loss) {
  const Loss& found = find_loss(loss);
  if (found.suggested == Label::Absent) {
    std::vector<std::string_view> valid;
    for (const Loss& other : all_losses()) {
      if (other.suggested != Label::Absent) valid.push_back(other.name);
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

Experiment start_plan(ExperimentKind kind, const ExperimentSettings& settings) {
  Experiment plan;
  plan.kind = kind;
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
      if (pseudo_labels) run.settings.features.pseudo_labels = pseudo_labels->name;
      run.pseudo_labels = pseudo_labels;
      plan->runs.push_back(std::move(run));
    }
  }
}

bool has_truth(const std::filesystem::path& folder) {
  const Dataset dataset = read_dataset(folder);
  const auto truth = dataset.truth_of(dataset.clips_of(Split::Train));
  return std::any_of(truth.begin(), truth.end(), [](const auto& set) { return !set.empty(); });
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
  given.run.features.pseudo_labels = settings.given_pseudo_labels;
  const bool must_make = settings.given_pseudo_labels.empty();
  for (const std::string& loss : losses) {
    const ExperimentRow row = row_of(loss);
    add_row(given, row,
            row.pseudo_labelled && must_make ? std::optional(settings.pseudo_labels) : std::nullopt,
            &plan);
  }
  return plan;
}

Experiment plan_ablate(const ExperimentSettings& settings, const std::vector<std::string>& losses) {
  Experiment plan = start_plan(ExperimentKind::Ablate, settings);
  std::vector<std::pair<PseudoLabelMethod, std::string>> methods = {
      {PseudoLabelMethod::Instance, ""}, {PseudoLabelMethod::Class, "class"}};
  if (std::all_of(settings.datasets.begin(), settings.datasets.end(), has_truth)) {
    methods.emplace_back(PseudoLabelMethod::Ideal, "ideal");
  }
  for (const std::string& loss : losses) {
    for (const auto& [method, word] : methods) {
      ExperimentRow row = row_of(pseudo_labelled(loss).name);
      PseudoLabelSettings pseudo_labels = settings.pseudo_labels;
      pseudo_labels.method = method;
      if (!word.empty()) {
        row.key += "-" + word;
        row.title += word == "class" ? ", class-level" : ", ideal";
      }
      add_row(settings, row, pseudo_labels, &plan);
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
