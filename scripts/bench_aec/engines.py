"""The echo cancellers that scripts/bench-people compares: each turns far.wav and mic.wav into out.wav and reports its cost."""
import collections
import json
import os
import subprocess
import time

BENCH = os.environ.get("VOICE_BENCH", ".build/release/VoiceBench")

# The card reports the true delay less 2 ms: cards count neither their converters nor the path through the air.
REPORTED_LESS_MS = 2.0

Engine = collections.namedtuple("Engine", "name run")


def voice_bench(engine, more=lambda out, meta: []):
    def run(folder, out, meta):
        command = [BENCH, "cancel", "--engine", engine, *more(out, meta)]
        voice = os.path.join(folder, "voice.wav")
        if os.path.exists(voice):
            command += ["--voice", voice]
        elif meta["params"]["far"] == "music":
            command += ["--voice", "none"]
        command += [os.path.join(folder, "far.wav"), os.path.join(folder, "mic.wav"), out]
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode:
            raise RuntimeError((result.stdout + result.stderr).strip()[-300:])
        return json.loads(result.stdout)
    return run


def ours(out, meta):
    return ["--start-delay-ms", str(max(0.0, meta["delay_ms"][0] - REPORTED_LESS_MS)),
            "--gate", os.path.splitext(out)[0] + ".gate.csv"]


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
    Engine("library", voice_bench("library")),
    Engine("aec3", aec3),
    Engine("speex", voice_bench("speex")),
    Engine("ours", voice_bench("ours", ours)),
]
