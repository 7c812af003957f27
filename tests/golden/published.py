# SPDX-License-Identifier: MIT
"""Writes published.csv: all results that the paper prints, read from its LaTeX source.

Table 1 (losses), Table 2 (class-level and ideal pseudo-labels) and the supplementary tables of
K and tau and of end-to-end training, in percent. arXiv has the source:
python3 -P tests/golden/published.py paper.tex
"""
import decimal
import pathlib
import re
import sys

METRICS = ['top_set', 'top1', 'iou', 'f1', 'map_interpolated']
NUMBER = r'\d+\.\d+'


def tables(source):
    """The tabular after which each label stands, by label; several where there are subtables."""
    found = {}
    for table in re.findall(r'\\begin{table}.*?\\end{table}', source, re.S):
        label = re.findall(r'\\label{tab:(\w+)}', table)[-1]
        found[label] = re.findall(r'\\begin{tabular}(.*?)\\end{tabular}', table, re.S)
    return found


def rounded(text):
    """As LaTeX's \\FPeval round(…, 1) has it."""
    return decimal.Decimal(text).quantize(decimal.Decimal('0.1'), decimal.ROUND_HALF_UP)


def key(cells):
    """'Mask\\ssymbol{2}' is mask-class: symbol 1 means ideal, 2 class-level pseudo-labels."""
    name = re.search(r'(N-LS|LS|WAN|AN|Focal|EM|Mask|P\+S)', cells).group(1).lower()
    symbol = re.search(r'\\ssymbol{(\d)}', cells)
    return name + {None: '', '1': '-ideal', '2': '-class'}[symbol and symbol.group(1)]


def results(tabular, publication):
    for row in tabular.split(r'\\'):
        name = re.search(r'Confusing-HMDB|EPIC', row)
        if name:
            publication = 'epic' if name.group() == 'EPIC' else 'hmdb'
        values = re.findall(rf'({NUMBER}) ± ({NUMBER})', row) or re.findall(
            rf'roundnumpm{{({NUMBER})}}{{({NUMBER})}}', row)
        for metric, (mean, deviation) in zip(METRICS, values):
            yield publication, key(row), metric, rounded(mean), rounded(deviation)


def sweep(tabular, loss):
    rows = [re.findall(r'[\d.]+', row) for row in tabular.split(r'\\')]
    (ks,) = [row for row in rows if len(row) == 5]
    for tau, *values in (row for row in rows if len(row) == 6):
        for k, value in zip(ks, values):
            yield 'epic', f'{loss}-k{k}-tau{tau}', 'f1', value, ''


found = tables(pathlib.Path(sys.argv[1]).read_text())
lines = {}  # Table 2 repeats rows of Table 1
for label, first in [('feature_results', None), ('ablation', None), ('hmdb', 'hmdb-end-to-end')]:
    lines |= dict.fromkeys(results(found[label][0], first))
for tabular, loss in zip(found['param_search'], ['mask', 'p+s']):
    lines |= dict.fromkeys(sweep(tabular, loss))
out = pathlib.Path(__file__).with_suffix('.csv')
out.write_text('publication,row,metric,mean,deviation\n'
               + ''.join(','.join(map(str, line)) + '\n' for line in lines))
