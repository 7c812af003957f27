// SPDX-License-Identifier: MIT
// draw_video FILE FRAMES [SPEED [CODEC]]: a texture of 96 x 72 that moves to the right by SPEED
// pixels per frame, at 25 frames per second.
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "tests/decoding/drawn.h"

int main(int count, char** values) {
  if (count < 3) {
    std::fprintf(stderr, "draw_video FILE FRAMES [SPEED [CODEC]]\n");
    return 2;
  }
  try {
    manyverbs::write_drifting_video(values[1], std::atoi(values[2]),
                                    count > 3 ? std::atof(values[3]) : 1,
                                    count > 4 ? values[4] : "libx264");
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "draw_video: %s\n", problem.what());
    return 1;
  }
  return 0;
}
