"""Command line: scenarios, then measurements on several processes, then the report."""
import argparse
import concurrent.futures
import json
import multiprocessing
import os
import re
import subprocess
import sys
import time

from . import music, tables
from .engines import BENCH, ENGINES
from .measure import DATA, SHARED, digest, measure

QUICK = "F00|F05|F07|F14|F18|N00|D00|D05|B00|B03|M01|M11|M20"


def scenarios(seed, wanted):
    """Returns the names of the scenarios that match; makes the files that are missing."""
    maker = os.path.join(SHARED, "make_scenarios.py")
    if not os.path.exists(maker):
        sys.exit(f"bench-aec: no {maker}; set VOICE_SHARED to the folder that has aec/make_scenarios.py")
    listing = subprocess.run([sys.executable, maker, "--list"], check=True, capture_output=True, text=True).stdout
    names = [line.split()[0] for line in listing.splitlines() if re.match(wanted, line)]
    with_media = [name for name in music.SCENARIOS if re.match(wanted, name)]
    folder = os.path.join(DATA, f"seed{seed}")
    os.makedirs(folder, exist_ok=True)

    def are_missing(names):
        missing = [name for name in names if not os.path.exists(os.path.join(folder, name, "delay.txt"))]
        if missing:
            print(f"bench-aec: making {len(missing)} scenarios of seed {seed}", file=sys.stderr)
        return missing

    if missing := are_missing(names):
        only = "^(" + "|".join(re.escape(name) for name in missing) + ")$"
        subprocess.run([sys.executable, maker, folder, "--only", only, "--seed", str(seed)], check=True,
                       stdout=subprocess.DEVNULL)
    if missing := are_missing(with_media):
        music.make(SHARED, folder, missing, seed)
    return names + with_media


def self_check():
    """Checks cheaply that everything a run needs is there, and that the gate detects a talker but not silence."""
    import numpy as np
    from . import gate
    import livekit.rtc, pesq, pystoi, webrtcvad  # noqa: F401
    assert os.access(BENCH, os.X_OK), BENCH
    assert os.path.exists(os.path.join(SHARED, "score.py")), SHARED
    assert len(gate.openings(np.ones(100, bool))) == 100 - gate.NEEDED + 1
    assert not len(gate.openings(gate.signs(np.zeros(48000), np.zeros(48000))))
    print("bench-aec: ready")


def main():
    parser = argparse.ArgumentParser(prog="bench-aec", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="13 scenarios instead of 50")
    parser.add_argument("--seeds", default=os.environ.get("BENCH_SEEDS", "1 7 3 11"))
    parser.add_argument("--engines", help="names, by commas: " + ",".join(engine.name for engine in ENGINES))
    parser.add_argument("--only", help="scenarios, a regular expression")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--report-only", action="store_true", help="tabulate what was measured before")
    parser.add_argument("--self-check", action="store_true")
    arguments = parser.parse_args()
    if arguments.self_check:
        return self_check()
    began = time.time()
    wanted = arguments.only or (QUICK if arguments.quick else ".")
    seeds = [int(seed) for seed in re.split(r"[ ,]+", arguments.seeds.strip())]
    engines = [engine for engine in ENGINES if not arguments.engines or engine.name in arguments.engines.split(",")]
    everything = kept(engines, seeds, wanted) if arguments.report_only else run(engines, seeds, wanted, arguments.jobs)
    text = tables.report(engines, everything, seeds)
    with open(os.path.join(DATA, "report.md"), "w") as f:
        f.write(text)
    print(text)
    print(f"bench-aec: {time.time() - began:.0f} s; also in {DATA}/report.md", file=sys.stderr)


def kept(engines, seeds, wanted):
    everything = {}
    for engine in engines:
        for seed in seeds:
            folder = os.path.join(DATA, "results", f"seed{seed}")
            for scenario in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
                path = os.path.join(folder, scenario, engine.name + ".json")
                if re.match(wanted, scenario) and os.path.exists(path):
                    with open(path) as f:
                        everything.setdefault(engine.name, {}).setdefault(seed, {})[scenario] = json.load(f)
    return everything


def run(engines, seeds, wanted, jobs):
    judges = digest(os.path.join(SHARED, "score.py")) + digest(os.path.join(os.path.dirname(__file__), "gate.py"))
    keys = {engine.name: engine.version() + judges for engine in engines}
    # Scenario by scenario, so that the costs compared are measured close together.
    work = [(seed, scenario, engine.name, keys[engine.name]) for seed in seeds for scenario in scenarios(seed, wanted)
            for engine in engines if engine.applies(scenario)]
    everything, failed = {}, 0
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(jobs, mp_context=context) as pool:
        waiting = {pool.submit(measure, *item): item for item in work}
        for done, future in enumerate(concurrent.futures.as_completed(waiting), 1):
            seed, scenario, name, _ = waiting[future]
            try:
                everything.setdefault(name, {}).setdefault(seed, {})[scenario] = future.result()
            except Exception as problem:
                failed += 1
                print(f"bench-aec: seed {seed} {scenario} {name}: {problem}", file=sys.stderr)
            if done % 20 == 0 or done == len(work):
                print(f"bench-aec: {done} of {len(work)}", file=sys.stderr, flush=True)
    if failed:
        print(f"bench-aec: {failed} measurements failed and are missing below", file=sys.stderr)
    return everything


if __name__ == "__main__":
    sys.exit(main())
