// SPDX-License-Identifier: MIT
#include "manyverbs/server/internal/secrets.h"

#include <sodium.h>

#include <array>
#include <atomic>
#include <mutex>

#include "manyverbs/http/internal/http_error.h"

namespace manyverbs {
namespace {

void start_sodium() {
  static const bool started = sodium_init() >= 0;
  if (!started) throw Error("libsodium cannot be initialised");
}

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

template <std::size_t size>
std::string base64(const std::array<unsigned char, size>& bytes, int variant) {
  std::string text(sodium_base64_encoded_len(size, variant), '\0');
  sodium_bin2base64(text.data(), text.size(), bytes.data(), size, variant);
  text.pop_back();  // the terminating zero
  return text;
}

std::mutex password_mutex;
std::atomic<int> password_turns = 0;

}  // namespace

std::string new_token() {
  start_sodium();
  std::array<unsigned char, 32> bytes{};
  randombytes_buf(bytes.data(), bytes.size());
  return base64(bytes, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}

std::string token_hash(std::string_view token) {
  start_sodium();
  std::array<unsigned char, crypto_hash_sha256_BYTES> hash{};
  crypto_hash_sha256(hash.data(), bytes_of(token), token.size());
  std::string text(2 * hash.size() + 1, '\0');
  sodium_bin2hex(text.data(), text.size(), hash.data(), hash.size());
  text.pop_back();
  return text;
}

PasswordTurn::PasswordTurn() {
  if (++password_turns > kMost) {
    --password_turns;
    throw HttpError(429, "too many people are signing in at the moment").set_retry_after(2);
  }
  password_mutex.lock();
}

PasswordTurn::~PasswordTurn() {
  password_mutex.unlock();
  --password_turns;
}

int PasswordTurn::count() { return password_turns; }

bool equal_secrets(std::string_view a, std::string_view b) {
  return a.size() == b.size() && sodium_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::string password_hash(const std::string& password) {
  start_sodium();
  const PasswordTurn turn;
  std::array<char, crypto_pwhash_STRBYTES> hash{};
  if (crypto_pwhash_str(hash.data(), password.data(), password.size(),
                        crypto_pwhash_OPSLIMIT_INTERACTIVE,
                        crypto_pwhash_MEMLIMIT_INTERACTIVE) != 0) {
    throw Error("not enough memory to hash a password");
  }
  return hash.data();
}

bool is_password(const std::string& hash, const std::string& password) {
  start_sodium();
  const PasswordTurn turn;
  return !hash.empty() &&
         crypto_pwhash_str_verify(hash.c_str(), password.data(), password.size()) == 0;
}

std::string sha256_base64(std::string_view text) {
  start_sodium();
  std::array<unsigned char, crypto_hash_sha256_BYTES> hash{};
  crypto_hash_sha256(hash.data(), bytes_of(text), text.size());
  return base64(hash, sodium_base64_VARIANT_ORIGINAL);
}

}  // namespace manyverbs
