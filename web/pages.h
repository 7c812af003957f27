// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace manyverbs {

/// The browser pages, each a whole HTML file with its script and style inside, built from web/src.

/// The page of `manyverbs report`. The word REPORT_DATA stands in it once; put the JSON that
/// web/src/report/data.ts describes in its place, with every `<` written as \u003c so that no name
/// in the data can end the script element around it.
extern const std::string_view kReportPage;

/// The pages of `manyverbs annotate serve`: for annotators at /annotate, for whoever leads at
/// /lead. Each holds one `<style>` and one `<script type="module">` element, and works under a
/// policy that allows these two by their hashes, connections to the server, and images and media
/// from it.
extern const std::string_view kAnnotatePage;
extern const std::string_view kLeadPage;

}  // namespace manyverbs
