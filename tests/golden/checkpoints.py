# SPDX-License-Identifier: MIT
"""Writes checkpoints/: small files by torch.save() with the names of each family, and what is odd.

All hold the weights of tsm.py's fill() for a ResNet-10 of width 2 and 6 classes, in half precision where a
name says so. Needs python3-torch: python3 -P tests/golden/checkpoints.py
"""
import collections
import pathlib

import torch

from tsm import ResNet, fill, made_up

FOLDER = pathlib.Path(__file__).parent / 'checkpoints'


def base(classes=6, channels=3):
    model = ResNet(10, channels, classes, width=2)
    with torch.no_grad():
        fill(model)
    return model.state_dict()


def tsm_names(state, before):
    """mit-han-lab and EPIC-Kitchens C1: shifted convolutions are wrapped, the classifier is new_fc."""
    named = collections.OrderedDict()
    for name, tensor in state.items():
        if name.startswith('fc.'):
            named[before + 'new_' + name] = tensor
        elif name.startswith('layer') and '.conv1.' in name:
            named[before + 'base_model.' + name.replace('.conv1.', '.conv1.net.')] = tensor
        else:
            named[before + 'base_model.' + name] = tensor
    return named


def mmaction_names(state):
    named = collections.OrderedDict()
    for name, tensor in state.items():
        *path, layer, value = name.split('.')
        if name.startswith('fc.'):
            named['cls_head.fc_cls.' + value] = tensor
            continue
        if layer.startswith('conv'):
            shift = '.net' if layer == 'conv1' and path else ''
            end = f'{layer}.conv{shift}.{value}'
        elif layer.startswith('bn'):
            end = f'conv{layer[2:]}.bn.{value}'
        else:
            end = f'{"conv" if layer == "0" else "bn"}.{value}'
        named['.'.join(['backbone', *path, end])] = tensor
    return named


def save(name, contents, **how):
    torch.save(contents, FOLDER / name, **how)


class Attack:
    def __reduce__(self):
        import os
        return os.system, ('touch /tmp/manyverbs-was-attacked',)


def main():
    FOLDER.mkdir(exist_ok=True)
    state = base()
    half = {name: tensor.half() if tensor.is_floating_point() else tensor for name, tensor in state.items()}
    save('torchvision.pth', state)
    save('tsm.pth', {'epoch': 3, 'arch': 'resnet10', 'state_dict': tsm_names(half, 'module.'), 'best_prec1': 41.5})
    save('mmaction.pth', {'meta': {'mmaction_version': '0.24'}, 'state_dict': mmaction_names(half)})
    epic = tsm_names({**half, 'fc.weight': made_up(397 * 16, 7).view(397, 16).half(),
                      'fc.bias': made_up(397, 8).half()}, 'model.')
    save('epic.ckpt', {'state_dict': epic, 'epoch': 9, 'global_step': 100,
                       'hyper_parameters': {'modality': 'RGB', 'data': {'frame_count': 8}}})
    short = {'b': torch.arange(6.).view(2, 3).t(), 'a': [torch.tensor([1, 2]), torch.tensor(2.5).double()],
             'half': torch.tensor([.5, -2.]).half(), 'brain': torch.tensor([.5, -2.]).bfloat16(),
             'part': torch.arange(10.)[3:9:2], 'yes': True, 'parameter': torch.nn.Parameter(torch.ones(2))}
    save('kinds.pth', short)
    save('kinds-legacy.pth', short, _use_new_zipfile_serialization=False)
    save('attack.pth', {'a': torch.ones(1), 'b': Attack()})
    save('module.pth', torch.nn.Linear(1, 1))
    save('empty.pth', {'epoch': 1})


if __name__ == '__main__':
    main()
