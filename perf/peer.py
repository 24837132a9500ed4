"""The reference workload in PyTorch at its best, against oida_bench_step, pair by pair.

    python perf/peer.py --bench build/release/perf/oida_bench_step --threads 1 --pairs 7

Same network, batch, data distribution and optimizer: oceanlike at 9 x 32 x 32, batch 64, SGD with
momentum 0.9 on random input. PyTorch gets channels_last, AVX-512 (ATEN_CPU_CAPABILITY), a
thread-caching allocator where one is found (--allocator names another), gradients set to None and
its batch in memory in its own layout; for bf16 its autocast. One process a run, A B A B, so that a
busy machine hits both; the figure is the median of the ratios of the medians.
"""

import argparse
import ctypes.util
import json
import os
import statistics
import subprocess
import sys

BATCH = 64
WARM_UP = 10
STEPS = 60


def network(torch):
    nn = torch.nn
    layers = []
    channels = 9
    for out, pooled in ((32, False), (32, True), (64, False), (64, True), (128, True)):
        layers += [nn.Conv2d(channels, out, 3, padding=1), nn.ReLU()]
        layers += [nn.MaxPool2d(2)] if pooled else []
        channels = out
    layers += [nn.Flatten(), nn.Linear(2048, 384), nn.ReLU(), nn.Linear(384, 8)]
    return nn.Sequential(*layers).to(memory_format=torch.channels_last)


def run_torch(threads, precision):
    """Prints the median step in ms; a process of its own."""
    import time

    import torch

    torch.set_num_threads(threads)
    torch.manual_seed(1)
    model = network(torch)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    batch = torch.randn(BATCH, 9, 32, 32).to(memory_format=torch.channels_last)
    labels = torch.randint(0, 8, (BATCH,))
    loss_of = torch.nn.CrossEntropyLoss()
    times_s = []
    for _ in range(WARM_UP + STEPS):
        begin_s = time.perf_counter()
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=precision == "bf16"):
            loss = loss_of(model(batch), labels)
        loss.backward()
        optimizer.step()
        times_s.append(time.perf_counter() - begin_s)
    parameters = sum(p.numel() for p in model.parameters())
    print(json.dumps({
        "step_ms": 1e3 * statistics.median(times_s[WARM_UP:]),
        "parameters": parameters,
        "version": torch.__version__,
        "capability": torch.backends.cpu.get_cpu_capability(),
    }))


def allocator(named):
    """The library to preload: the one named, or the first that this machine has."""
    if named:
        return named
    for name in ("tcmalloc_minimal", "tcmalloc", "jemalloc"):
        found = ctypes.util.find_library(name)
        if found:
            return found
    return ""


def environment(threads, preload):
    chosen = dict(os.environ, OMP_NUM_THREADS=str(threads), MKL_NUM_THREADS=str(threads))
    for name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):
        chosen.pop(name, None)
    if preload is not None:
        chosen["ATEN_CPU_CAPABILITY"] = "avx512"
        chosen["LD_PRELOAD"] = preload
    return chosen


def peer_run(options, preload):
    command = [sys.executable, __file__, "--run-torch", "--threads", str(options.threads),
               "--precision", options.precision]
    done = subprocess.run(command, env=environment(options.threads, preload), check=True,
                          capture_output=True, text=True)
    return json.loads(done.stdout)


def own_run(options):
    name = f"^step/{options.precision}/threads:{options.threads}/"
    command = [options.bench, f"--benchmark_filter={name}", "--benchmark_format=json"]
    done = subprocess.run(command, env=environment(options.threads, None), check=True,
                          capture_output=True, text=True)
    return json.loads(done.stdout)["benchmarks"][0]


def compare(options):
    preload = allocator(options.allocator)
    ratios = []
    for pair in range(options.pairs):
        peer = peer_run(options, preload)
        own = own_run(options)
        ratios.append(peer["step_ms"] / own["step_ms"])
        print(f"pair {pair + 1}: PyTorch {peer['step_ms']:7.2f} ms, oida {own['step_ms']:7.2f} ms, "
              f"ratio {ratios[-1]:.2f}, of sgemm {own['of_sgemm']:.2f}, "
              f"outside conv and dense {100 * own['outside']:.1f} %", flush=True)
    print(f"{options.precision}, {options.threads} threads: median ratio "
          f"{statistics.median(ratios):.2f} (PyTorch {peer['version']}, {peer['capability']}, "
          f"allocator {preload or 'of the C library'})")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bench", default="build/release/perf/oida_bench_step")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--precision", choices=("fp32", "bf16"), default="fp32")
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--allocator", default="", help="library to preload for PyTorch")
    parser.add_argument("--run-torch", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run_torch:
        run_torch(options.threads, options.precision)
    else:
        compare(options)


if __name__ == "__main__":
    main()
