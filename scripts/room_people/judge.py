"""What a user notices: whether the talker was heard upstream, what was lost, and whether the box heard itself."""
import numpy as np

from .service import FRAME, LOUD_DBFS, RATE, Detector, dbfs

# Frames within DYNAMICS_DB of the talker's loud ones count; they are lost if they arrive LOST_DB lower.
DYNAMICS_DB, LOST_DB = 20.0, 10.0
BLOCK = RATE
# Range of the delay of a sound, in seconds: the path through the daemon, and what a gate held back.
EARLIEST, LATEST = -0.05, 1.0
# Around a talk, in seconds, what is heard may belong to it.
BEFORE, AFTER = 0.2, 1.4


def levels(samples):
    frames = samples[: len(samples) // FRAME * FRAME].reshape(-1, FRAME).astype(np.float64)
    return 10 * np.log10(np.mean(frames ** 2, axis=1) + 1e-12)


def talker(clean, heard, first, arrival, counts=None):
    """How much of the loud frames of the clean talk (24 kHz, from the time `first` on) went upstream, in percent, and
    the longest stretch of them that did not, in seconds. `heard` is what arrived, `arrival` when. `counts` says
    for each frame whether it counts; by default all do."""
    level = levels(clean)
    loud = level > np.percentile(level[level > -70], 95) - DYNAMICS_DB if np.any(level > -70) else np.zeros(0, bool)
    if counts is not None:
        loud &= np.pad(counts, (0, max(0, len(loud) - len(counts))))[:len(loud)]
    if not np.any(loud):
        return 0.0, 0.0
    # The arrival times give the place in `heard` for each block of the talk.
    places = np.arange(0, len(heard), RATE // 50)
    times = np.array([arrival(at) for at in places])
    passed, lost, longest = 0, 0, 0
    # Blocks of about a second; the remainder at the end belongs to the last one.
    starts = list(range(0, max(1, len(clean) - BLOCK // 2), BLOCK))
    for start, end in zip(starts, starts[1:] + [len(clean)]):
        frames = range(start // FRAME, min(len(level), end // FRAME))
        if not np.any(loud[frames.start:frames.stop]):
            continue
        block = clean[start:end]
        near = int(np.searchsorted(times, first + start / RATE)) * (RATE // 50)
        low = max(0, near + int(EARLIEST * RATE))
        window = heard[low: near + int(LATEST * RATE) + len(block)]
        if len(window) <= len(block):
            window = np.pad(window, (0, len(block) + 1 - len(window)))
        lag = best_lag(block, window)
        got = levels(window[lag:lag + len(block)])
        for offset, frame in enumerate(frames):
            if not loud[frame]:
                continue
            if offset < len(got) and got[offset] > level[frame] - LOST_DB:
                passed, lost = passed + 1, 0
            else:
                lost += 1
                longest = max(longest, lost)
    return 100 * passed / np.count_nonzero(loud), longest * FRAME / RATE


def at_once(talk, box):
    """The frames of a talk in which the box is heard too, its pauses of up to 0.3 s included. Both at 24 kHz, from the same time."""
    level = levels(box)
    loud = level > max(-60.0, np.percentile(level, 95) - DYNAMICS_DB)
    near = np.convolve(loud, np.ones(31), "same") > 0
    return near[:len(talk) // FRAME]


def best_lag(block, window):
    size = 1 << (len(window) + len(block)).bit_length()
    spectrum = np.fft.rfft(window, size) * np.conj(np.fft.rfft(block, size))
    return int(np.argmax(np.fft.irfft(spectrum, size)[: len(window) - len(block) + 1]))


def is_near(moment, said, before=BEFORE, after=AFTER):
    return any(begin - before <= moment <= end + after for begin, end in said)


def box(heard, arrival, said, since, until):
    """Between two times, while nobody speaks: seconds louder than -50 dBFS, and when a detector found speech."""
    frames = levels(heard.astype(np.float64) / 32768)
    moments = np.array([arrival((at + 1) * FRAME) for at in range(len(frames))])
    alone = [since <= moment <= until and not is_near(moment, said) for moment in moments]
    starts = [arrival(at) for at, has_begun in Detector().feed(heard) if has_begun]
    false = [start for start in starts if since <= start <= until and not is_near(start, said)]
    return np.count_nonzero((frames > LOUD_DBFS) & alone) * FRAME / RATE, false


def interruptions(heard, arrival, said, clean):
    """How soon a detector hears each talk, in ms; None if that is more than a second later than in the clean talk (or
    than its beginning, if it begins loudly). `clean` has the talks at 24 kHz."""
    starts = [arrival(at) for at, has_begun in Detector().feed(heard) if has_begun]
    times = []
    for (begin, _), talk in zip(said, clean):
        wide = (talk * 32768).astype(np.int16)
        alone = next((at / RATE for at, has_begun in Detector().feed(wide) if has_begun), 0.0)
        later = [start - begin for start in starts if 0 <= start - begin <= max(0.0, alone - 0.3) + 1.0]
        times.append(round(1000 * later[0]) if later else None)
    return times


def echo_over_talker(echo, speech):
    """Level of the echo relative to the talker in dB, by the loud frames of both."""
    return float(np.percentile(levels(echo), 90) - np.percentile(levels(speech[np.abs(speech) > 0]), 90)) \
        if np.any(speech) else float("nan")


__all__ = ["box", "dbfs", "echo_over_talker", "interruptions", "talker"]
