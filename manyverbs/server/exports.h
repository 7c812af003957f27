// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>

#include "manyverbs/server/internal/finalising.h"
#include "manyverbs/server/internal/store.h"

namespace manyverbs {

/// What people answered, for other programs. Each file is whole or not there.

/// What one export is made of.
struct AnnotationResult {
  const AnnotationProject* project = nullptr;
  std::vector<Person> people;
  std::vector<StoredAnswer> answers;  ///< all of them, also mended and excluded ones
  int people_a_clip = 3;              ///< clips with fewer answers have no result
  std::vector<PlayReport> reports = {};
};

struct ExportReport {
  int written = 0;                  ///< clips, or answers
  std::map<Outcome, int> left_out;  ///< annotated clips without labels, by the reason
  int dropped = 0;  ///< clips that are no longer in the data set: they have no label to be val with
};

/// A copy of the project's data set whose test split is what people agreed on; each of its clips
/// keeps its original label beside the new ones, for a second round. Clips of the annotated split
/// without a result, and test clips that nobody annotated, become val clips with their original
/// label, as the paper has it; where none is known they are dropped. left_out.csv lists the
/// annotated clips that are not in the test split, with the reason. Feature files come along as
/// links, or without the rows of dropped clips. Throws Error when the place is taken, the data set
/// is gone or its classes have changed.
ExportReport export_dataset(const AnnotationResult& result, const std::filesystem::path& folder);

/// CSV as EPIC-Kitchens-100-SPMV: narration_id,verb_labels, the latter "[3, 17]".
ExportReport export_spmv(const AnnotationResult& result, const std::filesystem::path& file);

/// A JSON object a line and answer, in the order in which they came: annotator, name, excluded,
/// task, item, labels, confident, nothing, ms, time, replaced.
ExportReport export_answers(const AnnotationResult& result, const std::filesystem::path& file);

/// Label Studio's tasks with annotations: the verbs and "not confident" as choices; who gave them
/// stands in the data, since Label Studio knows only its own users.
ExportReport export_label_studio(const AnnotationResult& result, const std::filesystem::path& file);

}  // namespace manyverbs
