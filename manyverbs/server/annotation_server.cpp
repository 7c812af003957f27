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
#include "manyverbs/server/internal/leader_calls.h"
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
constexpr std::string_view kClips = "/clips/";
constexpr const char* kLeaderName = "leader";
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
  void set_password(const std::string& password);
  std::string setup_url();

  AnnotationProject project;
  AnnotationStore store;
  Leaders leaders{&store.database()};
  WebSessions sessions;
  std::string path;  // that all pages are under: "" or "/verbs"
  HttpServer http;
  int port = 0;

 private:
  using Handler = std::function<void(const Request&, Response&)>;

  void add_pages();
  void add_annotator_calls();
  void add_session_calls();
  HttpHandlers handlers();
  Response answer(const Request& request);
  void find_and_call(const Request& request, Response* reply);
  void send_clip(const Request& request, Response* reply);

  AnnotatorApi annotators_{&project, &store};
  LeaderCalls leader_calls_{&project, &store, &leaders, &sessions};
  const std::string annotate_html_ = page_in_language(kAnnotatePage, project.language);
  FixedPage annotate_page_{annotate_html_};
  FixedPage lead_page_{kLeadPage};
  std::string welcome_ = plain_page("manyverbs", kWelcome, path);
  std::map<std::string, Handler> calls_;  // by "GET /api/annotator"
  std::string url_;
  std::string setup_token_;
};

AnnotationServer::State::State(AnnotationProject given, const ServeSettings& settings)
    : project(std::move(given)),
      store(settings.database.empty() ? answers_file(project).string() : settings.database,
            project),
      sessions(&store, &leaders, public_url_of(settings)),
      path(settings.public_url.empty() ? "" : public_path(settings.public_url)),
      http(limits_of(settings), handlers()),
      url_(public_url_of(settings)) {
  make_project_private(project);
  add_pages();
  add_annotator_calls();
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
  // Also without a session: the page signs in with the token of the link, which is in the fragment,
  // or says in the language of the project that nobody is signed in.
  for (const char* path : {"GET /annotate", "GET /join"}) {
    calls_[path] = [this](const Request& request, Response& reply) {
      annotate_page_.send(request, &reply);
    };
  }
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

void AnnotationServer::State::add_session_calls() {
  calls_["POST /api/annotator/join"] = [this](const Request& request, Response& reply) {
    sessions.join(body_value<std::string>(body_json(request.body), "token"), request, &reply);
    send_json({{"state", "signed_in"}}, &reply);
  };
  calls_["POST /api/annotator/logout"] = [this](const Request& request, Response& reply) {
    if (const std::optional<Person> person = sessions.find_annotator(request)) {
      annotators_.require_same(*person, request.headers.value("X-Manyverbs-Person"));
    }
    sessions.leave(request, &reply);
    send_json({{"state", "signed_out"}}, &reply);
  };
  calls_["GET /api/leader"] = [this](const Request& request, Response& reply) {
    send_json(sessions.leader_session(request), &reply);
  };
  calls_["POST /api/leader/setup/check"] = [this](const Request& request, Response& reply) {
    send_json(sessions.invitee(body_value<std::string>(body_json(request.body), "token")), &reply);
  };
  calls_["POST /api/leader/setup"] = [this](const Request& request, Response& reply) {
    send_json(sessions.set_up(body_json(request.body), &reply), &reply);
  };
  calls_["POST /api/leader/login"] = [this](const Request& request, Response& reply) {
    send_json(sessions.sign_in(body_json(request.body), request, &reply), &reply);
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
  } else if (method == "GET" && request.path.starts_with(kClips)) {
    send_clip(request, reply);
  } else if (method == "GET" && request.path.starts_with("/join/")) {
    throw HttpError(404, kInvalidLink);  // a link of an earlier version
  } else if (!leader_calls_.answer(request, reply)) {
    throw HttpError(404, "not found");
  }
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

// The password of the command line is that of the leader "leader", until a leader changes it.
void AnnotationServer::State::set_password(const std::string& password) {
  if (is_password(leaders.command_line_password(), password)) return;
  require_good_password(password);
  const auto account = leaders.find(kLeaderName, time_now());
  if (account && is_password(account->password, password)) {
    leaders.remember_command_line_password(account->password);
  } else {
    leaders.set_password_of(kLeaderName, password_hash(password), {kCommandLine, time_now()});
  }
}

std::string AnnotationServer::State::setup_url() {
  if (leaders.exist()) return "";
  if (setup_token_.empty()) {
    setup_token_ = new_token();
    leaders.add_first_link(token_hash(setup_token_));
  }
  return url_ + "/lead#setup=" + setup_token_;
}

AnnotationServer::AnnotationServer(AnnotationProject project, const ServeSettings& settings)
    : state_(std::make_unique<State>(std::move(project), settings)) {
  if (!settings.password.empty()) state_->set_password(settings.password);
  state_->listen(settings);
}

AnnotationServer::~AnnotationServer() = default;

int AnnotationServer::port() const { return state_->port; }

std::string AnnotationServer::url() const { return state_->url(); }

std::string AnnotationServer::setup_url() const { return state_->setup_url(); }

void AnnotationServer::run() { state_->http.serve(); }

void AnnotationServer::stop() { state_->http.stop(); }

}  // namespace manyverbs
