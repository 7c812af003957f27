// SPDX-License-Identifier: MIT
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <string>
#include <string_view>

#include "manyverbs/support/error.h"

namespace manyverbs {

/// A raw TCP connection to this machine. It can use another loopback address, such as 127.0.0.2, to
/// be counted separately.
class RawClient {
 public:
  explicit RawClient(int port, const std::string& from = "127.0.0.1")
      : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in local{};
    local.sin_family = AF_INET;
    inet_pton(AF_INET, from.c_str(), &local.sin_addr);
    bind(socket_, reinterpret_cast<sockaddr*>(&local), sizeof local);
    sockaddr_in remote = local;
    remote.sin_port = htons(static_cast<std::uint16_t>(port));
    inet_pton(AF_INET, "127.0.0.1", &remote.sin_addr);
    if (connect(socket_, reinterpret_cast<sockaddr*>(&remote), sizeof remote) != 0) {
      throw Error("{}: cannot connect", from);
    }
  }
  ~RawClient() { close(socket_); }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  /// False when the server has hung up, or does not read for half a minute.
  bool say(const std::string& text) const {
    const timeval limit{30, 0};
    setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    const ssize_t sent = send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
    return sent == static_cast<ssize_t>(text.size());
  }
  /// Sends no more, but still listens.
  void end_sending() const { shutdown(socket_, SHUT_WR); }
  /// Reads so many bytes, or fewer when the server has hung up.
  std::string hear_bytes(std::size_t count) const {
    std::string heard(count, '\0');
    const ssize_t size = recv(socket_, heard.data(), count, MSG_WAITALL);
    heard.resize(size > 0 ? size : 0);
    return heard;
  }
  /// All that the server says until it hangs up. Throws Error when it does not within so many
  /// seconds without a word.
  std::string hear(int seconds) const {
    const timeval limit{seconds, 0};
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    std::string heard;
    char bytes[1000];
    ssize_t count = 0;
    while ((count = recv(socket_, bytes, sizeof bytes, 0)) > 0) heard.append(bytes, count);
    if (count < 0 && errno != ECONNRESET) throw Error("the server keeps the connection: {}", heard);
    return heard;
  }
  /// Whether the server closes the connection within the given number of seconds.
  bool is_cut(int seconds) const {
    try {
      hear(seconds);
      return true;
    } catch (const Error&) {
      return false;
    }
  }

 private:
  int socket_;
};

/// The statuses of the replies in the output of a server: "200 404 ".
inline std::string statuses(const std::string& heard) {
  constexpr std::string_view kStart = "HTTP/1.1 ";
  std::string list;
  for (std::size_t at = heard.find(kStart); at != std::string::npos; at = heard.find(kStart, at)) {
    at += kStart.size();
    const std::string status = heard.substr(at, 4);
    if (std::isdigit(static_cast<unsigned char>(status[0])) != 0) list += status;
  }
  return list;
}

}  // namespace manyverbs
