#!/usr/bin/env python3
"""Asks a Prometheus that scrapes jarvis-bridge what it knows, and compares that with the daemon and with docs/examples.

    page_prometheus.py http://127.0.0.1:9090 --ctl "jarvis-voiced ctl --json status" """
import argparse, bisect, json, pathlib, re, shlex, subprocess, time, urllib.parse, urllib.request

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("base")
parser.add_argument("--ctl", required=True)
options = parser.parse_args()
root = pathlib.Path(__file__).resolve().parent.parent


def api(path, **query):
    with urllib.request.urlopen(f"{options.base}/api/v1/{path}?{urllib.parse.urlencode(query)}", timeout=10) as answer:
        return json.load(answer)["data"]


def value(expression):
    """The value of an expression with one series; None without."""
    found = api("query", query=expression)["result"]
    assert len(found) < 2, f"{expression}: {found}"
    return float(found[0]["value"][1]) if found else None


def agree(what, wanted, holds=lambda given, wanted: given is not None and abs(given - wanted) < 1e-6):
    end = time.monotonic() + 10
    while not holds(given := value(what), wanted):
        assert time.monotonic() < end, f"{what} is {given}, and the daemon says {wanted}"
        time.sleep(0.2)


status = json.loads(subprocess.run(shlex.split(options.ctl), capture_output=True, timeout=20).stdout)
agree('up{job="jarvis"}', 1)
agree("jarvis_up", 1)
agree("jarvis_turns_total", status["turns_total"])
agree(f'jarvis_state{{state="{status["state"]}"}}', 1)
agree("sum(jarvis_state)", 1)
agree("jarvis_volume_ratio", status["volumes"]["master"] / 100)
agree("min_over_time(up[10m])", 0)  # while the bridge was dead
# The bridge counts the latencies of turns that end while it runs.
stage = 'jarvis_turn_stage_seconds_{}{{stage="first_sample"}}'.format
seen = int(value(stage("count")))
times = sorted(turn["first_sample_ms"] / 1000 for turn in status["turn_list"][-seen:])
agree(stage("sum"), sum(times))
bounds = [0, 0.1, 0.2, 0.3, 0.5, 0.75, 1, 1.5, 2, 3, 5, 8, 13, 30]
above = bisect.bisect_left(bounds, times[-1])
agree('histogram_quantile(0.99, jarvis_turn_stage_seconds_bucket{stage="first_sample"})', (bounds[above - 1], bounds[above]),
      lambda given, wanted: wanted[0] < given <= wanted[1])

rules = [rule for group in api("rules")["groups"] for rule in group["rules"]]
assert rules and all(rule["health"] == "ok" for rule in rules), [(rule["name"], rule["health"], rule.get("lastError")) for rule in rules]
dashboard = json.loads((root / "docs/examples/grafana-dashboard.json").read_text())
expressions = [target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", [])]
for expression in expressions:
    api("query", query=expression)
used = set(re.findall(r"\bjarvis_\w+", " ".join([rule["query"] for rule in rules] + expressions)))
scraped = set(api("label/__name__/values"))
# What this run has none of (tokens, wake words, reconnects) is looked up in the source.
source = (root / "Sources/JarvisBridge/Core/BridgeMetrics.swift").read_text()
unknown = [name for name in used - scraped if f'"{re.sub("_(bucket|sum|count)$", "", name)}"' not in source]
assert not unknown, f"rules or dashboard use what is not there: {unknown}"
print(f"ok    Prometheus: {len(scraped)} names, {len(rules)} rules and {len(expressions)} expressions of the dashboard in order; "
      f"only in the source: {', '.join(sorted(used - scraped)) or 'none'}")
