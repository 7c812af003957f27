// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <map>
#include <string>

#include "manyverbs/http/internal/http_message.h"
#include "manyverbs/server/internal/leader_api.h"
#include "manyverbs/server/internal/live_guide.h"
#include "manyverbs/server/internal/review_api.h"
#include "manyverbs/server/internal/web_session.h"

namespace manyverbs {

/// The calls that need a signed-in leader, by method and path: all of /api/leader/ but signing in
/// and out.
class LeaderCalls {
 public:
  LeaderCalls(const AnnotationProject* project, AnnotationStore* store, Leaders* leaders,
              WebSessions* sessions);
  LeaderCalls(const LeaderCalls&) = delete;
  LeaderCalls& operator=(const LeaderCalls&) = delete;

  /// Answers a request; returns false if there is no such call. Throws HttpError: 401 if no leader
  /// is signed in, and those of the call.
  bool answer(const HttpRequest& request, HttpResponse* reply);

 private:
  /// What a call gets; `id` is the number in the path: 7 for "/api/leader/people/7/link".
  struct Call {
    const HttpRequest& request;
    Leader leader;
    Author by;
    int id = 0;

    Json body() const;
    std::string parameter(const std::string& name) const { return request.parameter(name); }
  };
  using Handler = std::function<Json(const Call&)>;

  void add_people_calls();
  void add_round_calls();
  void add_review_calls();
  void add_account_calls();
  Json leaders_json(const Leader& you);
  Json invite_leader(const Call& call);
  Json new_leader_link(const Call& call);
  void send_export(const Call& call, HttpResponse* reply);

  const AnnotationProject* project_;
  AnnotationStore* store_;
  Leaders* accounts_;
  WebSessions* sessions_;
  LiveRound round_;
  LeaderApi people_;
  ReviewApi reviews_;
  GuideApi guides_;
  std::map<std::string, Handler> calls_;  // by "POST /api/leader/people/ID/link"
};

}  // namespace manyverbs
