// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>

#include "tests/transcripts/transcript.h"

namespace manyverbs::transcripts {

/// An empty folder in which commands run one after the other; removed with all they leave in it.
class Shell {
 public:
  /// Programs are looked for in `programs` first; `tests` is what commands find as
  /// MANYVERBS_TEST_FOLDER.
  Shell(const std::filesystem::path& programs, const std::filesystem::path& tests);
  ~Shell();
  Shell(const Shell&) = delete;
  Shell& operator=(const Shell&) = delete;

  /// Runs `bash -c command` without input and waits for its end.
  Outcome run(const std::string& command) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace manyverbs::transcripts
