"""Test accuracy of variants of a deck, or of several decks, paired by seed: each against the first.

    OIDA_DATA_DIR=... python3 perf/accuracy.py --oida build/release/oida --deck inputs/flevoland.ini \
        --out DIR --ranks 4 --seeds 5 --common=--device.threads=1 \
        --variant allreduce="--oida.exchange=allreduce" --variant tau1="--oida.interleave=1"

A variant's first word may be a deck that stands in for --deck. A seed sets model.seed and train.seed;
the split and the shards stay, unless the flags say --data.seed={seed}. Runs that DIR holds already are not repeated. For each variant: mean and
range of the overall accuracy, means of the other figures, median training time, and the mean difference
of OA to the first with its 95 % interval (Student's t over the seeds' differences).
"""

import argparse
import json
import math
import pathlib
import shlex
import statistics
import subprocess
import sys

# Two-sided 95 % quantiles of Student's t by degrees of freedom.
T_95 = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 8: 2.306, 9: 2.262}


def run(options, name, flags, seed):
    """test.json of one run with its time and parameters; made before: read from its directory."""
    directory = pathlib.Path(options.out) / f"{name}-{options.ranks}-seed{seed}"
    if not (directory / "DONE").exists():
        words = shlex.split(flags.replace("{seed}", str(seed)))
        deck = options.deck if not words or words[0].startswith("--") else words.pop(0)
        command = [*shlex.split(options.launcher), "-n", str(options.ranks), options.oida, "train",
                   deck, f"--run.dir={directory}", "--run.class_map=off", f"--model.seed={seed}",
                   f"--train.seed={seed}", *shlex.split(options.common), *words]
        log = directory.with_suffix(".log")
        with open(log, "w") as out:
            if subprocess.run(command, stdout=out, stderr=subprocess.STDOUT).returncode != 0:
                sys.exit(f"{' '.join(command)} failed: see {log}")
    result = json.loads((directory / "test.json").read_text())
    result["train_s"] = json.loads((directory / "timing.json").read_text())["train_s"]
    result["network"] = json.loads((directory / "run.json").read_text())["network"]
    return result


def difference(values, base):
    gaps = [a - b for a, b in zip(values, base)]
    mean = statistics.mean(gaps)
    if len(gaps) < 2:
        return f"{mean:+.4f}"
    half = T_95[len(gaps) - 1] * statistics.stdev(gaps) / math.sqrt(len(gaps))
    return f"{mean:+.4f} ({mean - half:+.4f} to {mean + half:+.4f})"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--oida", required=True)
    parser.add_argument("--deck", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--ranks", type=int, default=1)
    parser.add_argument("--seeds", type=int, default=5, choices=range(1, 11))
    parser.add_argument("--common", default="", help="flags of every run")
    parser.add_argument("--launcher", default="mpiexec")
    parser.add_argument("--variant", action="append", required=True, metavar="NAME=FLAGS")
    options = parser.parse_args()
    variants = dict(variant.split("=", 1) for variant in options.variant)
    pathlib.Path(options.out).mkdir(parents=True, exist_ok=True)

    measured = {name: [] for name in variants}
    for seed in range(1, options.seeds + 1):  # seed by seed: an interrupted series still has pairs
        for name, flags in variants.items():
            measured[name].append(run(options, name, flags, seed))
            print(f"seed {seed} {name}: OA {measured[name][-1]['oa']:.4f}", file=sys.stderr)

    print(f"| {options.ranks} units, {options.seeds} seeds | parameters | OA | range | AA | kappa | mIoU "
          "| train s | difference of OA |")
    print("|---|---:|---|---|---|---|---|---:|---|")
    base = [result["oa"] for result in next(iter(measured.values()))]
    for index, (name, results) in enumerate(measured.items()):
        oa, aa, kappa, miou = ([result[key] for result in results] for key in ("oa", "aa", "kappa", "miou"))
        gap = difference(oa, base) if index else "-"
        print(f"| {name} | {results[0]['network']['parameters']:,} | {statistics.mean(oa):.4f} "
              f"| {min(oa):.4f} - {max(oa):.4f} | {statistics.mean(aa):.4f} | {statistics.mean(kappa):.4f} "
              f"| {statistics.mean(miou):.4f} | {statistics.median(r['train_s'] for r in results):.0f} | {gap} |")


if __name__ == "__main__":
    main()
