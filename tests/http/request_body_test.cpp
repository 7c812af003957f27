// SPDX-License-Identifier: MIT
#include "manyverbs/http/internal/request_body.h"

#include <gtest/gtest.h>

namespace manyverbs {
namespace {

std::string nested(int depth) {
  return "{\"a\": " + std::string(depth - 1, '[') + std::string(depth - 1, ']') + "}";
}

TEST(RequestBody, DeepNestingIsRejected) {
  EXPECT_EQ(body_json(nested(16)).dump().size(), nested(16).size() - 1) << "no blank";
  for (const int depth : {17, 32'000}) {
    try {
      body_json(nested(depth));
      ADD_FAILURE() << depth;
    } catch (const HttpError& error) {
      EXPECT_EQ(error.status(), 400);
      EXPECT_STREQ(error.what(), "the request body is nested more than 16 levels deep");
    }
  }
}

}  // namespace
}  // namespace manyverbs
