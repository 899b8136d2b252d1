"""The table of docs/results/echo.md, "With people", from the scores of score_people.py, with losses in bold.

    people_table.py scores.json [scores.json ...]       run by scripts/bench-people

Each cell is the median (worst) over pairs of voices and seeds. Bold is where jarvis-voiced misses its target, or where another
engine is better by more than the last digit.
"""
import csv
import json
import math
import os
import statistics
import sys

import device_table

ENGINES = {"ours": "jarvis-voiced", "library": "library", "aec3": "AEC3", "speex": "speexdsp", "mic": "raw", "near": "ideal"}
BOUNDS = ("mic", "near")


def of(figure, index=None, scale=1.0):
    def value(record):
        found = record.get(figure)
        if index is not None:
            found = dict(enumerate(found or [])).get(index)
        return math.inf if found == "never" else None if found is None else found * scale
    return value


# Title, scenario, figure, decimals, whether more is better, target (None: none).
ROWS = [
    ("far end alone, ERLE, dB", "F0", of("erle_db"), 0, True, 60),
    ("the same, +10 dB", "F1", of("erle_db"), 0, True, 50),
    ("music alone, ERLE, dB", "F2", of("erle_db"), 0, True, None),
    ("talk over music alone, ERLE, dB", "F6", of("erle_db"), 0, True, None),
    ("far end alone, AECMOS echo", "F0", of("aecmos_echo"), 2, True, None),
    ("false openings of the gate a minute", "F0", of("false_openings_per_min"), 1, False, 0),
    ("the gate is shut at the start, s", "F0", of("shut_s"), 2, False, 1.5),
    ("the same, +10 dB", "F1", of("shut_s"), 2, False, 1.5),
    ("the box is moved: dB in the 1st second", "F3", of("change_erle_db", 0), 0, True, 25),
    ("in the 2nd", "F3", of("change_erle_db", 1), 0, True, 35),
    ("in the 3rd", "F3", of("change_erle_db", 2), 0, True, 45),
    ("s to 20 dB", "F3", of("t20_jump_s"), 1, False, 0.5),
    ("echo that the gate lets up, above -50 dBFS, s", "F3", of("echo_upstream_loud_s"), 1, False, 0.2),
    ("talk in turns: the same", "T0", of("turns_echo_s"), 1, False, 0),
    ("at +10 dB", "T1", of("turns_echo_s"), 1, False, 0),
    ("interruptions, STOI", "B0", of("dt_stoi"), 3, True, 0.95),
    ("the same, +10 dB", "B1", of("dt_stoi"), 3, True, 0.92),
    ("the same, hard", "B4", of("dt_stoi"), 3, True, 0.85),
    ("loud frames of them cut, %", "B0", of("cut_pct"), 1, False, 2),
    ("the same, +10 dB", "B1", of("cut_pct"), 1, False, 2),
    ("the same, hard", "B4", of("cut_pct"), 1, False, 10),
    ("heard by level and detector, %", "B0", of("bi_detect_pct"), 0, True, 98),
    ("heard at the gate, %", "B0", of("gate_detect_pct"), 0, True, 98),
    ("talk that goes on, STOI", "D0", of("dt_stoi"), 3, True, 0.94),
    ("the same, +10 dB", "D1", of("dt_stoi"), 3, True, 0.92),
    ("the same, over music", "D3", of("dt_stoi"), 3, True, 0.94),
    ("loud frames of it cut, %", "D0", of("cut_pct"), 1, False, 2),
    ("talk that goes on: PESQ", "D0", of("dt_pesq"), 2, True, 2.4),
    ("AECMOS echo", "D0", of("aecmos_echo"), 2, True, 4.5),
    ("AECMOS degradation", "D0", of("aecmos_deg"), 2, True, 3.4),
    ("DNSMOS overall", "D0", of("dnsmos_ovrl"), 2, True, None),
    ("goes up through the gate: talk from 14 s, %", "D5", of("upstream_pct"), 1, True, 99),
    ("from 6 s", "D0", of("upstream_pct"), 1, True, 99),
    ("from the start", "D2", of("upstream_pct"), 1, True, 90),
    ("longest piece lost at the gate: from 6 s, s", "D0", of("upstream_lost_longest_s"), 2, False, 1),
    ("from the start, s", "D2", of("upstream_lost_longest_s"), 2, False, 1),
    ("talker alone, PESQ", "N0", of("ne_pesq"), 2, True, 4.0),
    ("STOI", "N0", of("ne_stoi"), 3, True, None),
    ("AECMOS degradation", "N0", of("aecmos_deg"), 2, True, 3.4),
    ("DNSMOS overall", "N0", of("dnsmos_ovrl"), 2, True, None),
]


def shut_seconds(folder):
    """How long nobody could open the gate, from its record; None without one."""
    try:
        with open(f"{folder}/out_ours.gate.csv", newline="") as file:
            return sum(row["shut"] == "1" for row in csv.DictReader(file)) / 100
    except (OSError, KeyError):
        return None


def cell(values, decimals, more):
    """The median, and its text with the worst value; None and a dash if nothing was measured."""
    if not values:
        return None, "-"
    def show(value):
        return "never" if math.isinf(value) else f"{value + 0.0:.{decimals}f}"
    middle = statistics.median(values)
    return middle, f"{show(middle)} ({show(min(values) if more else max(values))})"


def table(records):
    lines = ["| | " + " | ".join(ENGINES.values()) + " | target |", "|---" * (len(ENGINES) + 2) + "|"]
    for title, scenario, figure, decimals, more, target in ROWS:
        cells = {}
        for engine in ENGINES:
            values = [figure(r) for r in records if r["engine"] == engine and r["scenario"].startswith(scenario)]
            cells[engine] = cell([value for value in values if value is not None], decimals, more)
        ours, text = cells["ours"]
        if ours is not None:
            def worse(than, by):
                return ours < than - by if more else ours > than + by
            others = [cells[name][0] for name in ENGINES if name not in ("ours", *BOUNDS) and cells[name][0] is not None]
            if target is not None and worse(target, 10 ** -decimals / 2) or any(worse(o, 10 ** -decimals) for o in others):
                text = f"**{text}**"
        texts = [text if name == "ours" else cells[name][1] for name in ENGINES]
        lines.append(f"| {title} | " + " | ".join(texts) + f" | {'-' if target is None else target} |")
    return "\n".join(lines)


def main():
    records = []
    for path in sys.argv[1:]:
        with open(path) as file:
            scored = [record for record in json.load(file) if record["people"]]
        for record in scored:
            if record["engine"] == "ours":
                folder = f"{os.path.dirname(path)}/seed{record['seed']}/{record['scenario']}"
                record["shut_s"] = shut_seconds(folder)
                # score_people.py leaves out the second after a talker, in which the box answers.
                if record["scenario"].startswith("T"):
                    record["turns_echo_s"] = device_table.judge(folder, "ours")["echo"]
        records += scored
    if not records:
        sys.exit("bench-people: nothing was scored")
    print(table(records))
    print(f"\n{len({(r['pair'], r['seed']) for r in records})} pairs of voices and seeds, {len(records)} outputs scored")


if __name__ == "__main__":
    main()
