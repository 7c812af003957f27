// SPDX-License-Identifier: MIT
#include "manyverbs/http/internal/file_response.h"

#include <gtest/gtest.h>

#include "manyverbs/http/internal/http_error.h"
#include "tests/scratch.h"

namespace manyverbs {
namespace {

TEST(RequestedRange, IsLimitedToTheSize) {
  EXPECT_EQ(requested_range("bytes=2-5", 10), (ByteRange{2, 4}));
  EXPECT_EQ(requested_range("bytes=7-", 10), (ByteRange{7, 3}));
  EXPECT_EQ(requested_range("bytes=-4", 10), (ByteRange{6, 4}));
  EXPECT_EQ(requested_range("bytes=-40", 10), (ByteRange{0, 10}));
  EXPECT_EQ(requested_range("bytes=8-99", 10), (ByteRange{8, 2}));
  EXPECT_EQ(requested_range("bytes=10-", 10), (ByteRange{10, 0}));
  for (const std::string odd : {"", "bytes", "bytes=", "bytes=-", "bytes=a-b", "bytes=5-2",
                                "lines=1-2", "bytes=0-1,3-4", "bytes=1-x"}) {
    EXPECT_FALSE(requested_range(odd, 10)) << odd;
  }
}

TEST(FileResponse, SendsAnEmptyFileWhole) {
  const ScratchFolder scratch;
  scratch.write("empty", "");
  HttpResponse response;
  set_file(scratch / "empty", "text/plain", {}, &response);
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body(), "");
  HttpRequest request;
  request.headers = {{"Range", "bytes=0-"}};
  EXPECT_THROW(set_file(scratch / "empty", "text/plain", request, &response), HttpError);
  EXPECT_EQ(response.headers.value("Content-Range"), "bytes */0");
}

// Longer than the part that is read from disk at once.
TEST(FileResponse, SendsAnyPartOfALongFile) {
  const ScratchFolder scratch;
  std::string bytes(20'000'000, 'a');
  for (std::size_t i = 0; i < bytes.size(); i += 1000) bytes[i] = static_cast<char>(i / 1000);
  scratch.write("long", bytes);
  for (const auto& [range, first, count] : {std::tuple("bytes=0-", 0, 20'000'000),
                                            {"bytes=4095-4097", 4095, 3},
                                            {"bytes=19000001-", 19'000'001, 999'999}}) {
    HttpRequest request;
    request.headers = {{"Range", range}};
    HttpResponse response;
    set_file(scratch / "long", "video/mp4", request, &response);
    EXPECT_EQ(response.status, 206);
    EXPECT_TRUE(response.body() == std::string_view(bytes).substr(first, count)) << range;
  }
}

}  // namespace
}  // namespace manyverbs
