// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "manyverbs/server/internal/store.h"
#include "manyverbs/server/project.h"
#include "manyverbs/support/internal/json.h"

namespace manyverbs {

/// What the annotator's page asks for, as web/src/annotation/api.ts describes it. Each call throws
/// Refusal for what is not allowed or makes no sense.
class AnnotatorApi {
 public:
  AnnotatorApi(const AnnotationProject* project, AnnotationStore* store)
      : project_(project), store_(store), stamp_(tasks_stamp(*project)) {}

  /// Throws Refusal (401) when a page that was opened for somebody else asks in this person's name:
  /// `key` is what me() told that page, or "" where it does not say.
  void require_same(const Person& person, const std::string& key) const;

  Json me(const Person& person, Time now);
  Json next(const Person& person, Time now);
  Json save(const Person& person, const Json& body, Time now);
  Json report(const Person& person, const Json& body, Time now);
  Json earlier(const Person& person, const std::string& before);
  Json practice(const Person& person);
  Json check_practice(const Json& body);
  Json finish_practice(const Person& person);

 private:
  /// "7-3f2a…": another for every person, and for the same number in another project.
  std::string key_of(const Person& person) const;
  const AnnotationTask& task_in(const Json& body) const;
  Json task_json(const AnnotationTask& task, int person) const;

  const AnnotationProject* project_;
  AnnotationStore* store_;
  std::string stamp_;
};

}  // namespace manyverbs
