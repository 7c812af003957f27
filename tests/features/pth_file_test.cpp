// SPDX-License-Identifier: MIT
#include "manyverbs/features/internal/pth_file.h"

#include <zip.h>

#include <functional>
#include <map>
#include <numeric>

#include <ATen/ATen.h>
#include <fmt/ranges.h>

#include "manyverbs/support/internal/files.h"
#include "tests/learning/tensors.h"
#include "tests/one_thread.h"
#include "tests/scratch.h"

namespace manyverbs {
namespace {

const std::filesystem::path kFolder =
    std::filesystem::path(MANYVERBS_TEST_FOLDER) / "golden" / "checkpoints";

// A zip archive like that of torch.save(), with this pickle and one storage of 16 bytes.
std::filesystem::path write_archive(const ScratchFolder& scratch, const std::string& pickle,
                                    int compression = ZIP_CM_STORE) {
  const std::filesystem::path path = scratch / "x.pth";
  std::filesystem::remove(path);
  const std::string numbers(16, '\0');
  zip_t* archive = zip_open(path.c_str(), ZIP_CREATE, nullptr);
  for (const auto& [name, bytes] :
       {std::pair{"archive/data.pkl", &pickle}, std::pair{"archive/data/0", &numbers}}) {
    zip_source_t* source = zip_source_buffer(archive, bytes->data(), bytes->size(), 0);
    const zip_int64_t index = zip_file_add(archive, name, source, 0);
    zip_set_file_compression(archive, static_cast<zip_uint64_t>(index), compression, 0);
  }
  zip_close(archive);
  return path;
}

std::string text_code(const std::string& text) {
  return fmt::format("X{}{}{}", static_cast<char>(text.size()), std::string(3, '\0'), text);
}
std::string int_code(std::int32_t value) {
  return fmt::format("J{}", std::string_view(reinterpret_cast<const char*>(&value), 4));
}

// {"w": a tensor} of the storage of four floats; offset, sizes and strides are codes.
std::string tensor_pickle(const std::string& offset, const std::string& sizes,
                          const std::string& strides, int count = 4,
                          const std::string& type = "FloatStorage") {
  return fmt::format(
      "\x80\x02}}{}ctorch._utils\n_rebuild_tensor_v2\n(({}ctorch\n{}\n{}{}{}tQ{}({}t({}t\x89}}tRs.",
      text_code("w"), text_code("storage"), type, text_code("0"), text_code("cpu"), int_code(count),
      offset, sizes, strides);
}

std::string problem_with(const ScratchFolder& scratch, const std::string& pickle) {
  const auto path = write_archive(scratch, pickle);
  return error_of(scratch, [&] { read_pth(path); });
}

class PthKinds : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Files, PthKinds, testing::Values("kinds.pth", "kinds-legacy.pth"));

TEST_P(PthKinds, EveryKindOfTensorIsReadAsSavedByPyTorch) {
  const TensorFile file = read_pth(kFolder / GetParam());
  const std::map<std::string, at::Tensor> found(file.tensors.begin(), file.tensors.end());
  ASSERT_EQ(found.size(), 7U);
  EXPECT_EQ(found.at("b").sizes().vec(), (std::vector<std::int64_t>{3, 2}));
  EXPECT_EQ(values_of(found.at("b")), (std::vector<float>{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(found.at("a.0").scalar_type(), at::kLong);
  EXPECT_EQ(found.at("a.0")[1].item<std::int64_t>(), 2);
  EXPECT_EQ(values_of(found.at("a.1")), (std::vector<float>{2.5F}));
  EXPECT_EQ(found.at("a.1").dim(), 0);
  EXPECT_EQ(values_of(found.at("half")), (std::vector<float>{0.5F, -2}));
  EXPECT_EQ(values_of(found.at("brain")), (std::vector<float>{0.5F, -2}));
  EXPECT_EQ(values_of(found.at("part")), (std::vector<float>{3, 5, 7}));
  EXPECT_EQ(values_of(found.at("parameter")), (std::vector<float>{1, 1}));
  EXPECT_EQ(file.metadata.at("yes"), "1");
}

TEST_P(PthKinds, TruncatedAnywhereItIsAnErrorAndNotACrash) {
  const ScratchFolder scratch;
  const std::string whole = read_file(kFolder / GetParam());
  for (std::size_t length = 0; length < whole.size(); length += 3) {
    const auto path = scratch.write("x.pth", whole.substr(0, length));
    EXPECT_NE(error_of(scratch, [&] { read_pth(path); }), "") << length;
  }
}

// The shape and numbers of each tensor: "2x3 1 2 3 4 5 6".
std::vector<std::string> numbers_of(const TensorFile& file) {
  std::vector<std::string> lines;
  for (const auto& [name, tensor] : file.tensors) {
    lines.push_back(fmt::format("{} {}", fmt::join(tensor.sizes(), "x"),
                                fmt::join(values_of(tensor.to(at::kFloat)), " ")));
  }
  return lines;
}

// Parts of an archive have checksums, the older format has none.
TEST_P(PthKinds, WithAnyByteChangedItIsAnErrorOrOneTensorHasOtherNumbers) {
  const ScratchFolder scratch;
  const std::string whole = read_file(kFolder / GetParam());
  const std::vector<std::string> contents = numbers_of(read_pth(kFolder / GetParam()));
  const std::ptrdiff_t most = GetParam() == std::string("kinds.pth") ? 0 : 1;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (const int change : {1, 0x80, 0xff}) {
      std::string damaged = whole;
      damaged[i] = static_cast<char>(damaged[i] ^ change);
      const auto path = scratch.write("x.pth", damaged);
      std::vector<std::string> found;
      const std::string problem = error_of(scratch, [&] { found = numbers_of(read_pth(path)); });
      EXPECT_TRUE(problem.empty() || problem.starts_with("x.pth: ")) << i << problem;
      if (!problem.empty()) continue;
      ASSERT_EQ(found.size(), contents.size()) << i;
      EXPECT_GE(std::inner_product(found.begin(), found.end(), contents.begin(), most, std::plus(),
                                   std::equal_to()),
                std::ssize(contents))
          << i << '\n'
          << fmt::format("{}", fmt::join(found, "\n"));
    }
  }
}

TEST(PthFile, CodeIsReportedAndNotExecuted) {
  const ScratchFolder scratch;
  const auto problem = [&](const char* name) {
    const auto path = scratch.write("x.pth", read_file(kFolder / name));
    return error_of(scratch, [&] { read_pth(path); });
  };
  EXPECT_EQ(problem("attack.pth"),
            "x.pth: refers to 'posix.system', which weights do not need; nothing was executed");
  EXPECT_EQ(
      problem("module.pth"),
      "x.pth: contains a whole module (torch.nn.modules.linear.Linear); save its state_dict() "
      "instead");
  EXPECT_EQ(problem("empty.pth"), "x.pth: has no tensors");
}

TEST(PthFile, OtherFilesAreErrors) {
  const ScratchFolder scratch;
  const auto problem = [&](const std::string& bytes) {
    const auto path = scratch.write("x.pth", bytes);
    return error_of(scratch, [&] { read_pth(path); });
  };
  EXPECT_EQ(problem(""), "x.pth: was not written by torch.save()");
  EXPECT_EQ(problem("hello"), "x.pth: was not written by torch.save()");
  EXPECT_EQ(problem("PK\3\4 and no more"), "x.pth: is truncated or damaged: not a zip archive");
}

TEST(PthFile, SizesAndOffsetsOutsideTheStorageAreErrors) {
  const ScratchFolder scratch;
  const std::string zero = int_code(0);
  const std::string one = int_code(1);
  const std::string two = int_code(2);
  EXPECT_EQ(problem_with(scratch, tensor_pickle(zero, two + two, two + one)), "");
  const std::string damaged = "x.pth: is damaged at 'w'";
  const std::string huge = int_code(2147483647);
  EXPECT_EQ(problem_with(scratch, tensor_pickle(one, two + two, two + one)), damaged);
  EXPECT_EQ(problem_with(scratch, tensor_pickle(int_code(-1), two, one)), damaged);
  EXPECT_EQ(problem_with(scratch, tensor_pickle(zero, int_code(-2), one)), damaged);
  EXPECT_EQ(problem_with(scratch, tensor_pickle(zero, two, int_code(-1))), damaged);
  EXPECT_EQ(problem_with(scratch, tensor_pickle(zero, two + two, one)), damaged);
  EXPECT_EQ(problem_with(scratch, tensor_pickle(zero, huge, zero)), damaged);
  EXPECT_EQ(problem_with(scratch, tensor_pickle(zero, huge + huge + huge, zero + zero + zero)),
            damaged);
  EXPECT_EQ(problem_with(scratch, tensor_pickle(zero, two + two, huge + huge)), damaged);
  EXPECT_EQ(problem_with(scratch, tensor_pickle(zero, two, one, 5)),
            "x.pth: expected 5 numbers, found 4");
  EXPECT_EQ(problem_with(scratch, tensor_pickle(zero, two, one, -1)),
            "x.pth: expected -1 numbers, found 4");
  EXPECT_EQ(problem_with(scratch, tensor_pickle(zero, two, one, 4, "Size")),
            "x.pth: 'w' has the unsupported type torch.Size");
}

TEST(PthFile, EndlessNestingIsAnError) {
  const ScratchFolder scratch;
  // A list that contains itself, and lists that contain the same list twice, nested 40 times.
  const std::string circle("\x80\x02]q\0h\0a.", 9);
  EXPECT_TRUE(problem_with(scratch, circle).starts_with("x.pth: too deeply nested at '0.0.0"));
  std::string doubled = "\x80\x02]";
  for (int i = 0; i < 40; ++i) doubled += "2\x86";
  EXPECT_TRUE(problem_with(scratch, doubled + ".").starts_with("x.pth: too deeply nested"));
  std::string deep = "\x80\x02]";
  for (int i = 0; i < 200000; ++i) deep += '\x85';
  EXPECT_TRUE(problem_with(scratch, deep + ".").starts_with("x.pth: too deeply nested"));
}

TEST(PthFile, ACompressedMemberIsAnError) {
  const ScratchFolder scratch;
  const std::string pickle = tensor_pickle(int_code(0), int_code(2), int_code(1));
  const auto path = write_archive(scratch, pickle, ZIP_CM_DEFLATE);
  EXPECT_EQ(error_of(scratch, [&] { read_pth(path); }),
            "x.pth: 'archive/data.pkl' is compressed, which torch.save() never does");
}

}  // namespace
}  // namespace manyverbs
