// SPDX-License-Identifier: MIT
#pragma once

#include <pwd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/files.h"

namespace manyverbs {

/// A PostgreSQL server for the tests, with a data folder and a socket under /tmp and no network
/// port. It is stopped and removed at the end. PostgreSQL refuses to run as root, so it runs as
/// postgres, the user of Debian's package, if the tests run as root.
class PostgresServer {
 public:
  /// `settings` are command line options of the server: "-c synchronous_commit=off".
  explicit PostgresServer(const std::string& settings = "") {
    std::string name = "/tmp/manyverbs-postgres-XXXXXX";  // sockets have short paths
    if (mkdtemp(name.data()) == nullptr) throw Error("{}: cannot be made", name);
    folder_ = name;
    if (const passwd* user = getpwnam("postgres"); geteuid() == 0 && user != nullptr) {
      if (chown(name.c_str(), user->pw_uid, user->pw_gid) != 0) throw Error("{}: chown", name);
      prefix_ = "runuser -u postgres -- ";
    }
    run(fmt::format("{}{}/initdb -D {}/data -U tester --auth=trust --no-sync", prefix_, programs(),
                    name));
    run(fmt::format("{}{}/pg_ctl -D {}/data -w -l {}/log -o \"-k {} -h '' {}\" start", prefix_,
                    programs(), name, name, name, settings));
  }
  ~PostgresServer() {
    try {
      control("stop -m immediate");
    } catch (const Error&) {  // it has stopped already
    }
    std::filesystem::remove_all(folder_);
  }
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;

  /// The URL of a new, empty database.
  std::string new_database() {
    const std::string name = fmt::format("test{}", ++databases_);
    run(fmt::format("{}/createdb -h {} -U tester {}", programs(), folder_.string(), name));
    return fmt::format("postgresql://tester@/{}?host={}", name, folder_.string());
  }
  /// Runs pg_ctl: "restart -m immediate" simulates a crash.
  void control(const std::string& what) {
    run(fmt::format("{}{}/pg_ctl -D {}/data -w -l {}/log {}", prefix_, programs(), folder_.string(),
                    folder_.string(), what));
  }

  /// The server shared by all tests of the program.
  static PostgresServer& shared() {
    static PostgresServer server;
    return server;
  }

 private:
  static std::string programs() {
    for (const auto& entry : std::filesystem::directory_iterator("/usr/lib/postgresql")) {
      return (entry.path() / "bin").string();
    }
    throw Error("/usr/lib/postgresql: is empty; install the package postgresql");
  }
  void run(const std::string& command) const {
    const std::string log = folder_.string() + "/commands";
    const int status = std::system(("cd / && " + command + " >" + log + " 2>&1").c_str());
    if (status != 0) throw Error("{}: {}", command, read_file(log));
  }

  std::filesystem::path folder_;
  std::string prefix_;
  int databases_ = 0;
};

}  // namespace manyverbs
