// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>

#include "manyverbs/server/internal/live_round.h"
#include "manyverbs/server/internal/store.h"
#include "manyverbs/server/project.h"
#include "manyverbs/support/internal/json.h"

namespace manyverbs {

/// The calls of the leader's page about people and settings, described in
/// web/src/annotation/api.ts; ReviewApi has those about clips. Each throws HttpError for an invalid
/// request.
class LeaderApi {
 public:
  LeaderApi(const AnnotationProject* project, AnnotationStore* store, LiveRound* round)
      : project_(project), store_(store), round_(round) {}

  Json overview();
  Json reports();
  Json remarks(const std::string& from, const std::string& count);
  Json forget_reports(const Json& body, const Author& by);
  Json set_settings(const Json& body, const Author& by);
  /// `site` is the URL of the server for annotators: "http://127.0.0.1:8080".
  Json invite(const Json& body, const std::string& site, const Author& by);
  Json invite_many(const Json& body, const std::string& site, const Author& by);
  Json set_state(int person, const Json& body, const Author& by);
  Json rename(int person, const Json& body, const Author& by);
  Json remove(int person, const Json& body, const Author& by);
  Json new_link(int person, const Json& body, const std::string& site, const Author& by);
  Json log(const std::string& from, const std::string& count);
  /// The person gets clips though they have not finished the practice.
  Json end_practice(int person, const Author& by);

 private:
  std::map<int, Json> people_json();  // by their numbers
  Json person_json_of(int person);

  const AnnotationProject* project_;
  AnnotationStore* store_;
  LiveRound* round_;
};

/// The personal link with a token. The token is in the fragment, which browsers do not send to
/// servers: "http://127.0.0.1:8080/join#TOKEN".
std::string personal_link(const std::string& site, const std::string& token);

}  // namespace manyverbs
