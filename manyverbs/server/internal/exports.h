// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>

#include "manyverbs/server/internal/finalising.h"
#include "manyverbs/server/internal/store.h"

namespace manyverbs {

/// Exports of the answers for other programs. Each file is written completely or not at all.

/// The input of an export.
struct AnnotationResult {
  const AnnotationProject* project = nullptr;
  std::vector<Person> people;
  std::vector<StoredAnswer> answers;  ///< all, including corrected and excluded ones
  int people_per_clip = 3;            ///< clips with fewer answers have no result
  std::vector<PlayReport> reports = {};
  LabelRule rule = LabelRule::Half;
};

struct ExportReport {
  int written = 0;                  ///< clips, or answers
  std::map<Outcome, int> left_out;  ///< annotated clips without labels, by reason
  int dropped = 0;  ///< clips removed from the data set: without a label they cannot be val clips
};

/// Writes a copy of the project's data set whose test split is the annotation result. Each test
/// clip keeps its original label beside the new ones, for a second round. Clips of the annotated
/// split without a result, and test clips that were not annotated, become val clips with their
/// original label, as in the paper; clips without a known original label are dropped. left_out.csv
/// lists the annotated clips that are not in the test split, with the reason, selection.json how
/// the clips were chosen; with LabelRule::Model, posteriors.csv has the content of
/// export_posteriors(). Feature files are linked, or copied without the rows of dropped clips.
/// Throws Error when the folder exists, the data set is missing or its classes have changed.
ExportReport export_dataset(const AnnotationResult& result, const std::filesystem::path& folder);

/// CSV in the format of EPIC-Kitchens-100-SPMV: narration_id,verb_labels with labels such as "[3,
/// 17]".
ExportReport export_spmv(const AnnotationResult& result, const std::filesystem::path& file);

/// CSV with one line per candidate of each clip that has labels, by LabelRule::Model: clip, verb,
/// posterior (the probability that the verb applies, six decimals), chosen and answers (by how many
/// people of how many), label (1 or 0).
ExportReport export_posteriors(const AnnotationResult& result, const std::filesystem::path& file);

/// One JSON object per line and answer, ordered by time: annotator, name, excluded, task, item,
/// labels, confident, nothing, ms, time, replaced.
ExportReport export_answers(const AnnotationResult& result, const std::filesystem::path& file);

/// Label Studio tasks with annotations: verbs and "not confident" are choices. The annotators'
/// names are in the task data, because Label Studio accepts only its own users.
ExportReport export_label_studio(const AnnotationResult& result, const std::filesystem::path& file);

}  // namespace manyverbs
