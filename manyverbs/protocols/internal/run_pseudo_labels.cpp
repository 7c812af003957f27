// SPDX-License-Identifier: MIT
#include "manyverbs/protocols/internal/run_pseudo_labels.h"

#include <fmt/ranges.h>

#include "manyverbs/labels/internal/pseudo_label_file.h"
#include "manyverbs/learning/internal/finetuner.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/files.h"

namespace manyverbs {
namespace {

// A name in DATASET/pseudo_labels, or a file.
std::filesystem::path pseudo_label_path(const Dataset& dataset, const std::string& name) {
  const std::filesystem::path kept = dataset.folder / "pseudo_labels" / (name + ".csv");
  if (std::filesystem::exists(kept)) return kept;
  if (std::filesystem::exists(name)) return name;
  const std::string option = name == FeatureRunSettings{}.pseudo_labels ? "" : " --name " + name;
  throw Error("{}: does not exist; create it with 'manyverbs pseudo-label {}{}'", kept.string(),
              dataset.folder.string(), option);
}

// The command that makes pseudo-labels with the settings of a record.
std::string remaking(const Dataset& dataset, const std::string& name,
                     const PseudoLabelRecord& record) {
  std::string call = fmt::format("manyverbs pseudo-label {}", dataset.folder.string());
  if (record.votes) {
    const VoteSettings& votes = *record.votes;
    call += fmt::format(" --k {} --tau {} --space {} --metric {}", votes.k, votes.tau, votes.space,
                        votes.metric);
  } else {
    call += fmt::format(" --method {}", method_name(record.method));
  }
  return name == FeatureRunSettings{}.pseudo_labels ? call : call + " --name " + name;
}

}  // namespace

Suggestions read_suggestions(const Dataset& dataset, const std::string& name) {
  const std::filesystem::path file = pseudo_label_path(dataset, name);
  const auto record = read_pseudo_label_record(file);
  const std::string changed = record ? changed_file(dataset, record->made_from) : "";
  if (!changed.empty() && record->votes && record->votes->space == kBackboneSpace) {
    throw Error("{}: {} has changed since the training that made it", file.string(), changed);
  }
  if (!changed.empty()) {
    throw Error("{}: {} has changed since; run '{}' again", file.string(), changed,
                remaking(dataset, name, *record));
  }
  return read_pseudo_labels(file, dataset);
}

Suggestions chosen_suggestions(const Dataset& dataset, const std::vector<ClipRow>& chosen,
                               const Suggestions& all) {
  std::vector<int> place(dataset.clips.size(), -1);
  const std::vector<ClipRow> training = dataset.clips_of(Split::Train);
  for (std::size_t i = 0; i < training.size(); ++i) place[index(training[i])] = static_cast<int>(i);
  Suggestions suggestions;
  for (const ClipRow clip : chosen) suggestions.push_back(all[place[index(clip)]]);
  return suggestions;
}

Together together_of(Recipe recipe) {
  return recipe == Recipe::Paper ? Together::AtLeastHalf : Together::MoreThanHalf;
}

std::string hash_of(const Suggestions& suggestions) {
  std::string text;
  for (const auto& classes : suggestions) text += fmt::format("{}\n", fmt::join(classes, " "));
  return text_hash(text);
}

}  // namespace manyverbs
