// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "manyverbs/server/internal/exports.h"

namespace manyverbs {

/// An export as one file.
struct Download {
  std::string name;  ///< "jsonl.jsonl"; a folder is "cvat.tar.gz"
  std::string type;
  std::string content;
};

/// What an export reads from the database. `people` 0: the setting of the leader's page.
AnnotationResult read_result(const AnnotationProject& project, AnnotationStore* store, int people);

/// The result in one of the export_formats(); a data set without its features. Throws HttpError:
/// 404 for an unknown format, 409 if there is nothing to export or the data set is not available.
Download download_of(const AnnotationResult& result, const std::string& format);

}  // namespace manyverbs
