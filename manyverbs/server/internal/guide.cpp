// SPDX-License-Identifier: MIT
#include "manyverbs/server/internal/guide.h"

#include <cassert>

#include "manyverbs/server/internal/private_files.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/csv.h"
#include "manyverbs/support/internal/files.h"
#include "manyverbs/support/internal/json.h"

namespace manyverbs {
namespace {

constexpr std::size_t kLongestInstructions = 32'768;
constexpr std::size_t kLongestDefinition = 1'000;
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

std::string read_instructions(const AnnotationProject& project) {
  const std::filesystem::path path = project.folder / "instructions.md";
  if (!std::filesystem::exists(path)) return std::string(default_instructions(project.language));
  std::string text = read_file(path);
  if (text.size() > kLongestInstructions) {
    throw Error("{}: has {} bytes, expected at most {}", path.string(), text.size(),
                kLongestInstructions);
  }
  require_utf8(text, path);
  if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
  return text;
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
- **Wenn es keine Handlung gibt:** „Hier passiert nichts“ auswählen.
)";

}  // namespace

Definitions read_definitions(const std::filesystem::path& path, const Vocabulary& classes) {
  require_utf8(read_file(path), path);
  const CsvTable table = read_csv(path);
  const int name = table.column("class");
  const int definition = table.column("definition");
  Definitions definitions;
  for (const CsvRow& row : table.rows) {
    const std::string& verb = row.fields[name];
    const std::string_view text = trimmed(row.fields[definition]);
    const auto fail = [&](const std::string& what) {
      throw Error("{}:{}: {}", path.string(), row.line, what);
    };
    const ClassId id = classes.find(verb);
    if (id < 0) fail(fmt::format("'{}' is not a class of the project", verb));
    if (text.empty()) fail(fmt::format("the definition of '{}' is empty", verb));
    if (text.size() > kLongestDefinition) {
      fail(fmt::format("the definition of '{}' has {} bytes, expected at most {}", verb,
                       text.size(), kLongestDefinition));
    }
    if (!definitions.emplace(id, text).second) {
      fail(fmt::format("'{}' has a second definition", verb));
    }
  }
  return definitions;
}

AnnotatorGuide read_guide(const AnnotationProject& project) {
  AnnotatorGuide guide;
  guide.instructions = read_instructions(project);
  const std::filesystem::path definitions = project.folder / "definitions.csv";
  if (std::filesystem::exists(definitions)) {
    guide.definitions = read_definitions(definitions, project.classes);
  }
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
