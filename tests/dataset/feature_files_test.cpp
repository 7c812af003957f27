// SPDX-License-Identifier: MIT
#include "manyverbs/dataset/internal/feature_files.h"

#include <hdf5.h>

#include <cmath>
#include <map>

#include "manyverbs/support/internal/files.h"
#include "manyverbs/support/internal/json.h"
#include "tests/dataset/npy.h"
#include "tests/scratch.h"

namespace manyverbs {
namespace {

using Names = std::vector<std::string>;

const std::filesystem::path kFeatureFolder =
    std::filesystem::path(MANYVERBS_TEST_FOLDER) / "golden";
const std::filesystem::path kFeatureFiles = kFeatureFolder / "feature_files";

FeatureFile open(const std::string& name, const Names& clips = {}) {
  const std::size_t colon = name.find(':');
  return open_feature_file({.file = kFeatureFiles / name.substr(0, colon),
                            .array = colon == name.npos ? "" : name.substr(colon + 1),
                            .clips = clips});
}

Matrix<float> rows_of(const FeatureFile& file) {
  const ScratchFolder scratch;
  std::vector<FeatureRow> rows;
  for (std::size_t i = 0; i < file.rows; ++i) rows.push_back({0, i});
  write_feature_rows(
      {&file, 1}, rows, [](std::size_t) { return ""; }, scratch / "x.npy");
  const ArrayFile array(scratch / "x.npy");
  Matrix<float> matrix(array.rows(), array.columns());
  for (std::size_t i = 0; i < array.rows(); ++i) array.read_row(i, matrix.row(i).data());
  return matrix;
}

// Without the folder of the files.
std::string problem_with(const FeatureQuery& query) {
  const ScratchFolder scratch;
  std::string text = error_of(scratch, [&] { open_feature_file(query); });
  const std::string prefix = kFeatureFiles.string() + "/";
  for (std::size_t at = 0; (at = text.find(prefix)) != text.npos;) text.erase(at, prefix.size());
  return text;
}
std::string problem_with_bytes(const std::string& bytes) {
  const ScratchFolder scratch;
  const FeatureQuery query{scratch.write("x", bytes)};
  return error_of(scratch, [&] { rows_of(open_feature_file(query)); });
}

// feature_files.py wrote them with the libraries that people use.
TEST(FeatureFiles, EveryLayoutHasTheNamesRowsAndLabelsThatPythonSees) {
  const Json golden = read_json(kFeatureFolder / "feature_files.json");
  for (const auto& [name, expected] : golden.items()) {
    SCOPED_TRACE(name);
    const FeatureFile file = open(name);
    EXPECT_EQ(file.names, expected.at("names").get<Names>());
    EXPECT_EQ(file.labels, expected.at("labels").get<std::vector<std::vector<ClassId>>>());
    const auto rows = expected.at("rows").get<std::vector<std::vector<float>>>();
    const Matrix<float> found = rows_of(file);
    ASSERT_EQ(found.rows(), rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      EXPECT_EQ(std::vector<float>(found.row(i).begin(), found.row(i).end()), rows[i]);
    }
  }
}

TEST(FeatureFiles, TheLayoutIsReported) {
  EXPECT_EQ(open("protocol5.pkl").layout,
            "pickle, 'clip_features' 4 x 8 x 3 float32, mean of 8 frames, clips by 'video_ids'");
  EXPECT_EQ(open("dict.pkl").layout,
            "pickle, one array per clip, 3 float32, mean of 1 to 5 frames");
  EXPECT_EQ(open("dict.npy").layout,
            "NPY with a pickle, one array per clip, 3 float32, mean of 1 to 5 frames");
  EXPECT_EQ(open("frames.npy").layout, "NPY, 4 x 8 x 3 float32, mean of 8 frames");
  EXPECT_EQ(open("names.h5").layout,
            "HDF5, 'features' 4 x 8 x 3 float32, mean of 8 frames, clips by 'video_names'");
  EXPECT_EQ(open("groups.h5:flow").layout,
            "HDF5, one array per clip, 3 float64, mean of 1 to 5 frames");
  EXPECT_EQ(open("brain.safetensors").layout, "safetensors, 'x' 4 x 3 bfloat16");
  EXPECT_EQ(open("header.csv").layout, "CSV, 4 x 3 numbers, clips by the first column");
  EXPECT_EQ(open("objects.npz").layout, "NPZ, 'rgb' 4 x 3 float32, clips by 'names'");
}

TEST(FeatureFiles, NamesOfClipsTellStreamsFromClips) {
  const ScratchFolder scratch;
  const std::string bytes = Npy{.numbers = bytes_of<float>({1, 2, 3, 4, 5, 6})}.bytes();
  write_npz(scratch / "x.npz", {{"a", bytes}, {"b", bytes}});
  EXPECT_EQ(open_feature_file({scratch / "x.npz", "", {"b", "c"}}).layout,
            "NPZ, one array per clip, 3 float32, mean of 2 frames");
  EXPECT_EQ(error_of(scratch,
                     [&] {
                       open_feature_file({scratch / "x.npz", "", {"c", "d"}});
                     }),
            "x.npz: contains 2 arrays (a, b); select one: x.npz:a");
  EXPECT_EQ(open_feature_file({scratch / "x.npz", "a", {"c", "d"}}).rows, 2U);
}

TEST(FeatureFiles, TheStreamOfEachClipMustBeSelected) {
  EXPECT_EQ(problem_with({kFeatureFiles / "streams.pkl"}),
            "streams.pkl: the clip 'P01_01_1' has several arrays; select one: streams.pkl:rgb");
  EXPECT_EQ(problem_with({kFeatureFiles / "streams.pkl", "flwo"}),
            "streams.pkl: unknown array 'flwo'; existing arrays: P01_01_1/rgb, P01_01_1/flow, "
            "P01_01_0/rgb, P01_01_0/flow, P02_03_7/rgb, P02_03_7/flow, P01_02_10/rgb, "
            "P01_02_10/flow");
}

TEST(FeatureFiles, RowsAreJoinedByName) {
  const FeatureFile files[] = {open("dict.pkl")};
  const Names clips = {"P01_02_10", "P01_01_1"};
  const auto rows = rows_of_clips(files, clips, "clips.csv");
  EXPECT_EQ(rows[0].row, 3U);
  EXPECT_EQ(rows[1].row, 0U);
  const ScratchFolder scratch;
  const Names others = {"P01_01_1", "P09"};
  std::string text = error_of(scratch, [&] { rows_of_clips(files, others, "clips.csv"); });
  EXPECT_EQ(text.substr(text.find("dict.pkl")),
            "dict.pkl: has no row for 1 of 2 clips in clips.csv, such as 'P09'; its names are like "
            "'P01_01_0'");
}

TEST(FeatureFiles, SeveralFilesAreJoinedByName) {
  const FeatureFile files[] = {open("matrix.pkl"), open("dict.pkl")};
  const Names clips = {"P02_03_7", "900", "17"};
  const auto rows = rows_of_clips(files, clips, "clips.csv");
  EXPECT_EQ(rows[0].file, 1U);
  EXPECT_EQ(rows[1].file, 0U);
  EXPECT_EQ(rows[1].row, 2U);
  EXPECT_EQ(rows[2].row, 0U);
}

// Samplers that fill the last batch repeat clips.
TEST(FeatureFiles, AClipMayBeRepeatedWithTheSameFeaturesOnly) {
  const ScratchFolder scratch;
  const std::string names = Npy{.type = "|S1", .shape = "(2,)", .numbers = "aa"}.bytes();
  const auto opened = [&](const std::vector<float>& numbers) {
    const std::string matrix = Npy{.shape = "(2, 2)", .numbers = bytes_of(numbers)}.bytes();
    write_npz(scratch / "x.npz", {{"features", matrix}, {"ids", names}});
    return open_feature_file({scratch / "x.npz"});
  };
  const Names clips = {"a"};
  const FeatureFile same[] = {opened({1, 2, 1, 2})};
  EXPECT_EQ(rows_of_clips(same, clips, "clips.csv")[0].row, 0U);
  const FeatureFile different[] = {opened({1, 2, 1, 3})};
  EXPECT_EQ(error_of(scratch, [&] { rows_of_clips(different, clips, "clips.csv"); }),
            "x.npz: row 1: the clip 'a' has other features in row 0 of x.npz");
}

TEST(FeatureFiles, AListIsInTheOrderOfTheClips) {
  const Names clips = {"a", "b", "c", "d"};
  const FeatureFile files[] = {open("list.pkl", clips)};
  EXPECT_EQ(rows_of_clips(files, clips, "clips.csv")[3].row, 3U);
  EXPECT_TRUE(files[0].numbered);
}

TEST(FeatureFiles, NothingInAPickleIsExecuted) {
  EXPECT_EQ(problem_with({kFeatureFiles / "attack.pkl"}),
            "attack.pkl: refers to 'posix.system', which NumPy arrays do not need; nothing was "
            "executed");
  EXPECT_FALSE(std::filesystem::exists("/tmp/manyverbs-was-attacked"));
}

TEST(FeatureFiles, TruncatedFilesAreErrors) {
  for (const auto& entry : std::filesystem::directory_iterator(kFeatureFiles)) {
    const std::string ending = entry.path().extension();
    if (ending == ".csv" || ending == ".tsv" || ending == ".txt") continue;
    const std::string bytes = read_file(entry.path());
    for (const double share : {0.1, 0.5, 0.95}) {
      const std::string text =
          problem_with_bytes(bytes.substr(0, static_cast<std::size_t>(share * bytes.size())));
      EXPECT_TRUE(text.starts_with("x:")) << entry.path() << " " << share << ": " << text;
      EXPECT_EQ(text.find('\n'), text.npos) << text;
    }
  }
  EXPECT_EQ(problem_with_bytes(""), "x: is empty");
}

TEST(FeatureFiles, SizesInHeadersAreNotBelieved) {
  EXPECT_EQ(problem_with_bytes(Npy{.shape = "(1152921504606846976, 3)"}.bytes()),
            "x: the file is truncated: expected 1152921504606846976 x 3 float32, found 0 of very "
            "many numbers");
  EXPECT_EQ(problem_with_bytes(Npy{.shape = "(1152921504606846976, 0)"}.bytes()),
            "x: has no columns");
  EXPECT_EQ(problem_with_bytes(Npy{.shape = "(2, 0, 3)"}.bytes()), "x: has no frames");
  std::string pickle = read_file(kFeatureFiles / "matrix.pkl");
  const std::string shape = "K\x04K\x03\x86";
  ASSERT_NE(pickle.find(shape), pickle.npos);
  pickle.replace(pickle.find(shape), shape.size(),
                 "\x8a\x08" + std::string(7, '\0') + "\x10" + "K\x03\x86");
  EXPECT_EQ(problem_with_bytes(pickle),
            "x: the array 'labels' is damaged: expected 1152921504606846976 x 3 float32, found 48 "
            "bytes");
}

std::string safetensors(const std::string& header, const std::string& numbers) {
  return bytes_of<std::uint64_t>({header.size()}) + header + numbers;
}

TEST(FeatureFiles, ASafetensorsHeaderIsNotBelieved) {
  const auto with = [](const std::string& type, const std::string& shape,
                       const std::string& offsets) {
    return problem_with_bytes(safetensors(R"({"x":{"dtype":")" + type + R"(","shape":)" + shape +
                                              R"(,"data_offsets":)" + offsets + "}}",
                                          bytes_of<float>({1, 2})));
  };
  EXPECT_EQ(with("F32", "[1, 2]", "[0, 8]"), "");
  EXPECT_EQ(with("F32", "[1152921504606846976, 2]", "[0, 8]"), "x: is truncated or damaged at 'x'");
  EXPECT_EQ(with("F32", "[4611686018427387904, 4]", "[0, 8]"), "x: is truncated or damaged at 'x'");
  EXPECT_EQ(with("F32", "[1, 2]", "[8, 16]"), "x: is truncated or damaged at 'x'");
  EXPECT_EQ(with("F32", "[1, 2]", "[16, 8]"), "x: is truncated or damaged at 'x'");
  EXPECT_EQ(with("F32", "[-1, -2]", "[0, 8]"), "x: is truncated or damaged at 'x'");
  EXPECT_EQ(with("F8_E4M3", "[1, 8]", "[0, 8]"), "x: 'x': expected F32, found F8_E4M3");
  EXPECT_EQ(with("I32", "[1, 2]", "[0, 8]"),
            "x: expected float16, float32 or float64, found int32");
  EXPECT_EQ(with("F32", "\"many\"", "[0, 8]"), "x: the key 'shape' has the invalid value \"many\"");
  EXPECT_EQ(problem_with_bytes(safetensors("{]", "")), "x: is damaged: its header is not JSON");
}

TEST(FeatureFiles, APipeIsNotWaitedFor) {
  const ScratchFolder scratch;
  ASSERT_EQ(mkfifo((scratch / "x").c_str(), 0600), 0);
  EXPECT_EQ(error_of(scratch, [&] { open_feature_file({scratch / "x"}); }), "x: is not a file");
}

TEST(FeatureFiles, AnNpzHeaderIsNotBelieved) {
  const ScratchFolder scratch;
  write_npz(scratch / "x.npz", {{"x", Npy{.shape = "(1152921504606846976, 3)"}.bytes()}});
  EXPECT_EQ(error_of(scratch, [&] { open_feature_file({scratch / "x.npz"}); }),
            "x.npz:x: is truncated: expected 1152921504606846976 x 3 float32, found 0 bytes");
}

TEST(FeatureFiles, ContentsThatAreNotFeaturesAreErrors) {
  EXPECT_EQ(problem_with({kFeatureFiles / "complex.pkl"}),
            "complex.pkl: the array 'clip_features' has elements of type '<c8', expected "
            "little-endian floats, whole numbers or texts, such as '<f4'");
  EXPECT_EQ(problem_with({kFeatureFiles / "settings.pkl"}),
            "settings.pkl: contains no NumPy arrays");
  EXPECT_EQ(problem_with({kFeatureFiles / "whole_numbers.h5"}),
            "whole_numbers.h5: expected float16, float32 or float64, found int32");
  EXPECT_EQ(problem_with({kFeatureFiles.parent_path() / "checkpoints/kinds.pth"})
                .substr(kFeatureFiles.parent_path().string().size()),
            "/checkpoints/kinds.pth: was written by torch.save(); save the features as NPY or "
            "safetensors");
}

TEST(FeatureFiles, AnHdf5FileIsNotBelieved) {
  EXPECT_EQ(problem_with({kFeatureFiles / "huge.h5"}),
            "huge.h5: 'rgb' has 1152921504606846976 x 2 float32, but the file has only 1400 bytes");
  EXPECT_EQ(problem_with({kFeatureFiles / "external.h5"}),
            "external.h5: 'rgb' is stored in other files, expected it in this one");
  EXPECT_EQ(problem_with({kFeatureFiles / "lzf.h5"}),
            "lzf.h5: 'rgb' is compressed with filter 32000 'lzf', expected gzip or no compression");
}

// Of zeros.
void add_hdf5_set(hid_t file, const char* name, const std::vector<hsize_t>& sizes) {
  const hid_t space = H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr);
  const hid_t set =
      H5Dcreate2(file, name, H5T_IEEE_F32LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  EXPECT_GE(set, 0) << name;
  H5Dclose(set);
  H5Sclose(space);
}

TEST(FeatureFiles, LabelsWithoutColumnsAreIgnored) {
  const ScratchFolder scratch;
  const hid_t file = H5Fcreate((scratch / "x.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  ASSERT_GE(file, 0);
  add_hdf5_set(file, "features", {2, 3});
  add_hdf5_set(file, "labels", {2, 0});
  H5Fclose(file);
  const FeatureFile opened = open_feature_file({scratch / "x.h5"});
  EXPECT_EQ(opened.rows, 2U);
  EXPECT_TRUE(opened.labels.empty());
  const auto store = open_hdf5(scratch / "x.h5");
  ASSERT_EQ(store->arrays[1].name, "labels");
  const std::size_t rows[] = {0, 1};
  float untouched = 7;
  store->matrix(1)->read(rows, reinterpret_cast<std::byte*>(&untouched));
  EXPECT_EQ(untouched, 7);
}

// Parts of pickles of protocol 2.
std::string pickled_text(const std::string& text) {
  return "U" + std::string(1, static_cast<char>(text.size())) + text;
}
std::string pickled_array(const std::string& shape, const std::string& data) {
  return "cnumpy.core.multiarray\n_reconstruct\n)R(K\x01" + shape + "cnumpy\ndtype\n" +
         pickled_text("f4") + "\x85R(K\x03U\x01<tb\x89" + data + "tb";
}
std::string pickled_object(const std::string& key, const std::string& value) {
  return "\x80\x02}" + pickled_text(key) + value + "s.";
}
const std::string kNoBytes = "c__builtin__\nbytes\n)R";

TEST(FeatureFiles, AnNpzMayHaveAPickledArrayWithoutColumns) {
  const ScratchFolder scratch;
  const std::string matrix = Npy{.numbers = bytes_of<float>({1, 2, 3, 4, 5, 6})}.bytes();
  const std::string shape = {'K', '\x05', 'K', '\0', '\x86'};
  const std::string pickle = pickled_object("none", pickled_array(shape, kNoBytes));
  const std::string object = Npy{.type = "|O", .shape = "()", .numbers = pickle}.bytes();
  write_npz(scratch / "x.npz", {{"features", matrix}, {"more", object}});
  EXPECT_EQ(open_feature_file({scratch / "x.npz"}).layout, "NPZ, 'features' 2 x 3 float32");
  EXPECT_EQ(error_of(scratch,
                     [&] {
                       open_feature_file({scratch / "x.npz", "more/none"});
                     }),
            "x.npz:more/none: has no columns");
}

TEST(FeatureFiles, ObjectsInAnNpzThatAreNoArraysAreLeftOut) {
  const ScratchFolder scratch;
  const std::string matrix = Npy{.numbers = bytes_of<float>({1, 2, 3, 4, 5, 6})}.bytes();
  const std::string names = Npy{.type = "|S1", .shape = "(2,)", .numbers = "ab"}.bytes();
  const auto object = [](const std::string& pickle) {
    return Npy{.type = "|O", .shape = "()", .numbers = pickle}.bytes();
  };
  const std::string settings = object(pickled_object("fps", "K\x19"));
  const std::string attack = object(
      "\x80\x02"
      "cposix\nsystem\n)R.");
  const auto problem = [&](const std::string& array) {
    return error_of(scratch, [&] { open_feature_file({scratch / "x.npz", array}); });
  };
  write_npz(scratch / "x.npz",
            {{"features", matrix}, {"names", names}, {"meta", settings}, {"tool", attack}});
  const FeatureFile file = open_feature_file({scratch / "x.npz"});
  EXPECT_EQ(file.layout, "NPZ, 'features' 2 x 3 float32, clips by 'names'");
  EXPECT_EQ(file.names, (Names{"a", "b"}));
  EXPECT_EQ(problem("meta"), "x.npz:meta: contains no NumPy arrays");
  EXPECT_EQ(problem("meta/fps"), "x.npz:meta: contains no NumPy arrays");
  EXPECT_EQ(problem("tool"),
            "x.npz:tool: refers to 'posix.system', which NumPy arrays do not need; nothing was "
            "executed");
  write_npz(scratch / "x.npz", {{"meta", settings}});
  EXPECT_EQ(problem(""), "x.npz:meta: contains no NumPy arrays");
  // The rows would be taken in the order of the clips.
  write_npz(scratch / "x.npz", {{"features", matrix}, {"names", settings}});
  EXPECT_EQ(problem(""), "x.npz:names: contains no NumPy arrays");
}

TEST(FeatureFiles, AListInAPickleIsNotCopiedWithoutEnd) {
  std::string pickle = "\x80\x02](";
  for (int i = 0; i < 1000; ++i) pickle += "K\x01";
  pickle +=
      "eq\x01"
      "0}(";
  for (int i = 0; i < 2001; ++i) pickle += pickled_text("k") + "h\x01";
  EXPECT_EQ(problem_with_bytes(pickle + "u."), "x: contains more than 2000000 values");
}

TEST(FeatureFiles, AnInvalidShapeInAPickleIsAnError) {
  const auto with = [](const std::string& shape) {
    return problem_with_bytes(pickled_object("a", pickled_array(shape, kNoBytes)));
  };
  EXPECT_EQ(with("J\xfc\xff\xff\xffK\x03\x86"),
            "x: the array 'a' has -4 in its shape, expected whole numbers from 0");
  EXPECT_EQ(with(pickled_text("many") + "\x85"),
            "x: the array 'a' has something other than numbers in its shape, expected whole "
            "numbers from 0");
}

TEST(FeatureFiles, NamesAreFoundAmongManyMatrices) {
  const ScratchFolder scratch;
  std::string header = R"({"a/rgb":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]},)"
                       R"("a/ids":{"dtype":"I64","shape":[2],"data_offsets":[0,16]},)"
                       R"("b/rgb":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]},)"
                       R"("b/ids":{"dtype":"I64","shape":[3],"data_offsets":[0,24]})";
  for (int i = 0; i < 20'000; ++i) {
    header += fmt::format(R"(,"c{}/rgb":{{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]}})", i);
  }
  scratch.write("x", safetensors(header + "}", bytes_of<std::int64_t>({7, 8, 9})));
  const FeatureFile file = open_feature_file({scratch / "x"});
  EXPECT_EQ(file.layout, "safetensors, 'a/rgb' 2 x 1 float32, clips by 'a/ids'");
  EXPECT_EQ(file.names, (Names{"7", "8"}));
}

TEST(FeatureFiles, WrongTextsAreErrorsWithTheirLine) {
  const std::string kUnknown = "x: expected features as NPY, NPZ, pickle, safetensors, HDF5 or CSV";
  EXPECT_EQ(problem_with_bytes("garbage"), kUnknown);
  EXPECT_EQ(problem_with_bytes("a,1,2\nb,1,x\n"), "x:2: column 3: expected a number, found 'x'");
  EXPECT_EQ(problem_with_bytes("clip,u,v\n\na,1,2\nb,1\n"), "x:4: expected 3 fields, found 2");
  EXPECT_EQ(problem_with_bytes("clip,u\na,1e99\n"),
            "x: row 0 (), column 0: expected a finite number, found inf");
  EXPECT_EQ(problem_with_bytes("clip,u\n"), kUnknown);
  EXPECT_EQ(problem_with_bytes("# only\n"), kUnknown);
  EXPECT_EQ(problem_with_bytes(std::string("ab\0c", 4)), kUnknown);
}

TEST(FeatureFiles, AChangedNpzIsDetectedByItsChecksum) {
  std::string bytes = read_file(kFeatureFiles / "names.npz");
  bytes[bytes.find("NUMPY") + 200] ^= 1;
  EXPECT_EQ(problem_with_bytes(bytes), "x:features: is damaged: CRC error");
}

}  // namespace
}  // namespace manyverbs
