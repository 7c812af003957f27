// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "manyverbs/server/internal/store.h"
#include "manyverbs/server/project.h"
#include "manyverbs/support/internal/json.h"

namespace manyverbs {

/// The calls of the leader's page after sign-in, described in web/src/annotation/api.ts. Each
/// throws HttpError for an invalid request.
class LeaderApi {
 public:
  LeaderApi(const AnnotationProject* project, AnnotationStore* store)
      : project_(project), store_(store) {}

  Json overview();
  Json disputes(const std::string& from, const std::string& count);
  Json reports();
  Json forget_reports(const Json& body);
  Json set_settings(const Json& body);
  /// `site` is the URL of the server for annotators: "http://127.0.0.1:8080".
  Json invite(const Json& body, const std::string& site, Time now);
  Json set_state(int person, const Json& body);
  Json new_link(int person, const std::string& site);

 private:
  Json person_json_of(int person);

  const AnnotationProject* project_;
  AnnotationStore* store_;
};

}  // namespace manyverbs
