// SPDX-License-Identifier: MIT
#include "manyverbs/dataset/array_file.h"

#include <cmath>
#include <limits>

#include "manyverbs/support/internal/files.h"
#include "tests/dataset/npy.h"
#include "tests/scratch.h"

namespace manyverbs {
namespace {

const std::vector<float> kSix = {1, 2, 3, 4, 5, 6};

Matrix<float> read_all(const ArrayFile& file) {
  Matrix<float> matrix(file.rows(), file.columns());
  for (std::size_t i = 0; i < file.rows(); ++i) file.read_row(i, matrix.row(i).data());
  return matrix;
}

TEST(ArrayFile, ReadsEveryVersionOfNpy) {
  const ScratchFolder scratch;
  for (const int version : {1, 2, 3}) {
    const Npy npy{.version = version, .numbers = bytes_of(kSix)};
    const ArrayFile file(scratch.write("x.npy", npy.bytes()));
    EXPECT_EQ(read_all(file), (Matrix<float>(2, 3, kSix)));
  }
}

TEST(ArrayFile, EveryTypeBecomesFloat) {
  const ScratchFolder scratch;
  const Matrix<float> expected(2, 3, kSix);
  const auto read = [&](const std::string& type, const std::string& numbers) {
    return read_all(
        ArrayFile(scratch.write("x.npy", Npy{.type = type, .numbers = numbers}.bytes())));
  };
  EXPECT_EQ(read("<f4", bytes_of(kSix)), expected);
  EXPECT_EQ(read("<f8", bytes_of<double>({1, 2, 3, 4, 5, 6})), expected);
  EXPECT_EQ(read("<i4", bytes_of<std::int32_t>({1, 2, 3, 4, 5, 6})), expected);
  EXPECT_EQ(read("<i8", bytes_of<std::int64_t>({1, 2, 3, 4, 5, 6})), expected);
  EXPECT_EQ(read("<f2", bytes_of<std::uint16_t>({0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600})),
            expected);
}

// IEEE 754 binary16 by its definition.
float defined_half(unsigned bits) {
  const int exponent = static_cast<int>(bits >> 10U & 31U);
  const auto mantissa = static_cast<float>(bits & 1023U);
  float value = std::ldexp(exponent == 0 ? mantissa : 1024 + mantissa, std::max(exponent, 1) - 25);
  if (exponent == 31) value = mantissa == 0 ? INFINITY : NAN;
  return (bits & 0x8000U) != 0 ? -value : value;
}

TEST(ArrayFile, EveryFloat16IsReadAsDefined) {
  const ScratchFolder scratch;
  std::vector<Half> halves(1 << 16);
  for (std::size_t i = 0; i < halves.size(); ++i) halves[i].bits = static_cast<std::uint16_t>(i);
  ArrayWriter writer(scratch / "x.npy", NumberType::Float16, 1, halves.size());
  writer.write(halves.data(), halves.size());
  writer.commit();
  std::vector<float> read(halves.size());
  ArrayFile(scratch / "x.npy").read_row(0, read.data());
  for (std::size_t i = 0; i < halves.size(); ++i) {
    const float expected = defined_half(halves[i].bits);
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(read[i])) << i;
    } else {
      EXPECT_EQ(read[i], expected) << i;
    }
    EXPECT_EQ(std::signbit(read[i]), (halves[i].bits & 0x8000U) != 0) << i;
  }
}

TEST(ArrayFile, Float16KeepsItsSpecialValues) {
  const ScratchFolder scratch;
  const std::vector<std::uint16_t> halves = {0x0000, 0x8000, 0x0001, 0x03ff, 0x0400, 0x3555,
                                             0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00};
  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> floats = {0.0F,
                                     -0.0F,
                                     std::ldexp(1.0F, -24),
                                     std::ldexp(1023.0F, -24),
                                     std::ldexp(1.0F, -14),
                                     std::ldexp(1365.0F, -12),
                                     65504.0F,
                                     -65504.0F,
                                     infinity,
                                     -infinity};
  {
    ArrayWriter writer(scratch / "x.npy", NumberType::Float16, 1, halves.size());
    writer.write(halves.data(), halves.size());
    writer.commit();
  }
  const ArrayFile file(scratch / "x.npy");
  EXPECT_EQ(file.type(), NumberType::Float16);
  EXPECT_EQ(std::memcmp(file.data(), halves.data(), halves.size() * 2), 0);
  std::vector<float> row(halves.size());
  file.read_row(0, row.data());
  for (std::size_t i = 0; i < floats.size(); ++i) {
    EXPECT_EQ(row[i], floats[i]);
    EXPECT_EQ(std::signbit(row[i]), std::signbit(floats[i]));
  }
  EXPECT_TRUE(std::isnan(row.back()));
}

TEST(ArrayFile, WhatIsWrittenIsReadBackAndStartsAtAMultipleOf64Bytes) {
  const ScratchFolder scratch;
  const Matrix<float> floats(2, 3, kSix);
  write_array(scratch / "f.npy", floats);
  EXPECT_EQ(read_float_array(scratch / "f.npy"), floats);
  const Matrix<std::int32_t> ints(3, 1, {-1, 0, 2147483647});
  write_array(scratch / "i.npy", ints);
  EXPECT_EQ(read_int_array(scratch / "i.npy"), ints);
  EXPECT_EQ((std::filesystem::file_size(scratch / "f.npy") - 24) % 64, 0);
  EXPECT_EQ(error_of(scratch, [&] { read_int_array(scratch / "f.npy"); }),
            "f.npy: expected int32, found float32");
}

TEST(ArrayFile, AFileWithoutRowsIsValid) {
  const ScratchFolder scratch;
  write_array(scratch / "x.npy", Matrix<float>(0, 5));
  EXPECT_EQ(ArrayFile(scratch / "x.npy").rows(), 0);
  EXPECT_EQ(ArrayFile(scratch / "x.npy").columns(), 5);
}

TEST(ArrayFile, FilesThatAreNotAMatrixAreErrors) {
  const ScratchFolder scratch;
  const auto problem = [&](const std::string& bytes) {
    scratch.write("x.npy", bytes);
    return error_of(scratch, [&] { ArrayFile file(scratch / "x.npy"); });
  };
  const std::string six = bytes_of(kSix);
  EXPECT_EQ(problem(""), "x.npy: is not an NPY file");
  EXPECT_EQ(problem("clip,split,labels\n"), "x.npy: is not an NPY file");
  EXPECT_EQ(problem(Npy{.version = 4, .numbers = six}.bytes()),
            "x.npy: expected NPY version 1, 2 or 3, found 4");
  EXPECT_EQ(problem(Npy{.numbers = six}.bytes().substr(0, 40)),
            "x.npy: the file ends inside its header");
  EXPECT_EQ(problem(Npy{.type = "|O", .numbers = six}.bytes()),
            "x.npy: expected float16, float32 or float64 (little-endian), found '|O'");
  EXPECT_EQ(problem(Npy{.shape = "(2, x)", .numbers = six}.bytes()),
            "x.npy: the header has no valid shape");
  EXPECT_EQ(problem(Npy{.shape = "(-2, 3)", .numbers = six}.bytes()),
            "x.npy: the header has no valid shape");
  EXPECT_EQ(problem(Npy{.shape = "(1, 2, 3)", .numbers = six}.bytes()),
            "x.npy: expected 2 dimensions with one row per clip, found 3");
  EXPECT_EQ(problem(Npy{.shape = "(6,)", .numbers = six}.bytes()),
            "x.npy: expected 2 dimensions with one row per clip, found 1");
  EXPECT_EQ(problem(Npy{.fortran_order = true, .numbers = six}.bytes()),
            "x.npy: is in Fortran order; convert it with 'manyverbs import arrays'");
  EXPECT_EQ(problem(Npy{.shape = "(3, 3)", .numbers = six}.bytes()),
            "x.npy: the file is truncated: expected 3 x 3 float32, found only 2 complete rows");
}

TEST(ArrayFile, SizesThatOverflowAreErrors) {
  const ScratchFolder scratch;
  for (const std::string shape : {"(1, 4611686018427387904)", "(4611686018427387904, 4)",
                                  "(9223372036854775807, 9223372036854775807)"}) {
    scratch.write("x.npy", Npy{.shape = shape, .numbers = bytes_of(kSix)}.bytes());
    EXPECT_NE(error_of(scratch, [&] { ArrayFile file(scratch / "x.npy"); }), "");
  }
  scratch.write("x.npy", Npy{.shape = "(1, 99999999999999999999)"}.bytes());
  EXPECT_EQ(error_of(scratch, [&] { ArrayFile file(scratch / "x.npy"); }),
            "x.npy: the header has no valid shape");
}

TEST(ArrayFile, AHeaderWithoutTheOrderIsAnError) {
  const ScratchFolder scratch;
  std::string bytes = Npy{.fortran_order = true, .numbers = bytes_of(kSix)}.bytes();
  bytes.replace(bytes.find("True"), 4, "Ture");
  scratch.write("x.npy", bytes);
  EXPECT_EQ(error_of(scratch, [&] { ArrayFile file(scratch / "x.npy"); }),
            "x.npy: the header has no fortran_order, expected True or False");
}

// Three bytes too short, numbers would begin in the header.
TEST(ArrayFile, AHeaderOfTheWrongLengthIsAnError) {
  const ScratchFolder scratch;
  std::string bytes = Npy{.numbers = bytes_of(kSix)}.bytes();
  bytes[8] = static_cast<char>(bytes[8] - 3);
  scratch.write("x.npy", bytes);
  EXPECT_EQ(error_of(scratch, [&] { ArrayFile file(scratch / "x.npy"); }),
            "x.npy: the header does not end in a line break");
}

TEST(ArrayFile, DamageToTheHeaderIsAnErrorOrHasNoEffect) {
  const ScratchFolder scratch;
  const std::string whole = Npy{.numbers = bytes_of(kSix)}.bytes();
  int errors = 0;
  for (std::size_t at = 0; at + 24 < whole.size(); ++at) {
    for (const char damage : {'\0', '\x7f', '9', '\''}) {
      std::string bytes = whole;
      bytes[at] = damage;
      scratch.write("x.npy", bytes);
      const std::string problem = error_of(scratch, [&] {
        EXPECT_EQ(read_all(ArrayFile(scratch / "x.npy")), (Matrix<float>(2, 3, kSix))) << at;
      });
      if (problem.empty()) continue;
      EXPECT_TRUE(problem.starts_with("x.npy: ")) << problem;
      ++errors;
    }
  }
  EXPECT_GT(errors, 100);
}

}  // namespace
}  // namespace manyverbs
