// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "manyverbs/server/internal/clip_values.h"
#include "manyverbs/server/internal/live_guide.h"
#include "manyverbs/server/internal/store.h"
#include "manyverbs/server/project.h"
#include "manyverbs/support/internal/json.h"

namespace manyverbs {

/// The calls of the annotator's page, described in web/src/annotation/api.ts. Each throws HttpError
/// for a request that is not allowed or not valid. Clips need a finished practice: next(), save()
/// and report() throw HttpError (403) before it.
class AnnotatorApi {
 public:
  AnnotatorApi(const AnnotationProject* project, AnnotationStore* store)
      : project_(project), store_(store), guide_(project), project_id_(store->project_id()) {}

  /// Throws HttpError (401) if the page was opened by another person: `key` is the key that me()
  /// returned to the page, or "" if the page did not send one.
  void require_same(const Person& person, const std::string& key) const;

  Json me(const Person& person, Time now);
  Json guide();
  Json next(const Person& person, Time now);
  Json save(const Person& person, const Json& body, Time now);
  Json report(const Person& person, const Json& body, Time now);
  Json earlier(const Person& person, const std::string& before);
  Json practice(const Person& person);
  Json check_practice(const Person& person, const Json& body);
  /// Throws HttpError (409) unless the person has answered all practice clips.
  Json finish_practice(const Person& person);

 private:
  /// "7-3f2a…": unique for each person and project.
  std::string key_of(const Person& person) const;
  const AnnotationTask& task_in(const Json& body) const;
  Json task_json(const AnnotationTask& task, int person) const;

  const AnnotationProject* project_;
  AnnotationStore* store_;
  LiveGuide guide_;
  std::string project_id_;
  ClipValueCache values_;
};

}  // namespace manyverbs
