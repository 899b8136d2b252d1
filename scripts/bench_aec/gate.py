"""The barge-in gate: which talkers over echo it detects, and how often it opens without one.

It opens when 20 of 30 frames of 10 ms have speech by the detector, output above -50 dBFS, and less than 20 dB between
microphone and output. Computed here for every engine, so that all are compared by one rule; an engine with its own gate
reports when that opened, and those moments are counted instead.
"""
import numpy as np
from scipy import signal

LEVEL, TAKEN, NEEDED, WINDOW = -50.0, 20.0, 20, 30
SETTLE_S, HELD_S = 10.0, 1.0


def level(x, rate):
    step = rate // 100
    n = len(x) // step
    return 10 * np.log10(np.mean(x[: n * step].reshape(n, step) ** 2, axis=1) + 1e-12)


def signs(mic, out):
    """For each frame of 10 ms, whether it indicates a talker."""
    import webrtcvad
    detector = webrtcvad.Vad(2)
    pcm = np.clip(signal.resample_poly(out, 1, 3) * 32768, -32768, 32767).astype("<i2")
    speech = np.array([detector.is_speech(pcm[i:i + 160].tobytes(), 16000) for i in range(0, len(pcm) - 159, 160)])
    before, after = level(mic, 48000), level(out, 48000)
    n = min(len(speech), len(before), len(after))
    return speech[:n] & (after[:n] > LEVEL) & (before[:n] - after[:n] < TAKEN)


def openings(sign):
    """The frames at which enough of the last ones indicate a talker."""
    return np.flatnonzero(np.convolve(sign.astype(int), np.ones(WINDOW, int))[: len(sign)] >= NEEDED)


def judge(mic, out, meta, own=None):
    sign = signs(mic, out) if own is None else None
    held = np.asarray(own, int) // 10 if own is not None else openings(sign)
    result = {}
    if meta["utterances"] and meta["params"]["far"]:
        late = []
        for start, _ in meta["utterances"]:
            at = int(start * 100)
            # Frames before the talker's start do not count towards a detection.
            first = held[(held >= at) & (held < at + 100)] - at if own is not None else openings(sign[at:at + 100])
            late.append((int(first[0]) + 1) * 10 if len(first) else None)
        heard = [value for value in late if value is not None]
        result["gate_detect_pct"] = 100.0 * len(heard) / len(late)
        result["gate_latency_ms"] = float(np.median(heard)) if heard else None
    elif meta["params"]["far"]:
        count, last = 0, -1e9
        for frame in held[held >= SETTLE_S * 100]:
            count += frame - last >= HELD_S * 100
            last = frame if frame - last >= HELD_S * 100 else last
        result["gate_false_per_min"] = float(60.0 * count / (meta["seconds"] - SETTLE_S))
    return result
