// SPDX-License-Identifier: MIT
#include "manyverbs/server/internal/leader_calls.h"

#include <algorithm>

#include "manyverbs/http/internal/http_error.h"
#include "manyverbs/http/internal/request_body.h"
#include "manyverbs/server/internal/download.h"
#include "manyverbs/server/internal/secrets.h"
#include "manyverbs/server/internal/web_replies.h"
#include "manyverbs/support/internal/numbers.h"

namespace manyverbs {
namespace {

constexpr const char* kExport = "GET /api/leader/export";

// "/api/leader/people/7/link" becomes "/api/leader/people/ID/link", and `id` 7.
std::string path_without_id(const std::string& path, int* id) {
  std::string result;
  for (std::size_t at = 1; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    const std::string part = path.substr(at, end - at);
    const bool digits = !part.empty() && part.find_first_not_of("0123456789") == std::string::npos;
    const auto number = digits ? number_in<int>(part) : std::nullopt;
    if (number) *id = *number;
    result += "/" + (number ? "ID" : part);
    at = end + 1;
  }
  return result;
}

std::string set_up_link(const std::string& site, const std::string& token) {
  return site + "/lead#setup=" + token;
}

}  // namespace

LeaderCalls::LeaderCalls(const AnnotationProject* project, AnnotationStore* store, Leaders* leaders,
                         WebSessions* sessions)
    : project_(project),
      store_(store),
      accounts_(leaders),
      sessions_(sessions),
      round_(project, store),
      people_(project, store, &round_),
      reviews_(project, store, &round_),
      guides_(project, store) {
  add_round_calls();
  add_people_calls();
  add_review_calls();
  add_account_calls();
}

Json LeaderCalls::Call::body() const { return body_json(request.body); }

bool LeaderCalls::answer(const HttpRequest& request, HttpResponse* reply) {
  int id = 0;
  const std::string method = request.method == "HEAD" ? "GET" : request.method;
  const std::string where = method + " " + path_without_id(request.path, &id);
  const auto call = calls_.find(where);
  if (call == calls_.end() && where != kExport) return false;
  const Leader leader = sessions_->leader(request);
  const Call given{request, leader, {leader.name, time_now()}, id};
  if (where == kExport) {
    send_export(given, reply);
  } else {
    send_json(call->second(given), reply);
  }
  return true;
}

void LeaderCalls::add_round_calls() {
  calls_["GET /api/leader/overview"] = [this](const Call&) { return people_.overview(); };
  calls_["GET /api/leader/reports"] = [this](const Call&) { return people_.reports(); };
  calls_["GET /api/leader/remarks"] = [this](const Call& call) {
    return people_.remarks(call.parameter("from"), call.parameter("count"));
  };
  calls_["POST /api/leader/reports/forget"] = [this](const Call& call) {
    return people_.forget_reports(call.body(), call.by);
  };
  calls_["POST /api/leader/settings"] = [this](const Call& call) {
    return people_.set_settings(call.body(), call.by);
  };
  calls_["GET /api/leader/log"] = [this](const Call& call) {
    return people_.log(call.parameter("from"), call.parameter("count"));
  };
  calls_["GET /api/leader/texts"] = [this](const Call&) { return guides_.files(); };
  calls_["POST /api/leader/texts"] = [this](const Call& call) {
    return guides_.change(call.body(), call.by);
  };
}

void LeaderCalls::add_people_calls() {
  calls_["POST /api/leader/people"] = [this](const Call& call) {
    return people_.invite(call.body(), sessions_->site(call.request), call.by);
  };
  calls_["POST /api/leader/people/many"] = [this](const Call& call) {
    return people_.invite_many(call.body(), sessions_->site(call.request), call.by);
  };
  calls_["POST /api/leader/people/ID"] = [this](const Call& call) {
    return people_.set_state(call.id, call.body(), call.by);
  };
  calls_["POST /api/leader/people/ID/link"] = [this](const Call& call) {
    return people_.new_link(call.id, call.body(), sessions_->site(call.request), call.by);
  };
  calls_["POST /api/leader/people/ID/practised"] = [this](const Call& call) {
    return people_.end_practice(call.id, call.by);
  };
  calls_["POST /api/leader/people/ID/name"] = [this](const Call& call) {
    return people_.rename(call.id, call.body(), call.by);
  };
  calls_["POST /api/leader/people/ID/remove"] = [this](const Call& call) {
    return people_.remove(call.id, call.body(), call.by);
  };
}

void LeaderCalls::add_review_calls() {
  calls_["GET /api/leader/disputes"] = [this](const Call& call) {
    return reviews_.disputes(call.parameter("from"), call.parameter("count"));
  };
  calls_["GET /api/leader/clips"] = [this](const Call& call) {
    return reviews_.find(call.parameter("find"));
  };
  calls_["GET /api/leader/clip"] = [this](const Call& call) {
    return reviews_.clip(call.parameter("task"));
  };
  calls_["GET /api/leader/answers"] = [this](const Call& call) {
    return reviews_.answers(call.parameter("person"), call.parameter("from"),
                            call.parameter("count"));
  };
  calls_["GET /api/leader/decisions"] = [this](const Call& call) {
    return reviews_.decisions(call.parameter("from"), call.parameter("count"));
  };
  calls_["POST /api/leader/decisions"] = [this](const Call& call) {
    return reviews_.decide(call.body(), call.by);
  };
  calls_["POST /api/leader/decisions/undo"] = [this](const Call& call) {
    return reviews_.undo(call.body(), call.by);
  };
}

void LeaderCalls::add_account_calls() {
  calls_["GET /api/leader/leaders"] = [this](const Call& call) {
    return leaders_json(call.leader);
  };
  calls_["POST /api/leader/leaders"] = [this](const Call& call) { return invite_leader(call); };
  calls_["POST /api/leader/leaders/ID/link"] = [this](const Call& call) {
    return new_leader_link(call);
  };
  calls_["POST /api/leader/leaders/ID/remove"] = [this](const Call& call) {
    accounts_->remove(call.id, call.by);
    return Json::object();
  };
  calls_["POST /api/leader/password"] = [this](const Call& call) {
    sessions_->change_password(call.body(), call.request);
    return Json::object();
  };
}

Json LeaderCalls::leaders_json(const Leader& you) {
  Json list = Json::array();
  for (const Leader& leader : accounts_->all(time_now())) {
    list.push_back(leader_json(leader, you.id));
  }
  return {{"leaders", list}};
}

Json LeaderCalls::invite_leader(const Call& call) {
  const std::string token = new_token();
  const Leader leader =
      accounts_->invite(body_value<std::string>(call.body(), "name"), token_hash(token), call.by);
  return {{"leader", leader_json(leader, call.leader.id)},
          {"link", set_up_link(sessions_->site(call.request), token)}};
}

Json LeaderCalls::new_leader_link(const Call& call) {
  const std::string token = new_token();
  const Leader leader = accounts_->set_link(call.id, token_hash(token), call.by);
  return {{"leader", leader_json(leader, call.leader.id)},
          {"link", set_up_link(sessions_->site(call.request), token)}};
}

void LeaderCalls::send_export(const Call& call, HttpResponse* reply) {
  AnnotationResult result = read_result(*project_, store_, 0);
  if (call.parameter("rule") == "model") result.rule = LabelRule::Model;
  if (call.parameter("pseudonyms") == "1") use_pseudonyms(store_->pseudonym_secret(), &result);
  result.videos = call.parameter("videos");
  Download download = download_of(result, call.parameter("format"));
  store_->note(call.by, "exported", call.parameter("format"),
               result.pseudonyms ? "pseudonyms" : "");
  reply->headers.set("Content-Disposition",
                     fmt::format("attachment; filename=\"{}\"", download.name));
  reply->set_body(std::move(download.content), download.type);
}

}  // namespace manyverbs
