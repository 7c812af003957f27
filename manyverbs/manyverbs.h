// SPDX-License-Identifier: MIT
#pragma once

/// All public headers of the components that are installed; manyverbs/README.md lists them.
