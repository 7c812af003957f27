// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "cli/command.h"
#include "manyverbs/server/internal/guide.h"
#include "manyverbs/support/internal/csv.h"

namespace manyverbs::cli {
namespace {

void annotate_strings_command(const Arguments& arguments) {
  CommandLine line(
      "annotate strings",
      "manyverbs annotate strings\n"
      "manyverbs annotate strings --language de | grep -e ^key, -e Verb > strings.csv");
  std::string language = "en";
  line.app.add_option("--language", language, "Language of the texts")
      ->check(one_of(annotation_languages()));
  if (!line.parse(arguments)) return;
  fmt::print("{}", csv_line({"key", "text"}));
  for (const auto& [key, text] : built_in_strings(language))
    fmt::print("{}", csv_line({key, text}));
}

const Registration kAnnotateStrings("annotate strings", annotate_strings_command);

}  // namespace
}  // namespace manyverbs::cli
