// SPDX-License-Identifier: MIT
#include "manyverbs/server/annotation_server.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <utility>

#include "manyverbs/http/internal/address.h"
#include "manyverbs/http/internal/file_response.h"
#include "manyverbs/http/internal/http_error.h"
#include "manyverbs/http/internal/http_server.h"
#include "manyverbs/http/internal/log.h"
#include "manyverbs/http/internal/request_body.h"
#include "manyverbs/server/internal/annotator_api.h"
#include "manyverbs/server/internal/content_policy.h"
#include "manyverbs/server/internal/download.h"
#include "manyverbs/server/internal/leader_api.h"
#include "manyverbs/server/internal/review_api.h"
#include "manyverbs/server/internal/secrets.h"
#include "manyverbs/server/internal/web_replies.h"
#include "manyverbs/server/internal/web_session.h"
#include "manyverbs/support/internal/numbers.h"
#include "web/pages.h"

namespace manyverbs {
namespace {

using Request = HttpRequest;
using Response = HttpResponse;

constexpr std::size_t kLongestPath = 512;
constexpr std::size_t kLargestBody = 64 << 10;
constexpr std::string_view kPeople = "/api/leader/people/";
constexpr std::string_view kJoin = "/join/";
constexpr std::string_view kClips = "/clips/";
constexpr const char* kWelcome = "Open the personal link that you were sent.";

HttpLimits limits_of(const ServeSettings& settings) {
  HttpLimits limits;
  limits.body_bytes = kLargestBody;
  limits.requests_per_second = settings.requests_per_second;
  limits.requests_at_once = 2 * settings.requests_per_second;
  limits.proxies = TrustedProxies(settings.trusted_proxies, !settings.public_url.empty());
  return limits;
}

// A response with the headers that every response has.
HttpResponse new_response() {
  HttpResponse response;
  response.headers = {{"X-Content-Type-Options", "nosniff"},
                      {"Referrer-Policy", "no-referrer"},
                      {"X-Frame-Options", "DENY"},
                      {"Cross-Origin-Resource-Policy", "same-origin"},
                      {"Cross-Origin-Opener-Policy", "same-origin"},
                      {"Cache-Control", "no-store"}};
  return response;
}

// Called before the body is read.
void check_request(const Request& request) {
  if (request.path.size() > kLongestPath) throw HttpError(414, "the path is too long");
  if (request.headers.contains("Content-Encoding")) {
    throw HttpError(415, "bodies must not be compressed");
  }
  if (request.method == "POST" &&
      !request.headers.value("Content-Type").starts_with("application/json")) {
    throw HttpError(415, "bodies must be application/json");
  }
}

// The public URL without a trailing slash; "" if none is set.
std::string public_url_of(const ServeSettings& settings) {
  std::string url = settings.public_url;
  if (url.empty()) return url;
  const std::string problem = public_url_problem(url);
  if (!problem.empty()) throw Error("public URL: {}", problem);
  if (url.ends_with('/')) url.pop_back();
  return url;
}

}  // namespace

class AnnotationServer::State {
 public:
  State(AnnotationProject given, const ServeSettings& settings);

  void listen(const ServeSettings& settings);
  std::string url() const { return url_; }

  AnnotationProject project;
  AnnotationStore store;
  WebSessions sessions;
  std::string path;  // that all pages are under: "" or "/verbs"
  HttpServer http;
  int port = 0;

 private:
  using Handler = std::function<void(const Request&, Response&)>;
  using LeaderCall = std::function<Json(const Request&, const Author&)>;

  void add_pages();
  void add_annotator_calls();
  void add_leader_call(const std::string& where, const LeaderCall& call);
  void add_leader_calls();
  void add_review_calls();
  void add_session_calls();
  HttpHandlers handlers();
  Response answer(const Request& request);
  void find_and_call(const Request& request, Response* reply);
  void join(const Request& request, Response* reply);
  void send_clip(const Request& request, Response* reply);
  void send_export(const Request& request, const Author& by, Response* reply);
  void change_person(const Request& request, Response* reply);

  AnnotatorApi annotators_{&project, &store};
  LiveRound round_{&project, &store};
  LeaderApi leaders_{&project, &store, &round_};
  ReviewApi reviews_{&project, &store, &round_};
  GuideApi guides_{&project, &store};
  const std::string annotate_html_ = page_in_language(kAnnotatePage, project.language);
  FixedPage annotate_page_{annotate_html_};
  FixedPage lead_page_{kLeadPage};
  std::string welcome_ = plain_page("manyverbs", kWelcome, path);
  std::map<std::string, Handler> calls_;  // by "GET /api/annotator"
  std::string url_;
};

AnnotationServer::State::State(AnnotationProject given, const ServeSettings& settings)
    : project(std::move(given)),
      store(settings.database.empty() ? answers_file(project).string() : settings.database,
            project),
      sessions(&store, public_url_of(settings), store.project_id()),
      path(settings.public_url.empty() ? "" : public_path(settings.public_url)),
      http(limits_of(settings), handlers()),
      url_(public_url_of(settings)) {
  make_project_private(project);
  add_pages();
  add_annotator_calls();
  add_leader_calls();
  add_review_calls();
  add_session_calls();
}

void AnnotationServer::State::listen(const ServeSettings& settings) {
  port = http.listen(settings.host, settings.port);
  if (!url_.empty()) return;
  const bool v6 = settings.host.find(':') != std::string::npos;
  url_ = fmt::format("http://{}{}{}:{}", v6 ? "[" : "", settings.host, v6 ? "]" : "", port);
}

void AnnotationServer::State::add_pages() {
  calls_["GET /"] = [this](const Request&, Response& reply) { send_page(welcome_, &reply); };
  calls_["GET /favicon.ico"] = [](const Request&, Response& reply) { reply.status = 204; };
  calls_["GET /lead"] = [this](const Request& request, Response& reply) {
    lead_page_.send(request, &reply);
  };
  calls_["GET /annotate"] = [this](const Request& request, Response& reply) {
    sessions.annotator(request);
    annotate_page_.send(request, &reply);
  };
}

void AnnotationServer::State::add_annotator_calls() {
  using Call = std::function<Json(const Person&, const Request&)>;
  const auto add = [this](const std::string& where, const Call& call) {
    calls_[where] = [this, call](const Request& request, Response& reply) {
      const Person person = sessions.annotator(request);
      annotators_.require_same(person, request.headers.value("X-Manyverbs-Person"));
      send_json(call(person, request), &reply);
    };
  };
  add("GET /api/annotator",
      [this](const Person& person, const Request&) { return annotators_.me(person, time_now()); });
  add("GET /api/annotator/guide",
      [this](const Person&, const Request&) { return annotators_.guide(); });
  add("POST /api/annotator/next", [this](const Person& person, const Request&) {
    return annotators_.next(person, time_now());
  });
  add("POST /api/annotator/answers", [this](const Person& person, const Request& request) {
    return annotators_.save(person, body_json(request.body), time_now());
  });
  add("GET /api/annotator/answers", [this](const Person& person, const Request& request) {
    return annotators_.earlier(person, request.parameter("before"));
  });
  add("POST /api/annotator/reports", [this](const Person& person, const Request& request) {
    return annotators_.report(person, body_json(request.body), time_now());
  });
  add("GET /api/annotator/practice",
      [this](const Person& person, const Request&) { return annotators_.practice(person); });
  add("POST /api/annotator/practice", [this](const Person& person, const Request& request) {
    return annotators_.check_practice(person, body_json(request.body));
  });
  add("POST /api/annotator/practised",
      [this](const Person& person, const Request&) { return annotators_.finish_practice(person); });
}

void AnnotationServer::State::add_leader_call(const std::string& where, const LeaderCall& call) {
  calls_[where] = [this, call](const Request& request, Response& reply) {
    send_json(call(request, sessions.leader(request)), &reply);
  };
}

void AnnotationServer::State::add_leader_calls() {
  const auto add = [this](const std::string& where, const LeaderCall& call) {
    add_leader_call(where, call);
  };
  add("GET /api/leader/overview",
      [this](const Request&, const Author&) { return leaders_.overview(); });
  add("GET /api/leader/reports",
      [this](const Request&, const Author&) { return leaders_.reports(); });
  add("GET /api/leader/remarks", [this](const Request& request, const Author&) {
    return leaders_.remarks(request.parameter("from"), request.parameter("count"));
  });
  add("POST /api/leader/reports/forget", [this](const Request& request, const Author& by) {
    return leaders_.forget_reports(body_json(request.body), by);
  });
  add("POST /api/leader/settings", [this](const Request& request, const Author& by) {
    return leaders_.set_settings(body_json(request.body), by);
  });
  add("POST /api/leader/people", [this](const Request& request, const Author& by) {
    return leaders_.invite(body_json(request.body), sessions.site(request), by);
  });
  add("GET /api/leader/log", [this](const Request& request, const Author&) {
    return leaders_.log(request.parameter("from"), request.parameter("count"));
  });
}

void AnnotationServer::State::add_review_calls() {
  const auto add = [this](const std::string& where, const LeaderCall& call) {
    add_leader_call(where, call);
  };
  add("GET /api/leader/disputes", [this](const Request& request, const Author&) {
    return reviews_.disputes(request.parameter("from"), request.parameter("count"));
  });
  add("GET /api/leader/clips", [this](const Request& request, const Author&) {
    return reviews_.find(request.parameter("find"));
  });
  add("GET /api/leader/clip", [this](const Request& request, const Author&) {
    return reviews_.clip(request.parameter("task"));
  });
  add("GET /api/leader/answers", [this](const Request& request, const Author&) {
    return reviews_.answers(request.parameter("person"), request.parameter("from"),
                            request.parameter("count"));
  });
  add("GET /api/leader/decisions", [this](const Request& request, const Author&) {
    return reviews_.decisions(request.parameter("from"), request.parameter("count"));
  });
  add("POST /api/leader/decisions", [this](const Request& request, const Author& by) {
    return reviews_.decide(body_json(request.body), by);
  });
  add("POST /api/leader/decisions/undo", [this](const Request& request, const Author& by) {
    return reviews_.undo(body_json(request.body), by);
  });
  add("GET /api/leader/texts", [this](const Request&, const Author&) { return guides_.files(); });
  add("POST /api/leader/texts", [this](const Request& request, const Author& by) {
    return guides_.change(body_json(request.body), by);
  });
  calls_["GET /api/leader/export"] = [this](const Request& request, Response& reply) {
    send_export(request, sessions.leader(request), &reply);
  };
}

void AnnotationServer::State::send_export(const Request& request, const Author& by,
                                          Response* reply) {
  AnnotationResult result = read_result(project, &store, 0);
  if (request.parameter("rule") == "model") result.rule = LabelRule::Model;
  if (request.parameter("pseudonyms") == "1") {
    use_pseudonyms(store.pseudonym_secret(), &result);
  }
  result.videos = request.parameter("videos");
  Download download = download_of(result, request.parameter("format"));
  store.note(by, "exported", request.parameter("format"), result.pseudonyms ? "pseudonyms" : "");
  reply->headers.set("Content-Disposition",
                     fmt::format("attachment; filename=\"{}\"", download.name));
  reply->set_body(std::move(download.content), download.type);
}

void AnnotationServer::State::add_session_calls() {
  calls_["GET /api/leader"] = [this](const Request& request, Response& reply) {
    send_json({{"state", sessions.leader_state(request)}}, &reply);
  };
  calls_["POST /api/leader/setup"] = [this](const Request& request, Response& reply) {
    const Json body = body_json(request.body);
    sessions.set_up(body_value<std::string>(body, "token"),
                    body_value<std::string>(body, "password"), &reply);
    send_json({{"state", "signed_in"}}, &reply);
  };
  calls_["POST /api/leader/login"] = [this](const Request& request, Response& reply) {
    sessions.sign_in(body_value<std::string>(body_json(request.body), "password"), request, &reply);
    send_json({{"state", "signed_in"}}, &reply);
  };
  calls_["POST /api/leader/logout"] = [this](const Request& request, Response& reply) {
    sessions.sign_out(request, &reply);
    send_json({{"state", "signed_out"}}, &reply);
  };
}

HttpHandlers AnnotationServer::State::handlers() {
  return {.answer = [this](const Request& request) { return answer(request); },
          .check = check_request,
          .refusal =
              [this](const HttpError& error, const Request& request) {
                Response reply = new_response();
                send_error(error, request, path, &reply);
                return reply;
              },
          .path = path};
}

HttpResponse AnnotationServer::State::answer(const Request& request) {
  Response reply = new_response();
  try {
    if (request.method == "POST") sessions.refuse_other_sites(request);
    find_and_call(request, &reply);
  } catch (const HttpError& error) {
    send_error(error, request, path, &reply);
  } catch (const DatabaseError& problem) {
    log_problem(problem.what());
    send_error(HttpError(503, "the database is not available; nothing was saved"), request, path,
               &reply);
  }
  return reply;
}

void AnnotationServer::State::find_and_call(const Request& request, Response* reply) {
  const std::string method = request.method == "HEAD" ? "GET" : request.method;
  const auto call = calls_.find(method + " " + request.path);
  if (call != calls_.end()) {
    call->second(request, *reply);
  } else if (method == "GET" && request.path.starts_with(kJoin)) {
    join(request, reply);
  } else if (method == "GET" && request.path.starts_with(kClips)) {
    send_clip(request, reply);
  } else if (method == "POST" && request.path.starts_with(kPeople)) {
    change_person(request, reply);
  } else {
    throw HttpError(404, "not found");
  }
}

void AnnotationServer::State::join(const Request& request, Response* reply) {
  sessions.join(request.path.substr(kJoin.size()), reply);
  reply->status = 303;
  reply->headers.set("Location", path + "/annotate");
}

// The name is looked up in the list of tasks, never used as a path.
void AnnotationServer::State::send_clip(const Request& request, Response* reply) {
  const std::string wanted = request.path.substr(1);
  const bool leader = sessions.is_leader(request);
  const auto of_practice =
      std::find_if(project.practice.begin(), project.practice.end(),
                   [&](const AnnotationTask& task) { return task.video == wanted; });
  if (of_practice != project.practice.end()) {
    if (!leader) sessions.annotator(request);
    set_file(project.folder / of_practice->video, "video/mp4", request, reply);
    return;
  }
  std::string_view number = std::string_view(request.path).substr(kClips.size());
  if (number.ends_with(".mp4")) number.remove_suffix(4);
  const AnnotationTask* task = project.find_shown(number_in<int>(number).value_or(0));
  const bool there = task != nullptr && task->video == wanted;
  if (!leader) {
    const Person person = sessions.annotator(request);
    // The same message whether the clip belongs to others or does not exist.
    if (!there || !person.practised || !store.was_given(person.id, task->number)) {
      throw HttpError(403, "this clip was not assigned to you");
    }
  }
  if (!there) throw HttpError(404, "the clip does not exist");
  set_file(project.folder / task->video, "video/mp4", request, reply);
}

// /api/leader/people/ID, /api/leader/people/ID/link and /api/leader/people/ID/practised
void AnnotationServer::State::change_person(const Request& request, Response* reply) {
  const Author by = sessions.leader(request);
  const std::string rest = request.path.substr(kPeople.size());
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  const auto id = number_in<int>(std::string_view(rest).substr(0, slash));
  if (!id) throw HttpError(404, "not found");
  if (slash == rest.size()) {
    send_json(leaders_.set_state(*id, body_json(request.body), by), reply);
  } else if (rest.substr(slash) == "/link") {
    send_json(leaders_.new_link(*id, sessions.site(request), by), reply);
  } else if (rest.substr(slash) == "/practised") {
    send_json(leaders_.end_practice(*id, by), reply);
  } else {
    throw HttpError(404, "not found");
  }
}

AnnotationServer::AnnotationServer(AnnotationProject project, const ServeSettings& settings)
    : state_(std::make_unique<State>(std::move(project), settings)) {
  if (!settings.password.empty() && !is_password(state_->store.password(), settings.password)) {
    require_good_password(settings.password);
    state_->store.set_password(password_hash(settings.password), true);
  }
  state_->listen(settings);
}

AnnotationServer::~AnnotationServer() = default;

int AnnotationServer::port() const { return state_->port; }

std::string AnnotationServer::url() const { return state_->url(); }

std::string AnnotationServer::setup_url() const {
  if (!state_->store.password().empty()) return "";
  return state_->url() + "/lead#setup=" + state_->sessions.setup_token();
}

void AnnotationServer::run() { state_->http.serve(); }

void AnnotationServer::stop() { state_->http.stop(); }

}  // namespace manyverbs
