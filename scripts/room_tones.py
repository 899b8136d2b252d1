"""The marker tones of the simulated voice, in recordings."""
import array
import re
import wave


def frequency(word):
    """The tone that marks a word: FNV-1a of its letters and digits, as the simulator has it."""
    value = 2166136261
    for byte in re.sub("[^a-z0-9]", "", word.lower()).encode():
        value = (value ^ byte) * 16777619 & 0xFFFFFFFF
    return 300 + value % 240 * 10


def tones(samples, rate):
    """Stretches of sound, as begin and end in frames and a frequency in Hz, by zero crossings away from the ramps."""
    block, ramp = rate // 200, rate // 100
    loud = [max(map(abs, samples[i:i + block])) > 330 for i in range(0, len(samples) - block, block)] + [False]
    found, begin = [], None
    for index, sounds in enumerate(loud):
        if sounds and begin is None:
            begin = index * block
        if not sounds and begin is not None:
            end, crossings = index * block, []
            for i in range(begin + ramp + 1, end - ramp):
                if samples[i - 1] < 0 <= samples[i]:
                    crossings.append(i - samples[i] / (samples[i] - samples[i - 1]))
            span = crossings[-1] - crossings[0] if len(crossings) > 1 else 0
            found.append((begin, end, (len(crossings) - 1) * rate / span if span else 0))
            begin = None
    return found


def recording(path):
    """The samples of the first channel, and the frames a second."""
    with wave.open(path) as file:
        samples = array.array("h", file.readframes(file.getnframes()))
        return samples[::file.getnchannels()], file.getframerate()
