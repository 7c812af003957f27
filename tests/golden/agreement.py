# SPDX-License-Identifier: MIT
"""Writes agreement.json: agreement of made-up people who choose verbs for clips, by going through every pair
of judgements one by one instead of counting.

Between one and five people judge a clip; the last verb is never chosen and the first always is.
python3 -P tests/golden/agreement.py
"""
import itertools
import json
import pathlib
import random

VERBS, CLIPS = 7, 40


def judged(units):
    """Only units with two judgements or more say anything about agreement."""
    return [unit for unit in units if len(unit) > 1]


def kappa(units):
    units = judged(units)
    everything = [value for unit in units for value in unit]
    if len(set(everything)) < 2:
        return None
    agree = sum(sum(a == b for a, b in itertools.permutations(unit, 2)) / len(list(itertools.permutations(unit, 2)))
                for unit in units) / len(units)
    chance = sum(a == b for a in everything for b in everything) / len(everything) ** 2
    return (agree - chance) / (1 - chance)


def alpha(units):
    """By the matrix of coincidences."""
    units = judged(units)
    values = sorted({value for unit in units for value in unit})
    if len(values) < 2:
        return None
    coincidences = {pair: 0.0 for pair in itertools.product(values, values)}
    for unit in units:
        for pair in itertools.permutations(unit, 2):
            coincidences[pair] += 1 / (len(unit) - 1)
    sums = {value: sum(coincidences[value, other] for other in values) for value in values}
    total = sum(sums.values())
    observed = sum(count for (a, b), count in coincidences.items() if a != b)
    expected = sum(sums[a] * sums[b] for a in values for b in values if a != b) / (total - 1)
    return 1 - observed / expected


def mean(values):
    values = [value for value in values if value is not None]
    return sum(values) / len(values) if values else None


def main():
    draw = random.Random(7)
    clips = []
    for _ in range(CLIPS):
        candidates = sorted(draw.sample(range(VERBS), 5))
        fits = {verb: 1.0 if verb == 0 else 0.0 if verb == VERBS - 1 else draw.random() for verb in candidates}
        chosen = [[verb for verb in candidates if draw.random() < fits[verb]] for _ in range(draw.randint(1, 5))]
        clips.append({"candidates": candidates, "chosen": chosen})
    units = [[(verb, [verb in chosen for chosen in clip["chosen"]]) for verb in clip["candidates"]] for clip in clips]
    pooled = [judgements for clip in units for _, judgements in clip]
    result = {
        "classes": VERBS,
        "clips": clips,
        "kappa_per_verb": mean([kappa([j for clip in units for v, j in clip if v == verb]) for verb in range(VERBS)]),
        "kappa_pooled": kappa(pooled),
        "kappa_per_clip": mean([kappa([j for _, j in clip]) for clip in units]),
        "alpha": alpha(pooled),
    }
    path = pathlib.Path(__file__).with_suffix(".json")
    path.write_text(json.dumps(result) + "\n")


main()
