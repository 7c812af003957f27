// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include <httplib.h>

#include "manyverbs/server/internal/refusal.h"
#include "manyverbs/support/internal/json.h"

namespace manyverbs {

/// What the annotation server answers with.

void send_json(const Json& json, httplib::Response* reply);

/// A page with a policy that allows what it holds and nothing else.
void send_page(std::string_view page, httplib::Response* reply);

/// The same for a page that is there as long as the program: its policy is made once, and it is
/// compressed once.
class FixedPage {
 public:
  explicit FixedPage(std::string_view page);
  void send(const httplib::Request& request, httplib::Response* reply) const;

 private:
  std::string_view page_;
  std::string packed_;
  std::string policy_;
};

/// {"error": …} where a page asks, a plain page where a person does.
void send_refusal(const Refusal& refusal, const httplib::Request& request,
                  httplib::Response* reply);

/// An MP4 file, or the part of it that the browser asks for. Browsers keep it and ask each time
/// whether it was replaced; 304 says that it was not. Throws Refusal (416) when there is no such
/// part.
void send_video(const std::filesystem::path& path, const httplib::Request& request,
                httplib::Response* reply);

}  // namespace manyverbs
