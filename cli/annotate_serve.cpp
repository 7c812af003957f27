// SPDX-License-Identifier: MIT
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <thread>

#include <fmt/format.h>

#include "cli/annotate.h"
#include "cli/dataset_text.h"
#include "manyverbs/http/internal/address.h"
#include "manyverbs/server/annotation_server.h"
#include "manyverbs/support/internal/files.h"
#include "manyverbs/support/internal/interruption.h"

namespace manyverbs::cli {
namespace {

// Reads the first line only: editors append a line break.
std::string password_in(const std::string& file) {
  const std::string text = read_file(file);
  const std::string password = text.substr(0, text.find_first_of("\r\n"));
  if (password.empty()) throw Error("{}: the first line is empty, expected a password", file);
  return password;
}

CLI::Validator ip_address() {
  return CLI::Validator(
      [](const std::string& given) {
        if (plain_address(given)) return std::string();
        return fmt::format("'{}' is not an IP address", given);
      },
      "ADDRESS");
}

sigset_t stop_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  return signals;
}

// The first signal stops the server after the current requests; the second one stops it at once.
void run_until_signal(AnnotationServer* server, const sigset_t& signals) {
  std::atomic<bool> done = false;
  std::thread stopper([&] {
    int signal = 0;
    sigwait(&signals, &signal);
    if (done) return;
    server->stop();
    sigwait(&signals, &signal);
    if (!done) _exit(130);  // as main() does
  });
  server->run();
  done = true;
  pthread_kill(stopper.native_handle(), SIGTERM);
  stopper.join();
}

void annotate_serve_command(const Arguments& arguments) {
  CommandLine line("annotate serve",
                   "manyverbs annotate serve project\n"
                   "manyverbs annotate serve project --database postgresql://me@db/verbs "
                   "--public-url https://verbs.example.org --password-file password.txt");
  ProjectOptions options;
  ServeSettings settings;
  std::string password_file;
  add_project_options(line, &options);
  line.app.add_option(
      "--host", settings.host,
      "Address to listen on; 0.0.0.0 accepts the whole network, without encryption");
  line.app.add_option("--port", settings.port, "Port to listen on; 0: any free port")
      ->check(from_to(0, 65535));
  line.app
      .add_option("--public-url", settings.public_url,
                  "URL of a reverse proxy with TLS: https://verbs.example.org, or with a path: "
                  "https://lab.example.org/verbs")
      ->check(public_url());
  line.app
      .add_option(
          "--trusted-proxy", settings.trusted_proxies,
          "IP address of a proxy whose X-Real-IP or X-Forwarded-For header is trusted; may be "
          "repeated; with --public-url, 127.0.0.0/8 and ::1 are trusted too")
      ->check(ip_address());
  line.app
      .add_option("--requests-per-second", settings.requests_per_second,
                  "Most requests per second of one client address; twice as many may come at once; "
                  "0: no limit")
      ->check(from_to(0, 100'000));
  line.app.add_option(
      "--password-file", password_file,
      "Set the password of the leader named 'leader' to the first line of this file; without it, "
      "the first start prints a link to choose a name and a password");
  if (!line.parse(arguments)) return;

  const AnnotationProject project = read_project(options.folder);
  settings.database = options.database;
  if (!password_file.empty()) settings.password = password_in(password_file);
  // Blocks the signals in all threads started from here on, so that only the waiting thread
  // receives them.
  const sigset_t signals = stop_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  stop_if_interrupted();
  AnnotationServer server(project, settings);
  fmt::print("{}: {} at {}\n", project.folder.string(),
             counted(std::ssize(project.tasks), "clip", "clips"), server.url());
  const std::string setup = server.setup_url();
  if (setup.empty()) {
    fmt::print("sign in at {}/lead\n", server.url());
  } else {
    fmt::print("choose a name and a password at {}\n", setup);
  }
  std::fflush(stdout);
  run_until_signal(&server, signals);
}

const Registration kAnnotateServe("annotate serve", annotate_serve_command);

}  // namespace
}  // namespace manyverbs::cli
