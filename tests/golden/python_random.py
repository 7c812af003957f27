# Draws of Python's random module that manyverbs::Random must repeat. Writes python_random.json beside it.
import json
import pathlib
import random

SEEDS = [0, 1, 12, 2**32 - 1, 2**32, 2**32 + 12, 2**63 + 5, 2**64 - 1]

cases = []
for seed in SEEDS:
    random.seed(seed)
    case = {"seed": seed}
    case["coins"] = [random.randint(0, 1) for _ in range(40)]
    case["uniform"] = [random.random() for _ in range(5)]
    case["bounds"] = [1, 2, 3, 7, 51, 102, 2**31, 2**32 - 1, 2**32, 2**33 + 1, 2**53, 2**64 - 1]
    case["below"] = [random.randrange(bound) for bound in case["bounds"]]
    order = list(range(20))
    random.shuffle(order)
    case["shuffled"] = order
    for _ in range(2000):
        random.getrandbits(32)
    case["after_2000_more"] = random.getrandbits(32)
    cases.append(case)

(pathlib.Path(__file__).parent / "python_random.json").write_text(json.dumps(cases, indent=1) + "\n")
