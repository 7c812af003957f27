// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace manyverbs {

/// Tokens of links and sessions, and password hashes. Uses libsodium.

/// A random token of 256 bits as 43 URL-safe characters.
std::string new_token();
/// The hash of a token that is stored in the database, as 64 hexadecimal digits. The token cannot
/// be recovered from it.
std::string token_hash(std::string_view token);
/// Compares in constant time.
bool equal_secrets(std::string_view a, std::string_view b);

/// Only one password is hashed at a time: a turn waits for the one before it. Few may wait, because
/// their threads are missing for other requests: more throw HttpError (429), so that many addresses
/// together cannot stop the server with passwords.
class PasswordTurn {
 public:
  static constexpr int kMost = 4;  ///< the current one and those that wait
  PasswordTurn();
  ~PasswordTurn();
  PasswordTurn(const PasswordTurn&) = delete;
  PasswordTurn& operator=(const PasswordTurn&) = delete;
  /// The number of turns at the moment.
  static int count();
};

/// Argon2id hash with salt and cost parameters. Takes about 0.1 s and 64 MB, and a PasswordTurn.
std::string password_hash(const std::string& password);
bool is_password(const std::string& hash, const std::string& password);
/// The hash of no password. is_password() takes as long with it as with others, so that nobody can
/// tell whether a name has a password.
inline constexpr const char* kNoPassword =
    "$argon2id$v=19$m=65536,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$"
    "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// SHA-256 in base64, as used in a Content-Security-Policy.
std::string sha256_base64(std::string_view text);

}  // namespace manyverbs
