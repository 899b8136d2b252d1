"""The engines compared: each turns far.wav and mic.wav into out.wav and reports its cost."""
import hashlib
import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import time

BENCH = os.environ.get("VOICE_BENCH", ".build/release/VoiceBench")

# The card reports the true delay less 2 ms: cards count neither their converters nor the path through the air.
REPORTED_LESS_MS = 2.0
WRONG_BY_MS = 60.0


class Engine:
    def __init__(self, name, title, run, only=".", gate_only=False):
        """gate_only: it differs from another engine only in its gate, so only the gate's figures are reported."""
        self.name, self.title, self.run, self.only, self.gate_only = name, title, run, only, gate_only

    def applies(self, scenario):
        return re.match(self.only, scenario) is not None

    def version(self):
        """Part of the key of the kept results: changes whenever they may."""
        if self.name == "none":
            return "1"
        if self.name == "aec3":
            return importlib.metadata.version("livekit")
        with open(BENCH, "rb") as f:
            return hashlib.sha256(f.read()).hexdigest()[:16]


def nothing(folder, out, meta):
    shutil.copy(os.path.join(folder, "mic.wav"), out)
    return {"us_per_period": 0.0}


def voice_bench(engine, error_ms=None, told=False, duplex="auto"):
    def run(folder, out, meta):
        command = [BENCH, "cancel", "--engine", engine]
        if error_ms is not None:
            command += ["--start-delay-ms", str(max(0.0, meta["delay_ms"][0] + error_ms))]
        jump = meta["params"].get("jump")
        if told and jump:
            command += ["--jump-at-ms", str(jump[0] * 1000), "--jump-ms", str(jump[1])]
        voice = os.path.join(folder, "voice.wav")
        if os.path.exists(voice):
            command += ["--voice", voice]
        elif meta["params"]["far"] == "music":
            command += ["--voice", "none"]
        if engine == "ours":
            command += ["--gate", os.path.splitext(out)[0] + ".gate.csv"]
        command += ["--duplex", duplex, os.path.join(folder, "far.wav"), os.path.join(folder, "mic.wav"), out]
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode:
            raise RuntimeError((result.stdout + result.stderr).strip()[-300:])
        return json.loads(result.stdout)
    return run


def aec3(folder, out, meta):
    """The AEC3 of a current WebRTC with noise suppression and high-pass filter; it finds the delay by itself."""
    from livekit import rtc
    from scipy.io import wavfile
    apm = rtc.AudioProcessingModule(echo_cancellation=True, noise_suppression=True, high_pass_filter=True)
    rate, far = wavfile.read(os.path.join(folder, "far.wav"))
    _, mic = wavfile.read(os.path.join(folder, "mic.wav"))
    step, result = rate // 100, mic.copy()
    began = time.thread_time()
    for at in range(0, len(mic) - step + 1, step):
        reverse = rtc.AudioFrame(far[at:at + step].tobytes(), rate, 1, step)
        apm.process_reverse_stream(reverse)
        frame = rtc.AudioFrame(mic[at:at + step].tobytes(), rate, 1, step)
        apm.set_stream_delay_ms(0)
        apm.process_stream(frame)
        result[at:at + step] = frame.data
    spent = time.thread_time() - began
    wavfile.write(out, rate, result)
    return {"us_per_period": spent * 1e6 / (len(mic) // step)}


ENGINES = [
    Engine("none", "no processing", nothing),
    Engine("library", "library as PipeWire sets it", voice_bench("library")),
    Engine("aec3", "AEC3 (livekit)", aec3),
    Engine("speex", "speexdsp MDF 200 ms + preprocessor", voice_bench("speex")),
    Engine("ours", "**jarvis-voiced**", voice_bench("ours", -REPORTED_LESS_MS)),
    Engine("ours_wrong", "jarvis-voiced, reported delay 60 ms too long", voice_bench("ours", WRONG_BY_MS), "F"),
    Engine("ours_told", "jarvis-voiced, told of the jump", voice_bench("ours", -REPORTED_LESS_MS, True), "F14|F15"),
    Engine("ours_half", "jarvis-voiced, half duplex", voice_bench("ours", -REPORTED_LESS_MS, duplex="half"), "M", True),
]
