// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "manyverbs/server/project.h"

namespace manyverbs {

struct ServeSettings {
  std::string host = "127.0.0.1";  ///< the address to listen on
  int port = 8080;                 ///< 0: any free port
  std::string database = {};       ///< SQLite file or postgresql://…; empty: answers.sqlite
  /// The URL of a reverse proxy: "https://verbs.example.org", or with a path, which the proxy must
  /// not remove from requests: "https://lab.example.org/verbs".
  std::string public_url = {};
  /// IP addresses of proxies whose X-Real-IP or X-Forwarded-For header is trusted. With a public
  /// URL, the loopback addresses are trusted too.
  std::vector<std::string> trusted_proxies = {};
  int requests_per_second = 500;  ///< per client address, twice as many at once; 0: no limit
  std::string password = {};      ///< of the leader "leader", who is created; empty: unchanged
};

/// The web server of the annotation tool. Annotators sign in with personal links, leaders with a
/// password; everything else needs one of the two. web/src/annotation/api.ts describes the HTTP
/// API.
///
///   AnnotationServer server(read_project("project"), {});
///   std::thread stopper([&] { wait_for_signal(); server.stop(); });
///   server.run();
class AnnotationServer {
 public:
  /// Opens the database and starts listening. Throws Error when either fails or a setting is
  /// invalid.
  AnnotationServer(AnnotationProject project, const ServeSettings& settings);
  ~AnnotationServer();
  AnnotationServer(const AnnotationServer&) = delete;
  AnnotationServer& operator=(const AnnotationServer&) = delete;

  int port() const;
  /// "http://127.0.0.1:8080", or the public URL.
  std::string url() const;
  /// The page where the first leader sets name and password; "" if there is a leader. Works on all
  /// servers of the project.
  std::string setup_url() const;

  /// Serves requests until stop() is called, from any thread.
  void run();
  void stop();

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace manyverbs
