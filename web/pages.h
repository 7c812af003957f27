// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace manyverbs {

/// The web pages, built from web/src. Each is one HTML file that contains its script and style.

/// The page of `manyverbs report`. It contains the word REPORT_DATA once. Replace it with the JSON
/// that web/src/report/data.ts describes, with every `<` written as \u003c, so that no name in the
/// data can end the script element.
extern const std::string_view kReportPage;

/// The pages of `manyverbs annotate serve`: /annotate for annotators, /lead for leaders. Each
/// contains one `<style>` and one `<script type="module">` element. They need a
/// Content-Security-Policy that allows these two by hash, connections to the server, and images and
/// media from it.
extern const std::string_view kAnnotatePage;
extern const std::string_view kLeadPage;

/// The texts of the annotator's page as JSON: {"en": {"answer.send": "Send", …}, "de": {…}}.
extern const std::string_view kAnnotatorStrings;

}  // namespace manyverbs
