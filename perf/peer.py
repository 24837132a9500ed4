"""The training steps of oida_bench_step in PyTorch at its best, against it, pair by pair.

    python perf/peer.py --bench build/release/perf/oida_bench_step --threads 1 --pairs 7
    python perf/peer.py --work unet --pairs 5

Same network, batch, data distribution and optimizer: oceanlike at 9 x 32 x 32, batch 64, or the
U-Net at 9 x 256 x 256, batch 4, all pixels labelled; SGD with momentum 0.9 on random input. PyTorch
gets channels_last (--layout plain: not), AVX-512 (ATEN_CPU_CAPABILITY), a thread-caching allocator
where one is found (--allocator names another), gradients set to None and its batch in memory in its
own layout; for bf16 its autocast. One process a run, A B A B, so that a busy machine hits both; the
figures are the medians of the ratios of the medians: of the time that passed, and of the processors'
time that the process took, which other work disturbs less.
"""

import argparse
import ctypes.util
import json
import os
import statistics
import subprocess
import sys

# Samples a batch, side in px, steps not timed, steps timed.
WORK = {"step": (64, 32, 10, 60), "unet": (4, 256, 3, 12)}


def unet(torch):
    nn = torch.nn

    def two(channels, out):
        return nn.Sequential(nn.Conv2d(channels, out, 3, padding=1), nn.ReLU(inplace=True),
                             nn.Conv2d(out, out, 3, padding=1), nn.ReLU(inplace=True))

    class UNet(nn.Module):
        def __init__(self):
            super().__init__()
            self.down = nn.ModuleList([two(9, 32), two(32, 64), two(64, 128)])
            self.pool = nn.MaxPool2d(2)
            self.spread = nn.ModuleList([nn.ConvTranspose2d(128, 64, 2, 2),
                                         nn.ConvTranspose2d(64, 32, 2, 2)])
            self.up = nn.ModuleList([two(128, 64), two(64, 32)])
            self.logits = nn.Conv2d(32, 8, 1)

        def forward(self, image):
            level1 = self.down[0](image)
            level2 = self.down[1](self.pool(level1))
            values = self.down[2](self.pool(level2))
            for spread, skip, up in zip(self.spread, (level2, level1), self.up):
                values = up(torch.cat([spread(values), skip], 1))
            return self.logits(values)

    return UNet()


def patch_network(torch):
    nn = torch.nn
    layers = []
    channels = 9
    for out, pooled in ((32, False), (32, True), (64, False), (64, True), (128, True)):
        layers += [nn.Conv2d(channels, out, 3, padding=1), nn.ReLU()]
        layers += [nn.MaxPool2d(2)] if pooled else []
        channels = out
    layers += [nn.Flatten(), nn.Linear(2048, 384), nn.ReLU(), nn.Linear(384, 8)]
    return nn.Sequential(*layers)


def run_torch(options):
    """Prints the median step in ms; a process of its own."""
    import time

    import torch

    torch.set_num_threads(options.threads)
    torch.manual_seed(1)
    samples, side, warm_up, steps = WORK[options.work]
    layout = torch.channels_last if options.layout == "channels_last" else torch.contiguous_format
    model = unet(torch) if options.work == "unet" else patch_network(torch)
    model = model.to(memory_format=layout)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    batch = torch.randn(samples, 9, side, side).to(memory_format=layout)
    labels = torch.randint(0, 8, (samples, side, side) if options.work == "unet" else (samples,))
    loss_of = torch.nn.CrossEntropyLoss(ignore_index=-1)
    times_s, cpu_s = [], []
    for _ in range(warm_up + steps):
        begin_s, begin_cpu_s = time.perf_counter(), time.process_time()
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=options.precision == "bf16"):
            loss = loss_of(model(batch), labels)
        loss.backward()
        optimizer.step()
        times_s.append(time.perf_counter() - begin_s)
        cpu_s.append(time.process_time() - begin_cpu_s)
    parameters = sum(p.numel() for p in model.parameters())
    print(json.dumps({
        "step_ms": 1e3 * statistics.median(times_s[warm_up:]),
        "cpu_ms": 1e3 * statistics.median(cpu_s[warm_up:]),
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
               "--precision", options.precision, "--work", options.work,
               "--layout", options.layout]
    done = subprocess.run(command, env=environment(options.threads, preload), check=True,
                          capture_output=True, text=True)
    return json.loads(done.stdout)


def own_run(options):
    name = f"^{options.work}/{options.precision}/threads:{options.threads}/"
    command = [options.bench, f"--benchmark_filter={name}", "--benchmark_format=json"]
    done = subprocess.run(command, env=environment(options.threads, None), check=True,
                          capture_output=True, text=True)
    return json.loads(done.stdout)["benchmarks"][0]


def compare(options):
    preload = allocator(options.allocator)
    ratios, cpu_ratios = [], []
    for pair in range(options.pairs):
        peer = peer_run(options, preload)
        own = own_run(options)
        ratios.append(peer["step_ms"] / own["step_ms"])
        cpu_ratios.append(peer["cpu_ms"] / own["cpu_ms"])
        print(f"pair {pair + 1}: PyTorch {peer['step_ms']:7.2f} ms, oida {own['step_ms']:7.2f} ms, "
              f"ratio {ratios[-1]:.2f}; CPU {peer['cpu_ms']:.2f} and {own['cpu_ms']:.2f} ms, "
              f"ratio {cpu_ratios[-1]:.2f}; of sgemm {own['of_sgemm']:.2f}, "
              f"outside conv and dense {100 * own['outside']:.1f} %", flush=True)
    print(f"{options.work}, {options.precision}, {options.threads} threads: median ratio "
          f"{statistics.median(ratios):.2f}, of CPU time {statistics.median(cpu_ratios):.2f} "
          f"(PyTorch {peer['version']}, {peer['capability']}, "
          f"allocator {preload or 'of the C library'})")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bench", default="build/release/perf/oida_bench_step")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--precision", choices=("fp32", "bf16"), default="fp32")
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--work", choices=sorted(WORK), default="step")
    parser.add_argument("--layout", choices=("channels_last", "plain"), default="channels_last")
    parser.add_argument("--allocator", default="", help="library to preload for PyTorch")
    parser.add_argument("--run-torch", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run_torch:
        run_torch(options)
    else:
        compare(options)


if __name__ == "__main__":
    main()
