// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace manyverbs {

/// Links, sessions and passwords, by libsodium.

/// 256 random bits as 43 letters that may stand in an address.
std::string new_token();
/// What is kept of a token: who reads the database cannot use it. 64 hexadecimal digits.
std::string token_hash(std::string_view token);
/// Takes the same time wherever texts of one length differ.
bool equal_secrets(std::string_view a, std::string_view b);

/// Argon2id with its salt and costs, about a tenth of a second; one at a time, since each takes
/// 64 MB.
std::string password_hash(const std::string& password);
bool is_password(const std::string& hash, const std::string& password);

/// SHA-256 in base64, as a Content-Security-Policy wants it.
std::string sha256_base64(std::string_view text);

}  // namespace manyverbs
