// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "manyverbs/server/internal/guide.h"
#include "manyverbs/server/internal/store.h"
#include "manyverbs/support/internal/json.h"

namespace manyverbs {

/// The guide of a running server. Changes of its files take effect at once, made by the
/// leader on the page, in an editor, or by another server with the same folder.
class LiveGuide {
 public:
  /// Throws Error if a file is invalid, see read_guide().
  explicit LiveGuide(const AnnotationProject* project);

  /// The guide of the current files, or the previous one while a file is invalid.
  std::shared_ptr<const AnnotatorGuide> guide();

 private:
  const AnnotationProject* project_;
  std::mutex mutex_;  // guards the members below
  std::string stamp_;
  std::shared_ptr<const AnnotatorGuide> guide_;
};

/// The calls of the leader's page to edit the files of the guide, described in
/// web/src/annotation/api.ts. Each throws HttpError for an invalid request.
class GuideApi {
 public:
  GuideApi(const AnnotationProject* project, AnnotationStore* store)
      : project_(project), store_(store) {}

  Json files();
  /// Checks a text, and with "save" writes the file. A text that is invalid is status 400 with the
  /// line; a file that somebody else has changed since the page read it is status 409.
  Json change(const Json& body, const Author& by);

 private:
  Json file_json(const std::string& name) const;

  const AnnotationProject* project_;
  AnnotationStore* store_;
  std::mutex saving_;
};

}  // namespace manyverbs
