// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "manyverbs/server/annotation_server.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/json.h"
#include "tests/http_client.h"

namespace manyverbs {

inline constexpr const char* kPassword = "correct horse battery";

/// A server in a thread of the test, on its own port.
class RunningServer {
 public:
  explicit RunningServer(const AnnotationProject& project, ServeSettings settings = {})
      : server_(project, with_free_port(std::move(settings))), thread_([this] { server_.run(); }) {}
  ~RunningServer() {
    server_.stop();
    thread_.join();
  }
  RunningServer(const RunningServer&) = delete;
  RunningServer& operator=(const RunningServer&) = delete;

  int port() const { return server_.port(); }
  std::string setup_url() const { return server_.setup_url(); }

 private:
  static ServeSettings with_free_port(ServeSettings settings) {
    settings.port = 0;
    return settings;
  }
  AnnotationServer server_;
  std::thread thread_;
};

/// An answer in the format of the page.
inline Json sent_answer(int task, const std::vector<int>& chosen, bool confident = true) {
  return {{"task", task},
          {"answer",
           {{"chosen", chosen},
            {"confident", confident},
            {"nothing", chosen.empty()},
            {"milliseconds", 1500}}}};
}

/// The token of a personal link or a set-up link: what follows "#" or "#setup=".
inline std::string token_of(const std::string& link) {
  return link.substr(link.find_last_of("#=") + 1);
}

/// Simulates a browser: keeps cookies and sends the headers of the pages.
class Visitor {
 public:
  explicit Visitor(int port) : client_(std::make_unique<HttpClient>(port)) {}

  ClientReply get(const std::string& path, HttpHeaders headers = {}) {
    if (!cookies_.empty()) headers.add("Cookie", cookies_);
    return remembered(client_->get(path, headers));
  }
  ClientReply post(const std::string& path, const Json& body, HttpHeaders headers = {}) {
    return post_text(path, body.dump(), std::move(headers));
  }
  ClientReply post_text(const std::string& path, const std::string& body,
                        HttpHeaders headers = {}) {
    if (!cookies_.empty()) headers.add("Cookie", cookies_);
    if (!headers.contains("X-Manyverbs")) headers.add("X-Manyverbs", "1");
    return remembered(client_->post(path, body, headers));
  }
  /// The JSON object in the reply. Throws Error if the status is not 200.
  Json get_json(const std::string& path) { return json_of(get(path)); }
  Json post_json(const std::string& path, const Json& body) { return json_of(post(path, body)); }

  /// Signs in with a personal link.
  ClientReply use(const std::string& link) {
    return post("/api/annotator/join", {{"token", token_of(link)}});
  }
  void open(const std::string& link) {
    const ClientReply reply = use(link);
    if (reply.status != 200) throw Error("the link does not work: {}", reply.body);
  }
  /// Signs in with a personal link and finishes the practice, which clips require.
  void join(const std::string& link) {
    open(link);
    const Json practice = get_json("/api/annotator/practice");
    for (const Json& task : practice["tasks"]) {
      post_json("/api/annotator/practice",
                sent_answer(task["task"].get<int>(), {task["candidates"][0]["class"].get<int>()}));
    }
    post_json("/api/annotator/practised", Json::object());
  }
  /// Becomes the first leader with the set-up link of the server.
  void set_up(const std::string& setup_url, const std::string& name = "leader") {
    post_json("/api/leader/setup",
              {{"token", token_of(setup_url)}, {"name", name}, {"password", kPassword}});
  }
  /// Signs in as a leader.
  ClientReply sign_in(const std::string& password = kPassword, const std::string& name = "leader") {
    return post("/api/leader/login", {{"name", name}, {"password", password}});
  }
  /// Invites a person and returns the link.
  std::string invite(const std::string& name) {
    return post_json("/api/leader/people", {{"name", name}})["link"].get<std::string>();
  }
  const std::string& cookies() const { return cookies_; }
  void set_cookies(const std::string& cookies) { cookies_ = cookies; }

 private:
  static Json json_of(const ClientReply& reply) {
    if (reply.status != 200) throw Error("{}: {}", reply.status, reply.body);
    return Json::parse(reply.body);
  }
  ClientReply remembered(ClientReply reply) {
    if (reply.headers.contains("Set-Cookie")) {
      const std::string header = reply.headers.value("Set-Cookie");
      cookies_ = header.substr(0, header.find(';'));
    }
    return reply;
  }

  std::unique_ptr<HttpClient> client_;
  std::string cookies_;
};

}  // namespace manyverbs
