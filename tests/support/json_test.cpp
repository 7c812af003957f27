// SPDX-License-Identifier: MIT
#include "manyverbs/support/internal/json.h"

#include <limits>

#include "manyverbs/support/internal/files.h"
#include "tests/scratch.h"

namespace manyverbs {
namespace {

TEST(JsonFiles, KeysKeepTheirOrder) {
  const ScratchFolder scratch;
  write_json(scratch / "x.json", {{"zebra", 1}, {"apple", 2}});
  EXPECT_EQ(read_file(scratch / "x.json"), "{\n  \"zebra\": 1,\n  \"apple\": 2\n}\n");
  EXPECT_EQ(read_json(scratch / "x.json").begin().key(), "zebra");
}

TEST(JsonFiles, TextThatIsNotJsonIsAnError) {
  const ScratchFolder scratch;
  scratch.write("x.json", "{\"a\": }");
  EXPECT_EQ(error_of(scratch, [&] { read_json(scratch / "x.json"); }),
            "x.json: is not valid JSON: error at byte 7");
}

TEST(JsonFiles, ANumberThatIsTooLargeIsAnError) {
  const ScratchFolder scratch;
  scratch.write("x.json", "{\"a\": 1e999}");
  EXPECT_EQ(error_of(scratch, [&] { read_json(scratch / "x.json"); }),
            "x.json: contains a number that is too large");
}

TEST(JsonFiles, AMissingKeyOrAWrongTypeIsAnError) {
  const ScratchFolder scratch;
  const Json json = {{"format", "one"}};
  EXPECT_EQ(error_of(scratch, [&] { json_value<int>(json, "name", "x.json"); }),
            "x.json: the key 'name' is missing");
  EXPECT_EQ(error_of(scratch, [&] { json_value<int>(json, "format", "x.json"); }),
            "x.json: the key 'format' has the invalid value \"one\"");
  EXPECT_EQ(error_of(scratch, [&] { json_value<int>(Json::array(), "format", "x.json"); }),
            "x.json: the key 'format' is missing");
}

TEST(JsonFiles, TextThatIsNotUtf8IsAnError) {
  const ScratchFolder scratch;
  EXPECT_EQ(error_of(scratch,
                     [&] {
                       write_json(scratch / "x.json", {{"name", "\xff"}});
                     }),
            "x.json: cannot be written: a name or a path in it is not UTF-8");
  EXPECT_FALSE(std::filesystem::exists(scratch / "x.json"));
}

TEST(JsonFiles, NanIsWrittenAsNull) {
  EXPECT_TRUE(number_or_null(std::numeric_limits<double>::quiet_NaN()).is_null());
  EXPECT_EQ(number_or_null(0.5), 0.5);
}

}  // namespace
}  // namespace manyverbs
