// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <httplib.h>

#include "manyverbs/server/annotation_server.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/json.h"

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

/// Simulates a browser: keeps cookies and sends the headers of the pages.
class Visitor {
 public:
  explicit Visitor(int port) : client_(std::make_unique<httplib::Client>("127.0.0.1", port)) {
    client_->set_keep_alive(true);
    client_->set_tcp_nodelay(true);
    client_->set_read_timeout(30);
  }

  httplib::Result get(const std::string& path, httplib::Headers headers = {}) {
    if (!cookies_.empty()) headers.emplace("Cookie", cookies_);
    return remembered(client_->Get(path, headers));
  }
  httplib::Result post(const std::string& path, const Json& body, httplib::Headers headers = {}) {
    return post_text(path, body.dump(), std::move(headers));
  }
  httplib::Result post_text(const std::string& path, const std::string& body,
                            httplib::Headers headers = {}) {
    if (!cookies_.empty()) headers.emplace("Cookie", cookies_);
    if (headers.find("X-Manyverbs") == headers.end()) headers.emplace("X-Manyverbs", "1");
    return remembered(client_->Post(path, headers, body, "application/json"));
  }
  /// The JSON object in the reply. Throws Error if the status is not 200.
  Json get_json(const std::string& path) { return json_of(get(path)); }
  Json post_json(const std::string& path, const Json& body) { return json_of(post(path, body)); }

  /// Opens a personal link.
  void join(const std::string& link) {
    const httplib::Result reply = get(link.substr(link.find("/join/")));
    if (!reply || reply->status != 303) throw Error("the link does not work");
  }
  /// Sets the password with the setup link of the server.
  void set_up(const std::string& setup_url) {
    const std::string token = setup_url.substr(setup_url.find('=') + 1);
    post_json("/api/leader/setup", {{"token", token}, {"password", kPassword}});
  }
  /// Invites a person and returns the link.
  std::string invite(const std::string& name) {
    return post_json("/api/leader/people", {{"name", name}})["link"].get<std::string>();
  }
  const std::string& cookies() const { return cookies_; }
  void set_cookies(const std::string& cookies) { cookies_ = cookies; }

 private:
  static Json json_of(const httplib::Result& reply) {
    if (!reply) throw Error("no reply: {}", httplib::to_string(reply.error()));
    if (reply->status != 200) throw Error("{}: {}", reply->status, reply->body);
    return Json::parse(reply->body);
  }
  httplib::Result remembered(httplib::Result reply) {
    if (reply && reply->has_header("Set-Cookie")) {
      const std::string header = reply->get_header_value("Set-Cookie");
      cookies_ = header.substr(0, header.find(';'));
    }
    return reply;
  }

  std::unique_ptr<httplib::Client> client_;
  std::string cookies_;
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

}  // namespace manyverbs
