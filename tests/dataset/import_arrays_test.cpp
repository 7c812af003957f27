// SPDX-License-Identifier: MIT
#include "manyverbs/dataset/import_arrays.h"

#include <limits>

#include "manyverbs/support/internal/files.h"
#include "tests/dataset/npy.h"
#include "tests/interrupting.h"
#include "tests/scratch.h"

namespace manyverbs {
namespace {

using Names = std::vector<std::string>;

// Two clips, and features of two rows and three columns: {1, 2, 3}, {4, 5, 6}.
class ImportArrays : public testing::Test {
 protected:
  void SetUp() override {
    settings_.clips =
        scratch_.write("clips.csv", "clip,split,labels\na,train,cut\n\n\"b\",test,cut;peel\n");
    settings_.out = scratch_ / "kitchen";
  }

  // The features after an import.
  Matrix<float> imported(const std::string& source) {
    settings_.features = {parse_feature_source((scratch_ / source).string())};
    std::filesystem::remove_all(settings_.out);
    const ArraysImported result = import_arrays(settings_);
    const ArrayFile file(settings_.out / "features" / (settings_.features[0].stream + ".npy"));
    EXPECT_EQ(file.type(), result.streams[0].type);
    Matrix<float> matrix(file.rows(), file.columns());
    for (std::size_t i = 0; i < file.rows(); ++i) file.read_row(i, matrix.row(i).data());
    return matrix;
  }

  // The error of an import of these features, which leaves nothing behind.
  std::string problem_with(const std::string& bytes) {
    const std::filesystem::path file = scratch_.write("x.npy", bytes);
    settings_.features = {{"x", file, ""}};
    return problem();
  }
  std::string problem() {
    const Names before = scratch_.names();
    const std::string text = error_of(scratch_, [&] { import_arrays(settings_); });
    EXPECT_EQ(scratch_.names(), before);
    return text;
  }

  ScratchFolder scratch_;
  ArraysImport settings_;
  const Matrix<float> expected_{2, 3, {1, 2, 3, 4, 5, 6}};
};

TEST_F(ImportArrays, StreamsAreNamedAfterTheirFileOrArray) {
  const auto expect = [](const char* text, const char* stream, const char* file,
                         const char* array) {
    const FeatureSource source = parse_feature_source(text);
    EXPECT_EQ(source.stream, stream);
    EXPECT_EQ(source.file, file);
    EXPECT_EQ(source.array, array);
  };
  expect("a/rgb.npy", "rgb", "a/rgb.npy", "");
  expect("x.npz:flow", "flow", "x.npz", "flow");
  expect("f=x.npz:flow", "f", "x.npz", "flow");
  expect("x.npz", "x", "x.npz", "");
  expect("runs/lr=1/rgb.npy", "rgb", "runs/lr=1/rgb.npy", "");
  EXPECT_THROW(parse_feature_source("=x.npy"), Error);
  EXPECT_THROW(parse_feature_source("x.npz:a/b"), Error);
  EXPECT_THROW(parse_feature_source(""), Error);
}

TEST_F(ImportArrays, CreatesADataSet) {
  scratch_.write("rgb.npy", Npy{.numbers = bytes_of(expected_.values())}.bytes());
  EXPECT_EQ(imported("rgb.npy"), expected_);
  const Dataset dataset = read_dataset(settings_.out);
  EXPECT_EQ(dataset.name, "kitchen");
  EXPECT_EQ(dataset.classes.names(), (Names{"cut", "peel"}));
  EXPECT_EQ(dataset.clips.size(), 2);
  EXPECT_EQ(feature_streams(dataset), Names{"rgb"});
}

TEST_F(ImportArrays, VideoPathsAreRelativeToTheNewFolder) {
  settings_.clips = scratch_.write(
      "clips.csv", "clip,split,labels,video\na,train,cut,a.mp4\nb,test,cut,/far/b.mp4\n");
  scratch_.write("rgb.npy", Npy{.numbers = bytes_of(expected_.values())}.bytes());
  imported("rgb.npy");
  const Dataset dataset = read_dataset(settings_.out);
  EXPECT_EQ(dataset.clips[0].video, "../a.mp4");
  EXPECT_EQ(dataset.clips[1].video, "/far/b.mp4");
}

TEST_F(ImportArrays, ClassesMayBeGiven) {
  scratch_.write("rgb.npy", Npy{.numbers = bytes_of(expected_.values())}.bytes());
  settings_.classes = scratch_.write("classes.csv", "id,name\n0,peel\n1,wash\n2,cut\n");
  settings_.name = "my kitchen";
  imported("rgb.npy");
  const Dataset dataset = read_dataset(settings_.out);
  EXPECT_EQ(dataset.name, "my kitchen");
  EXPECT_EQ(dataset.clips[1].labels, (std::vector<ClassId>{2, 0}));
  settings_.classes = scratch_.write("classes.csv", "id,name\n0,peal\n1,cut\n");
  std::filesystem::remove_all(settings_.out);
  EXPECT_EQ(problem(),
            "clips.csv:4: unknown class 'peel' (there are 2 classes), did you mean 'peal'?");
}

TEST_F(ImportArrays, EveryVersionTypeAndOrderIsRead) {
  const std::string floats = bytes_of(expected_.values());
  const std::string halves =
      bytes_of<std::uint16_t>({0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600});
  const std::string turned_halves =
      bytes_of<std::uint16_t>({0x3c00, 0x4400, 0x4000, 0x4500, 0x4200, 0x4600});
  const std::vector<Npy> files = {
      {.version = 1, .numbers = floats},
      {.version = 2, .numbers = floats},
      {.version = 3, .numbers = floats},
      {.type = "<f2", .numbers = halves},
      {.type = "<f8", .numbers = bytes_of<double>({1, 2, 3, 4, 5, 6})},
      {.fortran_order = true, .numbers = bytes_of<float>({1, 4, 2, 5, 3, 6})},
      {.type = "<f2", .fortran_order = true, .numbers = turned_halves},
      {.type = "<f8", .fortran_order = true, .numbers = bytes_of<double>({1, 4, 2, 5, 3, 6})},
  };
  for (const Npy& file : files) {
    scratch_.write("x.npy", file.bytes());
    EXPECT_EQ(imported("x.npy"), expected_) << file.type << file.fortran_order;
    write_npz(scratch_ / "x.npz", {{"x", file.bytes()}});
    EXPECT_EQ(imported("x.npz"), expected_) << file.type << file.fortran_order;
    EXPECT_EQ(ArrayFile(settings_.out / "features/x.npy").type(),
              file.type == "<f2" ? NumberType::Float16 : NumberType::Float32);
  }
}

// More rows than a tile and more bytes than a block, so that all boundaries are tested.
TEST_F(ImportArrays, LargeFilesInFortranOrderAreConvertedInBlocks) {
  constexpr int kRows = 3000;
  constexpr int kColumns = 3001;
  std::string clips = "clip,split,labels\n";
  for (int i = 0; i < kRows; ++i) clips += fmt::format("c{},train,cut\n", i);
  settings_.clips = scratch_.write("many.csv", clips);
  std::vector<float> turned(static_cast<std::size_t>(kRows) * kColumns);
  for (int j = 0; j < kColumns; ++j) {
    for (int i = 0; i < kRows; ++i) {
      turned[static_cast<std::size_t>(j) * kRows + i] = static_cast<float>(i * 4096 + j);
    }
  }
  scratch_.write("x.npy", Npy{.shape = fmt::format("({}, {})", kRows, kColumns),
                              .fortran_order = true,
                              .numbers = bytes_of(turned)}
                              .bytes());
  const Matrix<float> matrix = imported("x.npy");
  int wrong = 0;
  for (int i = 0; i < kRows; ++i) {
    for (int j = 0; j < kColumns; ++j) {
      wrong += matrix(i, j) == static_cast<float>(i * 4096 + j) ? 0 : 1;
    }
  }
  EXPECT_EQ(wrong, 0);
}

TEST_F(ImportArrays, FilesThatNeedNoConversionAreLinked) {
  settings_.link = true;
  scratch_.write("x.npy", Npy{.numbers = bytes_of(expected_.values())}.bytes());
  EXPECT_EQ(imported("x.npy"), expected_);
  EXPECT_EQ(std::filesystem::read_symlink(settings_.out / "features/x.npy"),
            std::filesystem::canonical(scratch_ / "x.npy"));
  scratch_.write("x.npy",
                 Npy{.type = "<f8", .numbers = bytes_of<double>({1, 2, 3, 4, 5, 6})}.bytes());
  EXPECT_EQ(imported("x.npy"), expected_);
  EXPECT_FALSE(std::filesystem::is_symlink(settings_.out / "features/x.npy"));
  std::filesystem::remove_all(settings_.out);
  EXPECT_EQ(problem_with(Npy{.numbers = bytes_of<float>({1, 2, 3, 4, 5, INFINITY})}.bytes()),
            "x.npy: row 1 (clip 'b', clips.csv:4), column 2: expected a finite number, found inf");
}

TEST_F(ImportArrays, NumbersThatAreNotFiniteAreReportedWithTheirClip) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(problem_with(Npy{.numbers = bytes_of<float>({1, nan, 3, 4, 5, nan})}.bytes()),
            "x.npy: row 0 (clip 'a', clips.csv:2), column 1: expected a finite number, found nan");
  EXPECT_EQ(problem_with(
                Npy{.fortran_order = true, .numbers = bytes_of<float>({1, -INFINITY, 3, 4, 5, 6})}
                    .bytes()),
            "x.npy: row 1 (clip 'b', clips.csv:4), column 0: expected a finite number, found -inf");
  EXPECT_EQ(problem_with(
                Npy{.type = "<f2", .numbers = bytes_of<std::uint16_t>({0, 0, 0x7bff, 0xfc01, 0, 0})}
                    .bytes())
                .substr(0, 46),
            "x.npy: row 1 (clip 'b', clips.csv:4), column 0");
  EXPECT_EQ(
      problem_with(Npy{.type = "<f8", .numbers = bytes_of<double>({1, 2, 1e300, 4, 5, 6})}.bytes()),
      "x.npy: row 0 (clip 'a', clips.csv:2), column 2: expected a finite float32, found 1e+300");
}

TEST_F(ImportArrays, FeaturesHaveOneRowPerClip) {
  EXPECT_EQ(problem_with(Npy{.shape = "(3, 2)", .numbers = bytes_of(expected_.values())}.bytes()),
            "x.npy: expected 2 rows, one per clip in clips.csv, found 3");
}

TEST_F(ImportArrays, FilesThatAreNotAFloatMatrixAreErrors) {
  const std::string six = bytes_of(expected_.values());
  EXPECT_EQ(problem_with("garbage"),
            "x.npy: expected features as NPY, NPZ, pickle, safetensors, HDF5 or CSV");
  EXPECT_EQ(problem_with(Npy{.numbers = six.substr(1)}.bytes()),
            "x.npy: the file is truncated: expected 2 x 3 float32, found 5 of 6 numbers");
  EXPECT_EQ(
      problem_with(Npy{.shape = "(2, 9223372036854775807)", .numbers = six}.bytes()),
      "x.npy: the file is truncated: expected 2 x 9223372036854775807 float32, found 6 of very "
      "many numbers");
  EXPECT_EQ(problem_with(Npy{.shape = "(1, 1, 2, 3)", .numbers = six}.bytes()),
            "x.npy: expected 2 dimensions with one row per clip, or 3 with frames, found 4");
  EXPECT_EQ(problem_with(Npy{.shape = "(2, 0)", .numbers = six}.bytes()), "x.npy: has no columns");
  EXPECT_EQ(problem_with(Npy{.type = "<i4", .numbers = six}.bytes()),
            "x.npy: expected float16, float32 or float64, found int32");
  EXPECT_EQ(problem_with(Npy{.type = ">f4", .numbers = six}.bytes()),
            "x.npy: expected float16, float32 or float64 (little-endian), found '>f4'");
  settings_.features = {{"x", scratch_ / "none.npy", ""}};
  EXPECT_EQ(problem(), "none.npy: No such file or directory");
}

TEST_F(ImportArrays, OneOfSeveralArraysMustBeSelected) {
  const std::string bytes = Npy{.numbers = bytes_of(expected_.values())}.bytes();
  write_npz(scratch_ / "x.npz", {{"rgb", bytes}, {"flow", bytes}});
  EXPECT_EQ(imported("x.npz:flow"), expected_);
  std::filesystem::remove_all(settings_.out);
  settings_.features = {{"x", scratch_ / "x.npz", ""}};
  EXPECT_EQ(problem(), "x.npz: contains 2 arrays (rgb, flow); select one: x.npz:rgb");
  settings_.features = {{"x", scratch_ / "x.npz", "flwo"}};
  EXPECT_EQ(problem(),
            "x.npz: unknown array 'flwo'; existing arrays: rgb, flow, did you mean 'flow'?");
}

TEST_F(ImportArrays, DamagedNpzFilesAreErrors) {
  settings_.features = {{"x", scratch_.write("x.npz", "PK garbage"), ""}};
  EXPECT_EQ(problem(), "x.npz: cannot be read as NPZ: Not a zip archive");
  write_npz(scratch_ / "x.npz", {{"x", "not npy"}});
  EXPECT_EQ(problem(), "x.npz:x: is not an NPY file");
}

TEST_F(ImportArrays, DuplicateStreamNamesAreErrors) {
  const auto file = scratch_.write("x.npy", Npy{.numbers = bytes_of(expected_.values())}.bytes());
  settings_.features = {{"x", file, ""}, {"x", file, ""}};
  EXPECT_EQ(problem(), "duplicate feature stream 'x'; rename one with NAME=x.npy");
}

TEST_F(ImportArrays, AnExistingFolderIsUnchanged) {
  scratch_.write("kitchen/mine", "precious");
  EXPECT_EQ(problem_with(Npy{.numbers = bytes_of(expected_.values())}.bytes()),
            "kitchen: already exists; choose another --out or remove it");
  EXPECT_EQ(read_file(scratch_ / "kitchen/mine"), "precious");
}

TEST_F(ImportArrays, AnInterruptionLeavesNothingBehind) {
  const auto file = scratch_.write("rgb.npy", Npy{.numbers = bytes_of(expected_.values())}.bytes());
  settings_.features = {{"rgb", file, ""}};
  const Names before = scratch_.names();
  EXPECT_EQ(interrupted_at_once([&] { import_arrays(settings_); }), "");
  EXPECT_EQ(scratch_.names(), before);
}

TEST_F(ImportArrays, AFullDiskLeavesNothingBehind) {
  std::string clips = "clip,split,labels\n";
  for (int i = 0; i < 100; ++i) clips += fmt::format("c{},train,cut\n", i);
  settings_.clips = scratch_.write("many.csv", clips);
  const std::string bytes =
      Npy{.shape = "(100, 100)", .numbers = bytes_of(std::vector<float>(10000, 1.0F))}.bytes();
  write_npz(scratch_ / "x.npz", {{"x", bytes}});
  scratch_.write("x.npy", bytes);
  for (const char* file : {"x.npy", "x.npz"}) {
    settings_.features = {{"x", scratch_ / file, ""}};
    std::string text;
    {
      const FullDisk full(20000);
      text = problem();
    }
    EXPECT_NE(text.find(": cannot be written: File too large"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace manyverbs
