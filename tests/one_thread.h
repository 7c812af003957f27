// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>

#include "manyverbs/support/internal/parallel.h"
#include "manyverbs/support/internal/progress.h"

namespace manyverbs {

/// Test programs that include this run on one thread, since several run in parallel, and quietly.
class OneThread : public testing::Environment {
 public:
  void SetUp() override {
    set_num_threads(1);
    Progress::silence();
  }
};

inline const testing::Environment* const kOneThread =
    testing::AddGlobalTestEnvironment(new OneThread);

}  // namespace manyverbs
