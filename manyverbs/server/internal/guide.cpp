// SPDX-License-Identifier: MIT
#include "manyverbs/server/internal/guide.h"

#include <cassert>
#include <regex>
#include <set>

#include <fmt/ranges.h>

#include "manyverbs/server/internal/private_files.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/csv.h"
#include "manyverbs/support/internal/files.h"
#include "manyverbs/support/internal/json.h"
#include "web/pages.h"

namespace manyverbs {
namespace {

constexpr std::size_t kLongestInstructions = 32'768;
constexpr std::size_t kLongestText = 1'000;  // of a definition or a string
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool is_utf8(std::string_view text) {
  try {
    static_cast<void>(Json(text).dump());
    return true;
  } catch (const Json::type_error&) {
    return false;
  }
}

// Throws Error with the first line that is not UTF-8.
void require_utf8(std::string_view text, const std::filesystem::path& path) {
  int line = 1;
  for (std::size_t at = 0; at <= text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (!is_utf8(text.substr(at, end - at))) {
      throw Error("{}:{}: is not valid UTF-8; save the file with this encoding", path.string(),
                  line);
    }
    at = end + 1;
  }
}

// A row of a table of names and texts.
struct NamedText {
  int line;
  std::string name;
  std::string text;
};

// Throws Error with the line for a second text of a name, and for one that is empty or too long.
std::vector<NamedText> texts_in(std::string_view file, const std::filesystem::path& path,
                                const char* name_column, const char* text_column) {
  require_utf8(file, path);
  const CsvTable table = parse_csv(file, path);
  const int name = table.column(name_column);
  const int text = table.column(text_column);
  std::set<std::string> seen;
  std::vector<NamedText> texts;
  for (const CsvRow& row : table.rows) {
    texts.push_back({row.line, row.fields[name], std::string(trimmed(row.fields[text]))});
    const auto fail = [&](const std::string& problem) {
      throw Error("{}:{}: the {} of '{}' {}", path.string(), row.line, text_column,
                  texts.back().name, problem);
    };
    if (texts.back().text.empty()) fail("is empty");
    if (texts.back().text.size() > kLongestText) {
      fail(
          fmt::format("has {} bytes, expected at most {}", texts.back().text.size(), kLongestText));
    }
    if (!seen.insert(texts.back().name).second) fail("is given twice");
  }
  return texts;
}

// "{done}" and "{total}" of "{done} of {total}".
std::set<std::string> values_in(const std::string& text) {
  static const std::regex value("\\{\\w+\\}");
  return {std::sregex_token_iterator(text.begin(), text.end(), value),
          std::sregex_token_iterator()};
}

constexpr std::string_view kEnglish = R"(# What to do

1. **Watch.** Each clip shows a short action. It plays in a loop, without sound.
2. **Choose every verb that applies.** Often two or more verbs apply. Other people answer the same clips
   independently; there is no single right answer.
3. **Send.** Then the next clip follows.

# How to choose

- **Several verbs for one action:** if two verbs describe the same action equally well, choose both. If one verb says
  exactly what happens and another says the same more generally, choose both, too.
- **Several actions in one clip:** choose the verbs of all of them, also if they follow one another.
- **Only what the clip shows:** do not choose what probably happened before, or what you expect to happen next.
- **If you are not sure:** choose what you think is most likely, and also “Not confident”.
- **If no verb fits:** choose “None of these verbs”, and enter a better one if you know it.
- **If there is no action:** choose “Nothing happens here”.
)";

constexpr std::string_view kGerman = R"(# Die Aufgabe

1. **Ansehen.** Jeder Clip zeigt eine kurze Handlung. Er läuft in einer Schleife, ohne Ton.
2. **Alle passenden Verben auswählen.** Oft passen zwei oder mehr. Andere Personen beantworten dieselben Clips
   unabhängig davon; es gibt nicht nur eine richtige Antwort.
3. **Senden.** Dann folgt der nächste Clip.

# Was passt?

- **Mehrere Verben für eine Handlung:** Wenn zwei Verben dieselbe Handlung gleich gut beschreiben, beide auswählen. Wenn
  ein Verb genau sagt, was passiert, und ein anderes dasselbe allgemeiner sagt, ebenfalls beide.
- **Mehrere Handlungen in einem Clip:** die Verben aller Handlungen auswählen, auch wenn sie aufeinander folgen.
- **Nur was der Clip zeigt:** nicht auswählen, was wahrscheinlich vorher war oder danach zu erwarten ist.
- **Wenn es nicht klar ist:** auswählen, was am wahrscheinlichsten ist, und zusätzlich „Unsicher“.
- **Wenn kein Verb passt:** „Keines dieser Verben“ auswählen und, wenn möglich, ein besseres eingeben.
- **Wenn es keine Handlung gibt:** „Hier passiert nichts“ auswählen.
)";

}  // namespace

std::string parse_instructions(std::string text, const std::filesystem::path& path) {
  if (text.size() > kLongestInstructions) {
    throw Error("{}: has {} bytes, expected at most {}", path.string(), text.size(),
                kLongestInstructions);
  }
  require_utf8(text, path);
  if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
  return text;
}

Definitions read_definitions(const std::filesystem::path& path, const Vocabulary& classes) {
  return parse_definitions(read_file(path), path, classes);
}

Definitions parse_definitions(std::string_view text, const std::filesystem::path& path,
                              const Vocabulary& classes) {
  Definitions definitions;
  for (const NamedText& row : texts_in(text, path, "class", "definition")) {
    const ClassId id = classes.find(row.name);
    if (id < 0) {
      throw Error("{}:{}: '{}' is not a class of the project", path.string(), row.line, row.name);
    }
    definitions.emplace(id, row.text);
  }
  return definitions;
}

AnnotatorStrings parse_strings(std::string_view text, const std::filesystem::path& path) {
  const AnnotatorStrings known = built_in_strings("en");
  AnnotatorStrings strings;
  for (const NamedText& row : texts_in(text, path, "key", "text")) {
    const auto built_in = known.find(row.name);
    if (built_in == known.end()) {
      throw Error("{}:{}: unknown key '{}'; 'manyverbs annotate strings' prints all keys",
                  path.string(), row.line, row.name);
    }
    const std::set<std::string> values = values_in(built_in->second);
    for (const std::string& value : values_in(row.text)) {
      if (values.contains(value)) continue;
      throw Error(
          "{}:{}: '{}' has no value {}; {}", path.string(), row.line, row.name, value,
          values.empty() ? "it has none" : fmt::format("it has {}", fmt::join(values, ", ")));
    }
    strings.emplace(row.name, row.text);
  }
  return strings;
}

AnnotatorStrings built_in_strings(const std::string& language) {
  return Json::parse(kAnnotatorStrings).at(language).get<AnnotatorStrings>();
}

AnnotatorGuide read_guide(const AnnotationProject& project) {
  AnnotatorGuide guide;
  const std::filesystem::path instructions = project.folder / "instructions.md";
  guide.instructions = std::filesystem::exists(instructions)
                           ? parse_instructions(read_file(instructions), instructions)
                           : std::string(default_instructions(project.language));
  const std::filesystem::path definitions = project.folder / "definitions.csv";
  if (std::filesystem::exists(definitions)) {
    guide.definitions = read_definitions(definitions, project.classes);
  }
  const std::filesystem::path strings = project.folder / "strings.csv";
  if (std::filesystem::exists(strings)) guide.strings = parse_strings(read_file(strings), strings);
  return guide;
}

void write_guide(const AnnotationProject& project, const std::filesystem::path& definitions) {
  const std::filesystem::path instructions = project.folder / "instructions.md";
  if (!std::filesystem::exists(instructions)) {
    write_file(instructions, default_instructions(project.language));
    make_private(instructions);
  }
  if (definitions.empty()) return;
  const std::filesystem::path copy = project.folder / "definitions.csv";
  write_file(copy, read_file(definitions));
  make_private(copy);
}

std::string_view default_instructions(std::string_view language) {
  return language == "de" ? kGerman : kEnglish;
}

std::string page_in_language(std::string_view page, std::string_view language) {
  constexpr std::string_view kBuiltIn = "<html lang=\"en\">";
  std::string changed(page);
  const std::size_t at = changed.find(kBuiltIn);
  assert(at != std::string::npos);
  return changed.replace(at, kBuiltIn.size(), fmt::format("<html lang=\"{}\">", language));
}

}  // namespace manyverbs
