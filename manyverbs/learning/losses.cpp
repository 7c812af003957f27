// SPDX-License-Identifier: MIT
#include "manyverbs/learning/losses.h"
