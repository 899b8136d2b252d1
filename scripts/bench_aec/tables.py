"""Means over scenarios and seeds, as Markdown."""
import math
import statistics

EASY = ("F00", "F01", "F02", "F03", "F04", "F10", "F12", "F13", "F16")
NOT_HARD = tuple("F%02d" % n for n in range(18))

# heading, prefixes of the scenarios' names, figure, decimals
GROUPS = {
    "Echo return loss enhancement with the far end alone, dB": [
        ("ordinary", EASY, "erle_db", 0),
        ("first 10 s", EASY, "erle_early_db", 0),
        ("400 ms", ("F05",), "erle_db", 0),
        ("50 ppm", ("F06", "F17"), "erle_db", 0),
        ("200 ppm", ("F07", "F08"), "erle_db", 0),
        ("RT60 0.6 s", ("F02",), "erle_db", 0),
        ("clip", ("F09",), "erle_db", 0),
        ("loud", ("F11",), "erle_db", 0),
        ("hard", ("F18",), "erle_db", 0),
        ("10 s after +100 ms", ("F14",), "erle_after_jump_db", 0),
        ("to 20 dB, s", ("F14",), "t20_jump_s", 1),
        ("10 s after -60 ms", ("F15",), "erle_after_jump_db", 0),
        ("to 20 dB, s", ("F15",), "t20_jump_s", 1),
    ],
    "Double talk and talker alone": [
        ("STOI", ("D",), "dt_stoi", 2),
        ("PESQ", ("D",), "dt_pesq", 2),
        ("SDR dB", ("D",), "dt_sdr_db", 1),
        ("talker dB", ("D",), "dt_gain_db", 1),
        ("alone: PESQ", ("N",), "ne_pesq", 2),
        ("alone: STOI", ("N",), "ne_stoi", 3),
        ("alone: gain dB", ("N",), "ne_gain_db", 1),
    ],
    "Barge-in": [
        ("heard %", ("B",), "bi_detect_pct", 0),
        ("median ms", ("B",), "bi_latency_ms", 0),
        ("false a minute", NOT_HARD, "false_per_min", 1),
        ("hard", ("F18",), "false_per_min", 1),
        ("gate: heard %", ("B",), "gate_detect_pct", 0),
        ("median ms", ("B",), "gate_latency_ms", 0),
        ("gate: false a minute", NOT_HARD, "gate_false_per_min", 1),
        ("hard", ("F18",), "gate_false_per_min", 1),
    ],
    "Media alone": [
        ("quiet: ERLE dB", ("M00",), "erle_db", 0),
        ("as loud as F", ("M01",), "erle_db", 0),
        ("loud", ("M02",), "erle_db", 0),
        ("talk over music", ("M03",), "erle_db", 0),
        ("the same, loud", ("M04",), "erle_db", 0),
        ("pieces 10 dB apart", ("M05",), "erle_db", 0),
        ("false a minute", ("M0",), "false_per_min", 1),
        ("gate: music", ("M00", "M01", "M02"), "gate_false_per_min", 1),
        ("gate: talk", ("M03", "M04"), "gate_false_per_min", 1),
        ("gate: pieces", ("M05",), "gate_false_per_min", 1),
        ("gate: under an answer", ("M30",), "gate_false_per_min", 1),
    ],
    "Somebody speaks over media": [
        ("heard %", ("M1",), "bi_detect_pct", 0),
        ("gate: quiet %", ("M10",), "gate_detect_pct", 0),
        ("as loud as B", ("M11",), "gate_detect_pct", 0),
        ("loud", ("M12",), "gate_detect_pct", 0),
        ("talk over music", ("M13",), "gate_detect_pct", 0),
        ("the same, loud", ("M14",), "gate_detect_pct", 0),
        ("median ms", ("M1",), "gate_latency_ms", 0),
        ("STOI", ("M1",), "dt_stoi", 2),
        ("SDR dB", ("M1",), "dt_sdr_db", 1),
        ("talker dB", ("M1",), "dt_gain_db", 1),
        ("over an answer: heard %", ("M2",), "bi_detect_pct", 0),
        ("gate: heard %", ("M2",), "gate_detect_pct", 0),
        ("median ms", ("M2",), "gate_latency_ms", 0),
    ],
    "Cost": [
        ("us per 10 ms", ("",), "us_per_period", 0),
        ("ratio to the library", ("",), "cost_ratio", 2),
        ("latency ms", ("N",), "latency_ms", 1),
    ],
}


def numbers(results, scenarios, figure):
    found = []
    for scenario, result in results.items():
        if scenario.startswith(tuple(scenarios)):
            value = result.get(figure)
            if isinstance(value, (int, float)):
                found.append(value)
    return found


def cell(results, scenarios, figure, decimals):
    values = numbers(results, scenarios, figure)
    if not values:
        return "-"
    # If 20 dB was not reached again, a mean says nothing.
    if any(math.isinf(value) for value in values):
        return "never" if all(math.isinf(value) for value in values) else "not always"
    middle = statistics.median if figure in ("us_per_period", "cost_ratio") else statistics.fmean
    return "%.*f" % (decimals, middle(values) + 0.0)


def table(engines, everything, seeds, columns):
    """everything[engine][seed][scenario]; a cell is the mean over scenarios and seeds, for costs the median."""
    lines = ["| engine | " + " | ".join(column[0] for column in columns) + " |", "|---" * (len(columns) + 1) + "|"]
    for engine in engines:
        merged = {
            "%s seed%s" % (scenario, seed): result
            for seed in seeds for scenario, result in everything.get(engine.name, {}).get(seed, {}).items()
        }
        cells = [cell(merged, *column[1:]) for column in columns]
        if any(value != "-" for value in cells):
            lines.append("| " + " | ".join([engine.title] + cells) + " |")
    return "\n".join(lines)


def add_ratios(everything):
    for engine in everything.values():
        for seed, results in engine.items():
            for scenario, result in results.items():
                base = everything.get("library", {}).get(seed, {}).get(scenario, {}).get("us_per_period")
                if base and "us_per_period" in result:
                    result["cost_ratio"] = result["us_per_period"] / base


def report(engines, everything, seeds):
    add_ratios(everything)
    parts = []
    for title, columns in GROUPS.items():
        parts.append("### %s\n\n%s\n" % (title, table(engines, everything, seeds, columns)))
    parts.append("### Seed by seed\n")
    few = [("ordinary", EASY, "erle_db", 0), ("first 10 s", EASY, "erle_early_db", 0), ("STOI", ("D",), "dt_stoi", 2),
           ("SDR dB", ("D",), "dt_sdr_db", 1), ("heard %", ("B",), "bi_detect_pct", 0),
           ("false a minute", NOT_HARD, "false_per_min", 1)]
    for seed in seeds:
        parts.append("Seed %s\n\n%s\n" % (seed, table(engines, everything, [seed], few)))
    return "\n".join(parts)
