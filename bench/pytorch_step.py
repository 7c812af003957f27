"""The training step of training_bench.cpp in PyTorch, as in the released code: shuffled batches of 64,
(Linear, ReLU, BatchNorm) x 2, Linear, binary cross-entropy, Adam. Prints milliseconds per step."""
import os
import time

import torch

torch.set_num_threads(len(os.sched_getaffinity(0)))
COLUMNS, CLASSES, BATCH, WARM_UP, STEPS = 4096, 97, 64, 10, 100

features = torch.rand((WARM_UP + STEPS) * BATCH, COLUMNS)
targets = torch.zeros(len(features), CLASSES)
targets[torch.arange(len(features)), torch.arange(len(features)) % CLASSES] = 1
model = torch.nn.Sequential(
    torch.nn.Linear(COLUMNS, 1024), torch.nn.ReLU(), torch.nn.BatchNorm1d(1024),
    torch.nn.Linear(1024, 1024), torch.nn.ReLU(), torch.nn.BatchNorm1d(1024),
    torch.nn.Linear(1024, CLASSES))
optimiser = torch.optim.Adam(model.parameters(), lr=5e-6)
order = torch.randperm(len(features))
for step in range(WARM_UP + STEPS):
    if step == WARM_UP:
        start = time.perf_counter()
    chosen = order[step * BATCH:(step + 1) * BATCH]
    optimiser.zero_grad()
    loss = torch.nn.functional.binary_cross_entropy_with_logits(model(features[chosen]), targets[chosen])
    loss.backward()
    optimiser.step()
print(f"step {1e3 * (time.perf_counter() - start) / STEPS:.3f} ms")
