// SPDX-License-Identifier: MIT
#include "manyverbs/support/internal/pickle.h"

#include <gtest/gtest.h>

#include "tests/scratch.h"

namespace manyverbs {
namespace {

using Kind = PickleValue::Kind;

Pickle read(const std::string& code) {
  static std::deque<std::string> bytes;  // must outlive the pickle
  return read_pickle(bytes.emplace_back("\x80\x02" + code), "x");
}

std::string problem(const std::string& bytes) {
  const ScratchFolder scratch;
  return error_of(scratch, [&] { read_pickle(bytes, "x"); });
}

TEST(Pickle, NumbersAndTexts) {
  EXPECT_EQ(read("K\x07.")[0].integer, 7);
  EXPECT_EQ(read("J\xfe\xff\xff\xff.")[0].integer, -2);
  EXPECT_EQ(read("M\x01\x02.")[0].integer, 0x201);
  EXPECT_EQ(read("\x8a\x01\xff.")[0].integer, -1);
  EXPECT_EQ(read(std::string("\x8a\x00.", 3))[0].integer, 0);
  EXPECT_EQ(read("\x8a\x05\x01\x02\x03\x04\x05.")[0].integer, 0x504030201);
  EXPECT_EQ(read(std::string("G\x3f\xf8\0\0\0\0\0\0.", 10))[0].number, 1.5);
  EXPECT_EQ(read(std::string("X\x02\0\0\0hi.", 8))[0].text, "hi");
  EXPECT_EQ(read("N.")[0].kind, Kind::None);
  EXPECT_EQ(read("\x88.")[0].kind, Kind::Bool);
}

TEST(Pickle, ADictionaryAlternatesKeysAndValues) {
  const Pickle pickle = read("}(K\x01K\x02K\x03K\x04u.");
  const PickleValue& root = pickle[pickle.root];
  EXPECT_EQ(root.kind, Kind::Dict);
  ASSERT_EQ(root.items.size(), 4U);
  EXPECT_EQ(pickle[root.items[3]].integer, 4);
}

TEST(Pickle, ACallIsStoredAndNotExecuted) {
  const Pickle pickle = read("cos\nsystem\nX\x04" + std::string(3, '\0') + "exit\x85R.");
  const PickleValue& root = pickle[pickle.root];
  EXPECT_EQ(root.kind, Kind::Object);
  EXPECT_EQ(pickle[root.items[0]].text, "os.system");
  EXPECT_EQ(pickle[pickle[root.items[1]].items[0]].text, "exit");
}

TEST(Pickle, BytesAfterItAreIgnored) {
  EXPECT_EQ(read_pickle("\x80\x02K\x07.and more", "x").length, 5U);
}

TEST(Pickle, DamagedPicklesAreErrorsWithAReason) {
  EXPECT_EQ(problem(""), "x: the pickle is damaged: it is truncated");
  EXPECT_EQ(problem("\x80\x02K"), "x: the pickle is damaged: it is truncated");
  EXPECT_EQ(problem("\x80\x02X\xff\xff\xff\xffhi."), "x: the pickle is damaged: it is truncated");
  EXPECT_EQ(problem("\x80\x02."), "x: the pickle is damaged: stack underflow");
  EXPECT_EQ(problem("\x80\x02K\x01(R."), "x: the pickle is damaged: stack underflow");
  EXPECT_EQ(problem("\x80\x02t."), "x: the pickle is damaged: a mark is missing");
  EXPECT_EQ(problem("\x80\x02h\x07."), "x: the pickle is damaged: unknown memo entry");
  EXPECT_EQ(problem("\x80\x02K\x01K\x02\x93."),
            "x: the pickle is damaged: a global without a name");
  EXPECT_EQ(problem("\x80\x01."), "x: expected pickle protocol 2 to 5, found 1");
  EXPECT_EQ(problem("\x80\x02V1\n."), "x: the pickle is damaged: unknown operation 0x56");
}

TEST(Pickle, ManyGlobalsFromOneLongTextAreAnError) {
  const std::string text = std::string("X\x84\x03\0\0", 5) + std::string(900, 'a') + "q\x01";
  EXPECT_EQ(problem("\x80\x02" + text + "h\x01\x93."),
            "x: the pickle is damaged: a global with a long name");
}

TEST(Pickle, TooManyValuesAreAnError) {
  EXPECT_EQ(problem("\x80\x02" + std::string(2'000'002, 'N') + "."),
            "x: the pickle contains more than 2000000 values");
}

}  // namespace
}  // namespace manyverbs
