"""Compares two conversations of scripts/home-conversation-test: home_conversation.py FOLDER FOLDER."""
import json
import pathlib
import re
import sys

from room_tones import recording, tones


def told(folder):
    """States and words in their order, as the log has them, without times."""
    log = (folder / "daemon.log").read_text()
    wrong = re.findall(r"^\S+ (?:warning|error|critical) .*", log, re.M)
    return {
        "states": re.findall(r"info state from=\S+ to=(\S+)", log),
        "words": re.findall(r"\b(?:heard|said) text=.*|\bsaid .*", log),
        "complaints": [re.sub(r"^\S+ ", "", line) for line in wrong],
    }


def wire(folder):
    """The kinds of the messages of both sides; how the microphone's sound is divided among messages depends on the moment."""
    lines = [json.loads(line) for line in open(folder / "events.jsonl")]
    return {side: [line["event"].get("type") for line in lines if line["side"] == side] for side in ("server",)}


def sound(folder):
    """For each stretch of speech: its tones, as the time since the first one in ms, their length in ms and their frequency."""
    samples, rate = recording(str(folder / "speaker.wav"))
    answers = []
    last = None
    for begin, end, frequency in tones(samples, rate):
        if last is None or begin - last > rate * 0.7:
            answers.append([])
            first = begin
        answers[-1].append(((begin - first) * 1000 / rate, (end - begin) * 1000 / rate, frequency))
        last = end
    return answers


one, other = (pathlib.Path(path) for path in sys.argv[1:3])
failed = False


def check(what, good, detail=""):
    global failed
    failed = failed or not good
    print("ok   " if good else "WRONG", what, detail)


a, b = told(one), told(other)
# Without real-time priority, whatever starts on the machine may disturb the sound. If all else is right, there is no verdict.
disturbed = [line for line in b["complaints"] if "sound was disturbed" in line]
is_void = bool(disturbed) and any("no real-time priority" in line for line in b["complaints"])
if is_void:
    b["complaints"] = [line for line in b["complaints"] if line not in disturbed]
for what in a:
    check(f"the same {what}", a[what] == b[what], f"({len(a[what])})" if a[what] == b[what] else f"{a[what]} / {b[what]}")
a, b = wire(one), wire(other)
for side in a:
    check(f"the same messages of the {side}", a[side] == b[side], len(a[side]))
a, b = sound(one), sound(other)
check("the same number of stretches of speech", len(a) == len(b), f"{len(a)}, {len(b)}")
check("the same number of tones", [len(x) for x in a] == [len(x) for x in b], f"{[len(x) for x in a]} {[len(x) for x in b]}")
pairs = [(x, y) for left, right in zip(a, b) for x, y in zip(left, right)]
for index, what, limit in ((0, "times within an answer, ms", 11), (1, "lengths of the tones, ms", 11), (2, "their frequencies, Hz", 5)):
    worst = max((abs(x[index] - y[index]) for x, y in pairs), default=0)
    check(f"the same {what}", pairs and worst <= limit, f"differ by {worst:.1f} at most")
if is_void and not failed:
    print("VOID ", *disturbed)
    sys.exit(75)
sys.exit(failed)
