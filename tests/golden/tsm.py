# SPDX-License-Identifier: MIT
"""Writes tsm.json: scores and features of ResNets with temporal shift, as torch.nn computes them.

Weights and frames come from a formula that the test computes too (see `made_up`), so that the file
stays small. Needs python3-torch: python3 -P tests/golden/tsm.py
"""
import json
import pathlib

import torch
from torch import nn
from torch.nn import functional as F


class Shift(nn.Module):
    """Wraps a convolution as mit-han-lab's TSM does; its input is shifted first."""

    def __init__(self, net, segments):
        super().__init__()
        self.net, self.segments = net, segments

    def forward(self, x):
        clips = x.unflatten(0, (-1, self.segments))
        eighth = x.shape[1] // 8
        behind = F.pad(clips[:, 1:, :eighth], (0, 0, 0, 0, 0, 0, 0, 1))
        before = F.pad(clips[:, :-1, eighth:2 * eighth], (0, 0, 0, 0, 0, 0, 1, 0))
        return self.net(torch.cat([behind, before, clips[:, :, 2 * eighth:]], 2).flatten(0, 1))


class Block(nn.Module):
    def __init__(self, inputs, inner, stride, bottleneck):
        super().__init__()
        outputs = 4 * inner if bottleneck else inner
        sizes = ([(inputs, inner, 1, 1), (inner, inner, 3, stride), (inner, outputs, 1, 1)] if bottleneck
                 else [(inputs, inner, 3, stride), (inner, inner, 3, 1)])
        self.count = len(sizes)
        for i, (a, b, kernel, step) in enumerate(sizes, 1):
            setattr(self, f'conv{i}', nn.Conv2d(a, b, kernel, step, kernel // 2, bias=False))
            setattr(self, f'bn{i}', nn.BatchNorm2d(b))
        self.downsample = None
        if stride != 1 or inputs != outputs:
            self.downsample = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False),
                                            nn.BatchNorm2d(outputs))

    def forward(self, x):
        y = x
        for i in range(1, self.count + 1):
            y = getattr(self, f'bn{i}')(getattr(self, f'conv{i}')(y))
            if i < self.count:
                y = F.relu(y)
        return F.relu(y + (x if self.downsample is None else self.downsample(x)))


class ResNet(nn.Module):
    """Named as torchvision's; 64 is its usual width."""

    def __init__(self, depth, channels, classes, width=64):
        super().__init__()
        bottleneck = depth == 50
        counts = {10: [1] * 4, 18: [2] * 4, 34: [3, 4, 6, 3], 50: [3, 4, 6, 3]}[depth]
        self.conv1 = nn.Conv2d(channels, width, 7, 2, 3, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        inputs = width
        for layer, count in enumerate(counts):
            blocks = []
            for i in range(count):
                blocks.append(Block(inputs, width << layer, 2 if layer and not i else 1, bottleneck))
                inputs = (width << layer) * (4 if bottleneck else 1)
            setattr(self, f'layer{layer + 1}', nn.Sequential(*blocks))
        self.fc = nn.Linear(inputs, classes)

    def forward(self, x, segments):
        x = F.max_pool2d(F.relu(self.bn1(self.conv1(x))), 3, 2, 1)
        x = self.layer4(self.layer3(self.layer2(self.layer1(x)))).mean((2, 3))
        return x.unflatten(0, (-1, segments)).mean(1), self.fc(x).unflatten(0, (-1, segments)).mean(1)


def shifted(model, segments):
    for layer in (model.layer1, model.layer2, model.layer3, model.layer4):
        for block in layer:
            block.conv1 = Shift(block.conv1, segments)
    return model


def made_up(count, seed):
    """Numbers from -1 to 1: the high bits of i * 2654435761 + seed * 40503, mixed, in 32 bits."""
    x = (torch.arange(count, dtype=torch.int64) * 2654435761 + seed * 40503) & 0xffffffff
    x = ((x ^ (x >> 15)) * 739685423) & 0xffffffff
    return ((x >> 8).double() / (1 << 23) - 1).float()


def fill(model):
    """Every tensor of the state in the order of its sorted names, without '.net'."""
    state = {name.replace('.net.', '.'): tensor for name, tensor in model.state_dict().items()
             if not name.endswith('num_batches_tracked')}
    for seed, name in enumerate(sorted(state)):
        tensor = state[name]
        values = made_up(tensor.numel(), seed).view(tensor.shape)
        if tensor.dim() > 1:
            fan = tensor[0].numel()
            tensor.copy_(values * (3 / fan) ** .5)
        elif name.endswith('running_var') or (name.endswith('weight') and name != 'fc.weight'):
            tensor.copy_(1 + values / 2)
        else:
            tensor.copy_(values / 4)


def case(depth, channels, segments, size, width, shift=True):
    classes = 5
    model = ResNet(depth, channels, classes, width)
    if shift:
        shifted(model, segments)
    frames = made_up(2 * segments * channels * size * size, 1000).view(-1, channels, size, size)
    golden = {'depth': depth, 'input_channels': channels, 'segments': segments, 'size': size, 'width': width,
              'shift': shift, 'classes': classes}
    with torch.no_grad():
        fill(model)
        model.eval()
        features, scores = model(frames, segments)
        golden['feature_sum'] = features.sum(1).tolist()
        golden['features'] = features[:, :12].tolist()
        golden['scores'] = scores.tolist()
    # In training: the scores with the batch's own statistics, and the gradients of some weights. In double, since
    # float's roundings decide on which side of zero some values fall, and differ between processors.
    model.double().train()
    _, scores = model(frames.double(), segments)
    scores.backward(made_up(scores.numel(), 2000).view(scores.shape).double())
    golden['train_scores'] = scores.tolist()
    golden['running_mean'] = model.layer4[-1].bn2.running_mean[:6].tolist()
    gradients = {name.replace('.net.', '.'): p.grad for name, p in model.named_parameters()}
    golden['gradients'] = {name: gradients[name].flatten()[:6].tolist()
                           for name in ('conv1.weight', 'layer1.0.conv1.weight', 'layer2.0.downsample.1.weight',
                                        'layer4.0.conv1.weight', 'bn1.bias', 'fc.weight', 'fc.bias')}
    return golden


def main():
    cases = [case(18, 3, 4, 32, 64), case(50, 3, 8, 40, 64), case(34, 10, 3, 36, 16), case(10, 10, 8, 32, 8),
             case(18, 3, 4, 32, 16, shift=False)]
    lines = ',\n'.join(json.dumps(entry) for entry in cases)
    pathlib.Path(__file__).with_suffix('.json').write_text('[\n' + lines + '\n]\n')


if __name__ == '__main__':
    main()
