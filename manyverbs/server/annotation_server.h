// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "manyverbs/server/project.h"

namespace manyverbs {

struct ServeSettings {
  std::string host = "127.0.0.1";  ///< where to listen
  int port = 8080;                 ///< 0: any that is free
  std::string database = {};       ///< a file or postgresql://…; empty: answers.sqlite
  std::string public_url = {};     ///< of a proxy in front: "https://verbs.example.org"
  /// Addresses of proxies whose X-Real-IP or X-Forwarded-For is believed; with a public URL, this
  /// machine's are too.
  std::vector<std::string> trusted_proxies = {};
  std::string password = {};  ///< of leaders; replaces the one that is set; empty: stays
};

/// The annotation tool as a web server: pages for annotators, who come by personal links, and for
/// leaders, who have a password. Nothing else is reachable without either. See
/// web/src/annotation/api.ts for what it says.
///
///   AnnotationServer server(read_project("project"), {});
///   std::thread stopper([&] { wait_for_signal(); server.stop(); });
///   server.run();
class AnnotationServer {
 public:
  /// Opens the database and listens. Throws Error when either cannot be done, or a setting is
  /// wrong.
  AnnotationServer(AnnotationProject project, const ServeSettings& settings);
  ~AnnotationServer();
  AnnotationServer(const AnnotationServer&) = delete;
  AnnotationServer& operator=(const AnnotationServer&) = delete;

  int port() const;
  /// "http://127.0.0.1:8080", or the public URL.
  std::string url() const;
  /// Where the first leader sets a password; "" when one is set.
  std::string setup_url() const;

  /// Serves until stop() is called, from whatever thread.
  void run();
  void stop();

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace manyverbs
