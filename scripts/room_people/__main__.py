"""Scenarios with people in the virtual room, and verdicts: see scripts/room-people."""
import argparse
import os
import re
import signal
import sys
import threading
import time

import numpy as np

from hostile_test.service import Replies, Service

from . import judge
from .room import (BOX_DBFS, FAR_SIDE, NEAR_SIDE, TALKER_DBFS, Daemon, Room, Voice, dsp, for_wire, save, write_wav)
from .service import RATE, LiveConnection, VoiceConnection

# Talker and box. `say` is Piper's voice from the shared kit, the others are people.
PAIRS = {"man": ("en_man", "say"), "actors": ("cs_woman", "cs_man"), "woman": ("en_woman", "fr_woman"),
         "lowest": ("en_low_man", "say"), "low": ("nl_man", "en_woman"), "same": ("en_man", "en_man")}
# Echo fainter than this beside the talker's voice tests nothing.
LEAST_ECHO_DB = -10.0
# In seconds: how long the box talks, when and for how long the visitor speaks, and when the box is moved.
SCENARIOS = {
    "cold": dict(seconds=14, talks=[(0.6, 10)]),
    "on": dict(seconds=22, talks=[(8, 10)]),
    "moved": dict(seconds=28, talks=[(21, 5)], moved=12),
    # With GPT-Live, which speaks while it hears. The box cuts its voice off when a user speaks; this service continues.
    "live": dict(seconds=36, talks=[(8, 22)], live=True),
    "interruptions": dict(seconds=36, talks=[(5 + 4.5 * i, 1.2 + 0.3 * (i % 5)) for i in range(7)]),
}


class Verdict:
    def __init__(self):
        self.bad = 0

    def __call__(self, name, good, value):
        self.bad += not good
        print("  ok    " if good else "  WRONG ", f"{name}: {value}", flush=True)


def word_of_move(daemon, seconds=5):
    """What `ctl status` reports about the move within this time; None if nothing."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if found := re.search(r"the box was moved[^;\n]*", daemon.order("status")):
            return found.group()
        time.sleep(0.25)
    return None


def scenario(name, pair, options, verdict):
    """Plays one scenario and returns its figures; None if it is void."""
    plan = SCENARIOS[name]
    near, far = PAIRS[pair]
    folder = os.path.realpath(f"{options.out}/{pair}-{name}")
    os.makedirs(folder, exist_ok=True)
    seed = options.seed * 100 + list(SCENARIOS).index(name)
    person = Voice(options.voices, near, NEAR_SIDE, TALKER_DBFS, seed)
    box = Voice(options.voices, far, FAR_SIDE, BOX_DBFS, seed + 50).talk(plan["seconds"])
    is_live = "live" in plan
    service, agent = Service(LiveConnection if is_live else VoiceConnection), Replies()
    room = Room(f"{options.scratch}/{pair}-{name}")
    daemon = None
    try:
        room.record(folder)
        settings = ["service.use=openai-live", f"live.url=ws://127.0.0.1:{service.port}/v1/live/sessions", "budget.day_usd=5"]
        daemon = Daemon(options.program, folder, room, service.port, agent.port, settings if is_live else ())
        connection = service.current()
        if connection is None:
            sys.exit(f"room-people: the program does not connect: {folder}/daemon.log")
        time.sleep(0.5)
        began = time.monotonic()
        threading.Thread(target=connection.play, args=[for_wire(box)], daemon=True).start()
        talks = [(begin, person.talk(length)) for begin, length in plan["talks"]]
        moved = None
        for begin, talk in talks:
            if "moved" in plan and moved is None and begin > plan["moved"]:
                time.sleep(max(0, began + plan["moved"] - time.monotonic()))
                moved = room.move_box()
                told = word_of_move(daemon)
            time.sleep(max(0, began + begin - 0.2 - time.monotonic()))
            room.say(talk, began + begin)
        time.sleep(max(0, began + plan["seconds"] + 1 - time.monotonic()))
        heard, arrival = connection.heard()
        late = room.late_ms()
        taps = room.recordings()
        code, counts = daemon.stop()
    finally:
        if daemon and daemon.process.poll() is None:
            daemon.process.kill()
            daemon.process.wait()
        room.down()
    write_wav(f"{folder}/upstream.wav", heard / 32768, RATE)
    figures = dict(host_late_ms=late)
    disturbed = sum(int(value) for value in counts.values())
    if disturbed:
        print(f"{pair}, {name}: VOID, the sound was disturbed {disturbed} times: the host was up to {late:.1f} ms late", flush=True)
        return None
    pieces = []
    speech, first = taps["speech"]
    clean = dsp.resample_poly(speech, 1, 2)
    for number, ((begin, end), _) in enumerate(zip(room.said, talks)):
        at = round((begin - first) * RATE)
        piece = clean[at: at + round((end - begin) * RATE)]
        pieces.append(piece)
        both = None
        if is_live:
            sound, start = taps["echo"]
            sound = dsp.resample_poly(sound, 1, 2)
            at = round((begin - start) * RATE)
            both = judge.at_once(piece, sound[at: at + len(piece)])
            figures["at_once_s"] = round(np.count_nonzero(both) / 50, 1)
        up, lost = judge.talker(piece, heard / 32768, begin, arrival, both)
        figures.setdefault("upstream_pct", []).append(round(float(up), 1))
        figures.setdefault("lost_longest_s", []).append(lost)
    loud, false = judge.box(heard, arrival, room.said, began, began + plan["seconds"])
    figures.update(echo_up_s=round(loud, 2), box_heard_as_speech=[round(at - began, 2) for at in false],
                   heard_ms=judge.interruptions(heard, arrival, room.said, pieces),
                   echo_over_talker_db=round(judge.echo_over_talker(taps["echo"][0], speech), 1))
    print(f"{pair}, {name}: " + ", ".join(f"{key} {value}" for key, value in figures.items()), flush=True)
    everything = np.mean(figures["upstream_pct"])
    least, longest = {"cold": (75, 1.0), "on": (98, 1.0), "moved": (95, 1.0), "interruptions": (90, 1.5),
                      "live": (90, 1.0)}[name]
    if is_live:
        verdict("both speak at once", figures["at_once_s"] >= 10, f"{figures['at_once_s']:.1f} s, 10 wanted")
    verdict("the box sounds", figures["echo_over_talker_db"] > LEAST_ECHO_DB, f"{figures['echo_over_talker_db']} dB over the talker")
    verdict("the talker is heard upstream", everything >= least, f"{everything:.1f} %, {least} wanted")
    verdict("longest piece of him lost", max(figures["lost_longest_s"]) <= longest, f"{max(figures['lost_longest_s']):.2f} s")
    verdict("the box does not answer itself", not false, f"taken for speech {len(false)} times")
    verdict("its echo goes up", loud <= 0.5, f"{loud:.2f} s louder than -50 dBFS, 0.5 at most")
    missed = figures["heard_ms"].count(None)
    verdict("a detector hears him within a second", not missed, f"{len(talks) - missed} of {len(talks)}")
    if moved is not None:
        figures["told"] = told
        verdict("status tells of the move", told is not None, told or "not within 5 s")
    verdict("ends with status 0", code == 0, code)
    return dict(pair=pair, scenario=name, counts=counts, **figures)


def main():
    parser = argparse.ArgumentParser(prog="room-people", description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--voices", required=True, help="what get_voices has made")
    parser.add_argument("--scratch", required=True)
    parser.add_argument("--out", default=".build/room-people")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pairs", default="man,actors,woman")
    parser.add_argument("--scenarios", default=",".join(SCENARIOS), help=", ".join(SCENARIOS))
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    verdict = Verdict()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    told, void = [], 0
    for pair in options.pairs.split(","):
        for name in options.scenarios.split(","):
            # A void scenario proves nothing, and is played again.
            found = next(filter(None, (scenario(name, pair, options, verdict) for _ in range(3))), None)
            void += found is None
            told += [found] if found else []
    save(f"{options.out}/figures.json", told)
    print(f"room-people: {len(told)} judged, {void} void, {verdict.bad} WRONG")
    sys.exit(1 if verdict.bad else 75 if void else 0)


main()
