// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "manyverbs/server/finalising.h"
#include "manyverbs/server/store.h"

namespace manyverbs {

/// What people answered, for other programs. Each file is whole or not there.

/// What one export is made of.
struct AnnotationResult {
  const AnnotationProject* project = nullptr;
  std::vector<Person> people;
  std::vector<StoredAnswer> answers;  ///< all of them, also mended and excluded ones
  int people_a_clip = 3;              ///< clips with fewer answers have no result
};

struct ExportReport {
  int written = 0;     ///< clips, or answers
  int doubtful = 0;    ///< clips left out: more than half were not confident
  int incomplete = 0;  ///< clips left out: not enough people answered
};

/// A copy of the project's data set whose test split is what people agreed on. Clips of the
/// annotated split without a result, and test clips that nobody annotated, become val clips with
/// their original label, as the paper has it. Feature files come along as links. Throws Error when
/// the place is taken, the data set is gone or its classes have changed.
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
