// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>

#include "tests/transcripts/transcript.h"

namespace manyverbs::transcripts {

/// An empty folder in which commands run one after the other; removed at the end.
class Shell {
 public:
  /// Programs are searched in `programs` first; `tests` is the environment variable
  /// MANYVERBS_TEST_FOLDER.
  Shell(const std::filesystem::path& programs, const std::filesystem::path& tests);
  ~Shell();
  Shell(const Shell&) = delete;
  Shell& operator=(const Shell&) = delete;

  /// Runs `bash -c command` without input and waits until it ends.
  Outcome run(const std::string& command) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace manyverbs::transcripts
