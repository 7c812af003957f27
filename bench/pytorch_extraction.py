"""The networks of extraction_bench.cpp in PyTorch, as usually written: channels first, eval mode, no_grad,
all cores on one batch. Prints milliseconds a clip.

    pytorch_extraction.py [resnet18 …]"""
import os
import sys
import time

import torch
from torch import nn

torch.set_num_threads(len(os.sched_getaffinity(0)))
SEGMENTS, CLIPS, ROUNDS = 8, 4, 3
BLOCKS = {"resnet18": [2, 2, 2, 2], "resnet34": [3, 4, 6, 3], "resnet50": [3, 4, 6, 3]}


def shift(x):
    frames, channels, height, width = x.shape
    x = x.view(-1, SEGMENTS, channels, height, width)
    eighth = channels // 8
    out = torch.zeros_like(x)
    out[:, :-1, :eighth] = x[:, 1:, :eighth]
    out[:, 1:, eighth:2 * eighth] = x[:, :-1, eighth:2 * eighth]
    out[:, :, 2 * eighth:] = x[:, :, 2 * eighth:]
    return out.view(frames, channels, height, width)


class Block(nn.Module):
    def __init__(self, inputs, inner, stride, bottleneck):
        super().__init__()
        outputs = 4 * inner if bottleneck else inner
        sizes = ([(inputs, inner, 1, 1), (inner, inner, 3, stride), (inner, outputs, 1, 1)] if bottleneck
                 else [(inputs, inner, 3, stride), (inner, outputs, 3, 1)])
        layers = []
        for i, (a, b, kernel, step) in enumerate(sizes):
            layers += [nn.Conv2d(a, b, kernel, step, kernel // 2, bias=False), nn.BatchNorm2d(b)]
            if i + 1 < len(sizes):
                layers.append(nn.ReLU(inplace=True))
        self.residual = nn.Sequential(*layers)
        self.shortcut = nn.Identity()
        if stride != 1 or inputs != outputs:
            self.shortcut = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x):
        y = self.residual(shift(x))
        y += self.shortcut(x)
        return self.relu(y)


class Backbone(nn.Module):
    def __init__(self, name):
        super().__init__()
        bottleneck = name == "resnet50"
        layers = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(inplace=True),
                  nn.MaxPool2d(3, 2, 1)]
        inputs = 64
        for layer, count in enumerate(BLOCKS[name]):
            for i in range(count):
                layers.append(Block(inputs, 64 << layer, 2 if layer and not i else 1, bottleneck))
                inputs = (64 << layer) * (4 if bottleneck else 1)
        self.layers = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten())

    def forward(self, x):
        return self.layers(x).unflatten(0, (-1, SEGMENTS)).mean(1)


for name in sys.argv[1:] or ["resnet18", "resnet50"]:
    model = Backbone(name).eval()
    frames = torch.rand(SEGMENTS, 3, 224, 224)
    best = float("inf")
    with torch.no_grad():
        model(frames)
        for _ in range(ROUNDS):
            start = time.perf_counter()
            for _ in range(CLIPS):
                model(frames)
            best = min(best, (time.perf_counter() - start) / CLIPS)
    print(f"extraction-{name} {1e3 * best:.1f} ms", flush=True)
