// SPDX-License-Identifier: MIT
#include "manyverbs/features/internal/safetensors.h"

#include <cstdint>
#include <cstring>

#include "manyverbs/support/internal/files.h"
#include "tests/learning/tensors.h"
#include "tests/one_thread.h"
#include "tests/scratch.h"

namespace manyverbs {
namespace {

std::string number_bytes(std::initializer_list<float> numbers) {
  std::string bytes(numbers.size() * sizeof(float), '\0');
  std::memcpy(bytes.data(), numbers.begin(), bytes.size());
  return bytes;
}

// A file of the format: the length of the header in 8 bytes, little-endian, the header, numbers.
std::string file_of(const std::string& header, const std::string& numbers) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>(header.size() >> (8 * i) & 0xff);
  return bytes + header + numbers;
}

constexpr const char* kHeader =
    R"({"__metadata__":{"epoch":"3"},"w":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]},)"
    R"("b":{"dtype":"F32","shape":[],"data_offsets":[8,12]}})";

TEST(Safetensors, AFileWrittenByHandIsRead) {
  const ScratchFolder scratch;
  const TensorFile file =
      read_tensors(scratch.write("x.safetensors", file_of(kHeader, number_bytes({1.5F, -2, 7}))));
  EXPECT_EQ(file.metadata.at("epoch"), "3");
  ASSERT_EQ(file.tensors.size(), 2);
  EXPECT_EQ(file.tensors[0].first, "w");
  EXPECT_EQ(file.tensors[0].second.sizes().vec(), (std::vector<std::int64_t>{2, 1}));
  EXPECT_EQ(values_of(file.tensors[0].second), (std::vector<float>{1.5F, -2}));
  EXPECT_EQ(file.tensors[1].second.dim(), 0);
  EXPECT_EQ(values_of(file.tensors[1].second), (std::vector<float>{7}));
}

TEST(Safetensors, EveryByteFollowsTheFormat) {
  const ScratchFolder scratch;
  write_tensors(
      scratch / "x.safetensors",
      {{{"w", tensor_of({1.5F, -2}, {2, 1})}, {"b", tensor_of({7}, {})}}, {{"epoch", "3"}}});
  std::string header = kHeader;
  header.append((8 - header.size() % 8) % 8, ' ');
  EXPECT_EQ(read_file(scratch / "x.safetensors"), file_of(header, number_bytes({1.5F, -2, 7})));
}

TEST(Safetensors, TensorsAreReadBack) {
  const ScratchFolder scratch;
  const at::Tensor turned = tensor_of({1, 2, 3, 4, 5, 6}, {2, 3}).t().requires_grad_(true);
  const TensorFile written = {{{"turned", turned}, {"none", at::empty({0, 4})}},
                              {{"quote \"", "line\nbreak"}}};
  write_tensors(scratch / "x.safetensors", written);
  const TensorFile read = read_tensors(scratch / "x.safetensors");
  EXPECT_EQ(read.metadata, written.metadata);
  ASSERT_EQ(read.tensors.size(), 2);
  EXPECT_EQ(values_of(read.tensors[0].second), (std::vector<float>{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(read.tensors[0].second.sizes().vec(), (std::vector<std::int64_t>{3, 2}));
  EXPECT_EQ(read.tensors[1].second.sizes().vec(), (std::vector<std::int64_t>{0, 4}));
}

TEST(Safetensors, CopyIntoFillsTensorsOfTheSameNames) {
  const at::Tensor place = at::zeros({2}).requires_grad_(true);
  const TensorFile file = {{{"other", at::ones({3})}, {"w", tensor_of({5, 6}, {2})}}, {}};
  file.copy_into({{"w", place}}, "x.safetensors");
  EXPECT_EQ(values_of(place), (std::vector<float>{5, 6}));
}

TEST(Safetensors, CopyIntoReportsMissingNamesAndOtherShapes) {
  const ScratchFolder scratch;
  const TensorFile file = {{{"w", at::ones({3, 2})}}, {}};
  const auto problem = [&](const std::string& name, const at::Tensor& place) {
    return error_of(scratch, [&] { file.copy_into({{name, place}}, scratch / "x.safetensors"); });
  };
  EXPECT_EQ(problem("bias", at::ones({3, 2})), "x.safetensors: has no tensor 'bias'");
  EXPECT_EQ(problem("w", at::ones({2, 3})),
            "x.safetensors: 'w': expected the shape 2 x 3, found 3 x 2");
}

TEST(Safetensors, OtherFilesAreErrors) {
  const ScratchFolder scratch;
  const auto problem = [&](const std::string& bytes) {
    scratch.write("x", bytes);
    return error_of(scratch, [&] { read_tensors(scratch / "x"); });
  };
  const std::string short_file = "x: is truncated or not a safetensors file";
  EXPECT_EQ(error_of(scratch, [&] { read_tensors(scratch / "no"); }),
            "no: No such file or directory");
  EXPECT_EQ(problem(""), short_file);
  EXPECT_EQ(problem("1234567"), short_file);
  EXPECT_EQ(problem(std::string(8, '\xff')), short_file);
  EXPECT_EQ(problem(file_of(kHeader, "").substr(0, 40)), short_file);
  EXPECT_EQ(problem("clip,split,labels\nP01_1,train,cut\n"), short_file);
  EXPECT_EQ(problem(file_of("{\"w\":", "")), "x: is damaged: its header is not JSON");
  EXPECT_EQ(problem(file_of("[1, 2]", "")), "x: is damaged: its header is not JSON");
  EXPECT_EQ(problem(file_of(R"({"w":3})", "")), "x: the key 'dtype' is missing");
  EXPECT_EQ(problem(file_of(kHeader, number_bytes({1.5F, -2}))),
            "x: is truncated or damaged at 'b'");
}

TEST(Safetensors, InconsistentTensorsAreErrors) {
  const ScratchFolder scratch;
  const auto problem = [&](const std::string& type, const std::string& shape,
                           const std::string& offsets) {
    scratch.write(
        "x", file_of(fmt::format(R"({{"w":{{"dtype":"{}","shape":{},"data_offsets":{}}}}})", type,
                                 shape, offsets),
                     number_bytes({1, 2, 3, 4})));
    return error_of(scratch, [&] { read_tensors(scratch / "x"); });
  };
  EXPECT_EQ(problem("F32", "[2,2]", "[0,16]"), "");
  EXPECT_EQ(problem("F8_E4M3", "[2,2]", "[0,4]"), "x: 'w': expected F32, found F8_E4M3");
  EXPECT_EQ(problem("F32", "\"2\"", "[0,8]"), "x: the key 'shape' has the invalid value \"2\"");
  const std::string damaged = "x: is truncated or damaged at 'w'";
  EXPECT_EQ(problem("F32", "[2,2]", "[0,12]"), damaged);
  EXPECT_EQ(problem("F32", "[2,2]", "[4,20]"), damaged);
  EXPECT_EQ(problem("F32", "[2,2]", "[16,0]"), damaged);
  EXPECT_EQ(problem("F32", "[2,2]", "[0,8,16]"), damaged);
  EXPECT_EQ(problem("F32", "[1]", "[-4,0]"), damaged);
  EXPECT_EQ(problem("F32", "[-1,-1]", "[0,4]"), damaged);
  EXPECT_EQ(problem("F32", "[4611686018427387904,4]", "[0,0]"), damaged);
}

// Calls check(damaged bytes) with every byte of the file from `first` on replaced by others.
template <typename Check>
void for_each_damage(const std::string& whole, std::size_t first, std::size_t last,
                     const Check& check) {
  for (std::size_t at = first; at < last; ++at) {
    for (const char damage : {'\0', '\x7f', '9', '"', '\xff'}) {
      if (whole[at] == damage) continue;
      SCOPED_TRACE(fmt::format("byte {} is {:#x}", at, static_cast<unsigned char>(damage)));
      std::string bytes = whole;
      bytes[at] = damage;
      check(bytes);
    }
  }
}

constexpr std::size_t kLengthBytes = 8;
const std::string kWhole = file_of(kHeader, number_bytes({1.5F, -2, 7}));
const std::size_t kNumbersBegin = kWhole.size() - 3 * sizeof(float);

TEST(Safetensors, AnotherLengthOfTheHeaderIsAnError) {
  const ScratchFolder scratch;
  for_each_damage(kWhole, 0, kLengthBytes, [&](const std::string& bytes) {
    scratch.write("x", bytes);
    const std::string problem = error_of(scratch, [&] { read_tensors(scratch / "x"); });
    EXPECT_TRUE(problem == "x: is truncated or not a safetensors file" ||
                problem == "x: is damaged: its header is not JSON")
        << problem;
  });
}

TEST(Safetensors, ADamagedHeaderIsAnErrorOrHasOtherNamesForTheSameNumbers) {
  const ScratchFolder scratch;
  int read = 0;
  for_each_damage(kWhole, kLengthBytes, kNumbersBegin, [&](const std::string& bytes) {
    scratch.write("x", bytes);
    TensorFile file;
    const std::string problem = error_of(scratch, [&] { file = read_tensors(scratch / "x"); });
    if (!problem.empty()) {
      EXPECT_TRUE(problem.starts_with("x: ")) << problem;
      return;
    }
    ++read;
    ASSERT_EQ(file.tensors.size(), 2U);
    EXPECT_EQ(values_of(file.tensors[0].second), (std::vector<float>{1.5F, -2}));
    EXPECT_EQ(values_of(file.tensors[1].second), (std::vector<float>{7}));
    const bool same_metadata = file.metadata == std::map<std::string, std::string>{{"epoch", "3"}};
    EXPECT_FALSE(same_metadata && file.tensors[0].first == "w" && file.tensors[1].first == "b");
  });
  EXPECT_GT(read, 0);
}

TEST(Safetensors, ADamagedNumberChangesNoOther) {
  const ScratchFolder scratch;
  for_each_damage(kWhole, kNumbersBegin, kWhole.size(), [&](const std::string& bytes) {
    const TensorFile file = read_tensors(scratch.write("x", bytes));
    ASSERT_EQ(file.tensors.size(), 2U);
    std::string numbers;
    for (const auto& [name, tensor] : file.tensors) {
      numbers.append(static_cast<const char*>(tensor.data_ptr()), tensor.nbytes());
    }
    EXPECT_EQ(numbers, bytes.substr(kNumbersBegin));
  });
}

TEST(Safetensors, AFullDiskLeavesTheOldFile) {
  const ScratchFolder scratch;
  write_tensors(scratch / "x.safetensors", {{{"w", at::ones({2})}}, {}});
  const std::string before = read_file(scratch / "x.safetensors");
  {
    const FullDisk full(200);
    EXPECT_EQ(error_of(scratch,
                       [&] {
                         write_tensors(scratch / "x.safetensors", {{{"w", at::zeros({100})}}, {}});
                       }),
              "x.safetensors: cannot be written: File too large; the previous content is "
              "unchanged");
  }
  EXPECT_EQ(read_file(scratch / "x.safetensors"), before);
  EXPECT_EQ(scratch.names(), (std::vector<std::string>{"x.safetensors"}));
}

TEST(Safetensors, OtherFloatsBecomeFloat32AndIntegersAreUnchanged) {
  const ScratchFolder scratch;
  const std::string header = R"({"half":{"dtype":"F16","shape":[2],"data_offsets":[0,4]},)"
                             R"("brain":{"dtype":"BF16","shape":[2],"data_offsets":[4,8]},)"
                             R"("double":{"dtype":"F64","shape":[1],"data_offsets":[8,16]},)"
                             R"("count":{"dtype":"I64","shape":[],"data_offsets":[16,24]}})";
  std::string numbers("\x00\x3c\x00\xc0\x80\x3f\x00\xc0", 8);  // 1 and -2 twice
  numbers += std::string("\0\0\0\0\0\0\xf8\x3f", 8) + std::string("\7\0\0\0\0\0\0\0", 8);
  const TensorFile file = read_tensors(scratch.write("x.safetensors", file_of(header, numbers)));
  EXPECT_EQ(values_of(file.tensors[0].second), (std::vector<float>{1, -2}));
  EXPECT_EQ(values_of(file.tensors[1].second), (std::vector<float>{1, -2}));
  EXPECT_EQ(values_of(file.tensors[2].second), (std::vector<float>{1.5F}));
  EXPECT_EQ(file.tensors[3].second.item<std::int64_t>(), 7);
}

}  // namespace
}  // namespace manyverbs
