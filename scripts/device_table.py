"""The table of docs/results/echo.md, "Real devices", from the outputs and gate records of run_engines.py.

    device_table.py DATA [--engine ours] [--beside speex]       run by scripts/bench-people --devices

Echo: seconds in which the box sends more than -50 dBFS up while it sounds and the user is silent: alone (F), round interruptions (B)
and in talk that continues (D), from 0.6 s before to 0.6 s after the talker; in turns (T), up to the talker's own edges.
Turns: half of their loud frames go up. Cut: loud frames of the talker that come out more than 10 dB down, gate aside. STOI and cut
are those of score_people.py in DATA/scores.json.
"""
import argparse
import csv
import glob
import json
import os
import statistics

import numpy as np
from scipy.io import wavfile

RATE = 100  # periods a second
LOUD_DBFS = -50.0
KINDS = {"F": "alone", "B": "interruptions", "D": "talk that continues", "T": "talk in turns"}


def load(path):
    rate, samples = wavfile.read(path)
    return rate, samples / 32768 if samples.dtype.kind == "i" else samples


def levels(path, count):
    """dBFS of the first `count` periods; -120 beyond the end."""
    rate, samples = load(path)
    step = rate // RATE
    samples = np.pad(samples, (0, max(0, count * step - len(samples))))[: count * step]
    return 10 * np.log10(np.mean(samples.reshape(count, step) ** 2, axis=1) + 1e-12)


def gate(path):
    """For each period, whether it went up, immediately or later."""
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    sent = np.array([row["open"] == "1" for row in rows])
    for i, row in enumerate(rows):
        back = round(float(row["released_ms"]) / 10)
        sent[max(0, i - back): i] |= back > 0
    return sent


def spread(flags, before, after):
    """Each flag from `before` periods earlier to `after` periods later."""
    where = np.flatnonzero(flags)
    result = np.zeros(len(flags), bool)
    for shift in range(-before, after + 1):
        at = where + shift
        result[at[(at >= 0) & (at < len(flags))]] = True
    return result


def judge(folder, engine):
    with open(os.path.join(folder, "meta.json")) as file:
        meta = json.load(file)
    sent = gate(os.path.join(folder, f"out_{engine}.gate.csv"))
    near, far, mic = (levels(os.path.join(folder, name + ".wav"), len(sent)) for name in ("near_clean", "far", "mic"))
    out = levels(os.path.join(folder, f"out_{engine}.wav"), len(sent))
    lag = int(meta["delay_ms"][0] / 10)
    sounds = spread(far > -55, -lag, lag + 30) & (mic > meta["noise_level_dbfs"] + 6)
    is_by = spread(near > LOUD_DBFS, 5, 15) if meta["name"].startswith("T") else spread(near > LOUD_DBFS, 60, 60)
    result = {"echo": float(np.sum(sent & sounds & ~is_by & (out > LOUD_DBFS))) / RATE}
    if meta["utterances"]:
        loud = near > np.percentile(near[near > -60], 95) - 20
        result["upstream"] = 100 * float(np.mean(sent[loud]))
        turns = [loud & (np.arange(len(sent)) >= begin * RATE) & (np.arange(len(sent)) < end * RATE + 20)
                 for begin, end in meta["utterances"]]
        result["arrived"] = sum(bool(turn.any() and np.mean(sent[turn]) >= 0.5) for turn in turns)
        result["turns"] = len(turns)
    return result


def read(path):
    if not os.path.exists(path):
        return []
    with open(path) as file:
        return json.load(file)


def table(data, engine, beside):
    folders = {os.path.basename(f): f for f in glob.glob(os.path.join(data, "seed*", "*_far-*"))
               if os.path.exists(os.path.join(f, f"out_{engine}.gate.csv"))}
    found = {name: judge(folder, engine) for name, folder in folders.items()}
    scores = {(s["scenario"], s["engine"]): s for s in read(os.path.join(data, "scores.json"))}
    devices = sorted({name[2:] for name in found})

    def pair(scenario, figure, decimals):
        values = [figure(scenario, name) for name in (engine, beside)]
        return ", ".join("-" if value is None else f"{value:.{decimals}f}" for value in values)

    def score(figure):
        return lambda scenario, name: scores.get((scenario, name), {}).get(figure)

    lines = ["| device | " + " | ".join(f"echo {title}, s" for title in KINDS.values())
             + " | turns that arrive: interruptions, in turns | talk that continues: upstream, % |"
             + f" cut, %: {engine}, {beside} | STOI |", "|---" * 9 + "|"]
    totals = dict.fromkeys(KINDS, 0.0)
    for device in devices:
        rows = {kind: found.get(f"{kind}_{device}") for kind in KINDS}
        for kind, row in rows.items():
            totals[kind] += row["echo"] if row else 0
        cells = [f"{row['echo']:.2f}" if row else "-" for row in rows.values()]
        cells.append(", ".join(f"{rows[kind]['arrived']} of {rows[kind]['turns']}" if rows[kind] else "-" for kind in "BT"))
        cells.append(f"{rows['D']['upstream']:.0f}" if rows["D"] else "-")
        talk = f"D_{device}"
        cells += [pair(talk, score("cut_pct"), 0), pair(talk, score("dt_stoi"), 2)]
        lines.append(f"| {device} | " + " | ".join(cells) + " |")
    arrived = []
    for kind in "BT":
        rows = [row for name, row in found.items() if name.startswith(kind)]
        arrived.append(f"{sum(row['arrived'] for row in rows)} of {sum(row['turns'] for row in rows)}")
    lines.append("| all | " + " | ".join(f"{total:.2f}" for total in totals.values()) + f" | {', '.join(arrived)} | | "
                 + " | ".join(means(devices, score(figure), decimals, (engine, beside))
                              for figure, decimals in (("cut_pct", 0), ("dt_stoi", 3))) + " |")
    return "\n".join(lines)


def means(devices, figure, decimals, engines):
    cells = []
    for engine in engines:
        values = [value for device in devices if (value := figure(f"D_{device}", engine)) is not None]
        cells.append(f"{statistics.mean(values):.{decimals}f}" if values else "-")
    return ", ".join(cells)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("--engine", default="ours")
    parser.add_argument("--beside", default="speex")
    a = parser.parse_args()
    print(table(a.data, a.engine, a.beside))


if __name__ == "__main__":
    main()
