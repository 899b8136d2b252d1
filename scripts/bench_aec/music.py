"""Scenarios with media at the loudspeaker, music or talk over music: alone, with a talker, and during an answer.
Sources and rooms are those of make_scenarios.py; the gain of the media follows the product.

Each scenario has one more file than those of make_scenarios.py: voice.wav, the answer in far.wav; the rest is media.
"""
import importlib
import json
import os
import sys

import numpy as np
from scipy import signal
from scipy.io import wavfile

SECONDS = 60.0
# config/jarvis-voiced.toml: ducked_level, ducked_level_user, release_ms. The fall time is that of MediaPlayback.
UNDER_VOICE, UNDER_USER, FALL_S, BACK_S = 0.6, 0.25, 0.03, 0.3
# From the first word until speech_started, and from the last until speech_stopped, as a server reports them.
HEARD_S, ENDED_S = 0.4, 0.6

BASE = dict(far="music", near=None, answer=False, rt=0.4, delay=80.0, ppm=0.0, enr=5.0, noise=-65.0, drive=1.0, jump=None)
SCENARIOS = {
    # media alone, never ducked; enr: echo of unducked media over a talker, in dB
    "M00_quiet": dict(enr=-10.0),
    "M01_base": {},
    "M02_loud": dict(enr=15.0),
    "M03_talk": dict(far="talk"),
    "M04_talk_loud": dict(far="talk", enr=15.0),
    "M05_pieces": dict(far="pieces"),
    # somebody speaks every 6 s
    "M10_quiet": dict(near="sparse", enr=-10.0),
    "M11_base": dict(near="sparse"),
    "M12_loud": dict(near="sparse", enr=15.0),
    "M13_talk": dict(near="sparse", far="talk"),
    "M14_talk_loud": dict(near="sparse", far="talk", enr=15.0),
    # the same while the box answers, with the media ducked
    "M20_answer": dict(near="sparse", answer=True),
    "M21_answer_loud": dict(near="sparse", answer=True, enr=15.0),
    "M22_answer_talk": dict(near="sparse", answer=True, far="talk"),
    # an answer over media, without a talker
    "M30_answer_alone": dict(answer=True),
}


def media(maker, kind, n, rng):
    """At -20 dBFS: chords with percussion, the same under talk, or pieces of 10 s, 10 dB apart."""
    music = maker.set_level(maker.far_music(n, rng), -20)
    if kind == "talk":
        talk = maker.set_level(maker.far_speech(n, rng), -20)
        return maker.set_level(talk + 0.5 * music, -20)
    if kind == "pieces":
        loud = (np.arange(n) // (10 * maker.FS)) % 2
        return maker.set_level(music * np.where(loud == 1, 1.0, 10 ** (-10 / 20)), -20)
    return music


def gains(n, rate, under_user, under_voice):
    """The gain of the media for each sample: linear ramps between the levels, see DuckControl."""
    wanted = np.ones(n)
    wanted[under_voice] = UNDER_VOICE
    for start, end in under_user:
        wanted[int((start + HEARD_S) * rate): int((end + ENDED_S) * rate)] = UNDER_USER
    result, at = np.empty(n), 0
    level = 1.0
    for end in list(np.flatnonzero(np.diff(wanted)) + 1) + [n]:
        target = wanted[at]
        ramp = int((FALL_S if target < level else BACK_S) * rate)
        line = np.full(end - at, target)
        m = min(ramp, len(line))
        line[:m] = level + (target - level) * np.arange(1, m + 1) / ramp
        result[at:end] = line
        level, at = line[-1], end
    return result


def sounding(maker, voice):
    """Where the voice sounds, including pauses of up to 0.5 s."""
    step = maker.FS // 100
    loud = np.max(np.abs(voice[: len(voice) // step * step].reshape(-1, step)), axis=1) > 0.001
    loud = np.convolve(loud, np.ones(51))[: len(loud)] > 0
    return np.concatenate([np.repeat(loud, step), np.zeros(len(voice) % step, bool)])


def build(maker, name, p, seed):
    """Returns far end, voice, microphone and talker at full scale 1, and their metadata."""
    fs, n = maker.FS, int(SECONDS * maker.FS)
    rooms, room = maker.rirs(), "%d" % round(p["rt"] * 10)
    delay = maker.delay_track(n, p["delay"], p["ppm"], p["jump"])

    def at_microphone(x):
        return signal.fftconvolve(maker.warp(maker.loudspeaker(x, p["drive"]), delay), rooms["echo" + room])[:n]

    random = np.random.default_rng(seed)
    sound = media(maker, p["far"], n, random)
    voice = maker.set_level(maker.far_speech(n, random), -20) if p["answer"] else np.zeros(n)
    near, utterances = np.zeros(n), []
    if p["near"]:
        dry, utterances = maker.near_speech(n, np.random.default_rng(seed + 100), maker.EVERY6)
        near = maker.set_level(signal.fftconvolve(dry, rooms["near" + room])[:n], maker.NEAR_LEVEL)
    # The gain of the room is set for unducked media; what ducking removes is not restored.
    gain = 10 ** ((maker.NEAR_LEVEL + p["enr"]) / 20) / maker.active_rms(at_microphone(sound))
    far = voice + sound * gains(n, fs, utterances, sounding(maker, voice))
    far, voice, near = (quantized(x) for x in (far, voice, near))
    noise = maker.noise(n, np.random.default_rng(seed + 200), p["noise"])
    microphone = quantized(near + gain * at_microphone(far) + noise)
    meta = dict(name=name, fs=fs, seconds=SECONDS, seed=seed, params=p, near_level_dbfs=maker.NEAR_LEVEL,
                noise_level_dbfs=p["noise"], utterances=utterances, jump_s=None,
                delay_ms=[round(float(v), 3) for v in delay[:: fs // 100] / fs * 1e3])
    return dict(far=far, voice=voice, mic=microphone, near_clean=near), meta


def quantized(x):
    return np.round(np.clip(x, -1, 32767 / 32768) * 32768) / 32768


def make(shared, folder, names, seed):
    """Writes the named scenarios."""
    sys.path.insert(0, os.path.abspath(shared))
    maker = importlib.import_module("make_scenarios")
    for name in names:
        sounds, meta = build(maker, name, dict(BASE, **SCENARIOS[name]), seed)
        path = os.path.join(folder, name)
        os.makedirs(path, exist_ok=True)
        for sound, samples in sounds.items():
            wavfile.write(os.path.join(path, sound + ".wav"), maker.FS, (samples * 32768).astype(np.int16))
        with open(os.path.join(path, "meta.json"), "w") as f:
            json.dump(meta, f)
        with open(os.path.join(path, "delay.txt"), "w") as f:
            f.write("\n".join("%.3f" % value for value in meta["delay_ms"]) + "\n")
