// SPDX-License-Identifier: MIT

export interface Random {
  /** In [0, 1). */
  uniform: () => number;
  /** A whole number in [0, bound). */
  below: (bound: number) => number;
  normal: () => number;
}

/** Portable random numbers from a seed: a linear congruential generator modulo 2^31 - 1. */
export function generator(seed: number): Random {
  let state = seed;
  const uniform = () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
  // The sum of twelve uniform numbers has variance one.
  const normal = () => Array.from({ length: 12 }, uniform).reduce((sum, value) => sum + value, -6);
  return { uniform, below: (bound) => Math.floor(bound * uniform()), normal };
}
