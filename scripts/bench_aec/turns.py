"""Adds scenarios of talk in turns to those of make_people_scenarios.py and make_device_scenarios.py, in their layout.

    turns.py OUT --voices FOLDER [--pairs low,same] [--devices] [--seed N] [--only REGEX]

The box talks, then the user, then the box, never at the same time: 0.3 to 1.5 s pass between them. Nothing of what the box
says may go upstream. T0 is the room of F0, T1 that of F1; T_far-NN has the recorded echo of a device.
VOICE_SHARED (../shared) has the modules of the other scenarios.
"""
import argparse
import glob
import os
import re
import sys

SHARED = os.path.join(os.environ.get("VOICE_SHARED", "../shared"), "aec")
sys.path[:0] = [os.path.join(SHARED, "people"), os.path.join(SHARED, "devices")]

import numpy as np
from scipy import signal

import make_device_scenarios as devices
import make_people_scenarios as people
from kit import FS

SCENARIOS = {"T0_turns": {}, "T1_turns_loud": dict(enr=10.0, rt=0.6, delay=200.0)}
SECONDS = 48
BOX_S, USER_S = (2.5, 4.5), (1.2, 3.0)
# Between two turns, by the turn: the answer may come immediately.
PAUSES_S = (0.6, 0.3, 0.9, 0.5, 1.2, 0.4, 1.5, 0.8)
SETTLE_S = 1.0
# Turns of a device begin and end in the quietest pauses of its recording.
PAUSE_S = 0.12


def timeline(rng, first):
    """Turns as (of the user?, begin, end) in seconds, from the box's first words on."""
    at, turns = first, []
    while True:
        is_user = len(turns) % 2 == 1
        length = rng.uniform(*(USER_S if is_user else BOX_S))
        if at + length > SECONDS - 1:
            return turns
        turns.append((is_user, at, at + length))
        at += length + PAUSES_S[len(turns) % len(PAUSES_S)]


def user(clips, turns, n):
    """The user's turns, and where they lie in seconds."""
    track, where = np.zeros(n), []
    mine = [turn for turn in turns if turn[0]]
    for i, (_, begin, end) in enumerate(mine):
        clip = people.maker.set_level(people.shortened(clips[i % len(clips)], *USER_S), -20)[: int((end - begin) * FS)]
        at = int(begin * FS)
        track[at: at + len(clip)] += clip
        where.append([begin, begin + len(clip) / FS])
    return track, where


def room(out, folder, pair, voices, seed, name):
    """One of the calculated rooms."""
    p, n = dict(people.BASE, near="burst", **SCENARIOS[name]), SECONDS * FS
    rng = np.random.default_rng(seed + 400)
    turns = timeline(rng, 0.5)
    whole, _ = people.far_end(folder, "speech", voices[1], seed, n)
    far = people.quantized(whole * mask([turn[1:] for turn in turns if not turn[0]], n))
    echo = people.echo_of(far, p, people.maker.delay_track(n, p["delay"], p["ppm"], None))
    dry, where = user(people.utterances(folder, voices[0], people.NEAR_SIDE, rng), turns, n)
    near = signal.fftconvolve(dry, people.maker.rirs()["near%d" % round(p["rt"] * 10)])[:n]
    near = people.maker.set_level(near, p["level"])
    mic = near + echo + people.maker.noise(n, np.random.default_rng(seed + 200), p["noise"])
    devices.write(out, seed, name, far, mic, near, meta(pair, *voices, p["noise"], where, p["delay"], p))


def device(out, folder, path, seed):
    """The recorded echo of a device, which plays from one pause of its recording to the next."""
    name = os.path.basename(path)[: -len("-mic.flac")]
    rng, n, voice = np.random.default_rng(seed + 400), SECONDS * FS, devices.VOICES[seed % len(devices.VOICES)]
    far, echo = devices.read(path.replace("-mic", "-far")), devices.read(path)
    length, delay = min(len(far), len(echo)) // FS * FS, devices.lag_ms(far, echo)
    far, echo = far[:length], echo[:length]
    lag, tail = int(delay * FS / 1000), int(PAUSE_S * FS)
    pieces = talk_between_pauses(far)
    played, mic = np.zeros(n), devices.room(echo, SECONDS, np.random.default_rng(1))
    turns = timeline(rng, 3.0)
    for i, (_, begin, end) in enumerate(turn for turn in turns if not turn[0]):
        start, stop = pieces[i % len(pieces)]
        at, count = int(begin * FS), min(stop, length - lag - tail) - start
        played[at: at + count] = far[start: start + count] * edges(count)
        heard = slice(at + lag, at + lag + count + tail)
        share = edges(count + tail, tail)
        # Beside the echo the recording has the room's noise, too.
        mic[heard] = (1 - share) * mic[heard] + share * echo[start + lag: start + lag + count + tail]
    dry, where = user(people.utterances(folder, voice, people.NEAR_SIDE, rng), turns, n)
    near = people.maker.set_level(signal.fftconvolve(dry, people.maker.rirs()["near4"])[:n], devices.TALKER_DBFS)
    devices.write(out, seed, f"T_{name}", played, mic + near, near,
                  meta(name, voice, name, devices.noise_dbfs(echo), where, delay, dict(far="speech", near="burst")))


def talk_between_pauses(far):
    """(begin, end) in samples of talk from one pause to another, each as long as a turn of the box."""
    step, pause = FS // 100, int(PAUSE_S * 100)
    power = np.mean(far[: len(far) // step * step].reshape(-1, step) ** 2, axis=1)
    # Power of the pause that begins at each period.
    quiet = np.convolve(power, np.ones(pause), "valid")
    pieces, end = [], 0
    low, high = (int(100 * limit) for limit in BOX_S)
    while end + high < len(quiet):
        begin = end + int(np.argmin(quiet[end: end + 100])) + pause if not pieces else end + pause
        end = begin + low + int(np.argmin(quiet[begin + low: begin + high]))
        pieces.append((begin * step, end * step))
    return pieces


def edges(count, end=480):
    """A window with soft edges: 10 ms at the beginning, `end` samples at the end."""
    window = np.ones(count)
    window[:480] = np.linspace(0, 1, 480)
    window[count - end:] *= np.linspace(1, 0, end)
    return window


def mask(where, n):
    track = np.zeros(n)
    for begin, end in where:
        at, count = int(begin * FS), int((end - begin) * FS)
        track[at: at + count] = edges(count)
    return track


def meta(pair, near_voice, far_voice, noise, where, delay, params):
    return dict(pair=pair, near_voice=near_voice, far_voice=far_voice, near_level_dbfs=people.BASE["level"],
                noise_level_dbfs=noise, utterances=where, settle_s=SETTLE_S, model_window_s=(8.0, 28.0), delay_ms=[delay],
                params=params)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--voices", required=True)
    parser.add_argument("--pairs", default="")
    parser.add_argument("--devices", action="store_true")
    parser.add_argument("--seed", type=int, default=0, help="added to that of each scenario")
    parser.add_argument("--only", default=".")
    a = parser.parse_args()
    for pair in filter(None, a.pairs.split(",")):
        near, far, seed = people.PAIRS[pair]
        for name in SCENARIOS:
            if re.search(a.only, name):
                room(a.out, a.voices, pair, (near, far), seed + a.seed, name)
    if a.devices:
        clips = sorted(glob.glob(os.path.join(devices.HERE, "*-mic.flac")))
        for i, path in enumerate(clips):
            name = os.path.basename(path)[: -len("-mic.flac")]
            if name.startswith("far-") and re.search(a.only, f"T_{name}"):
                device(a.out, a.voices, path, 900 + i + a.seed)


if __name__ == "__main__":
    main()
