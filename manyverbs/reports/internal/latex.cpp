// SPDX-License-Identifier: MIT
#include "manyverbs/reports/internal/latex.h"

namespace manyverbs {

std::string latex_text(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
      case '%':
      case '$':
      case '#':
      case '_':
      case '{':
      case '}':
        escaped += '\\';
        escaped += c;
        break;
      case '\\':
        escaped += "\\textbackslash{}";
        break;
      case '~':
        escaped += "\\textasciitilde{}";
        break;
      case '^':
        escaped += "\\textasciicircum{}";
        break;
      case '<':
        escaped += "\\textless{}";
        break;
      case '>':
        escaped += "\\textgreater{}";
        break;
      case '|':
        escaped += "\\textbar{}";
        break;
      case '[':
      case '*':
        // After a line break they would be parsed as its options.
        escaped += '{';
        escaped += c;
        escaped += '}';
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

}  // namespace manyverbs
