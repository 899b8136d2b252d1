"""A virtual room with a loudspeaker, a microphone, the daemon, and somebody who speaks with a human voice."""
import json
import os
import re
import signal
import subprocess
import sys
import time
import wave

import numpy as np
from scipy import signal as dsp

SHARED = os.path.realpath(os.environ.get("VOICE_SHARED", "../shared"))
TOOLS = os.environ.get("ROOM_TOOLS", SHARED + "/rig/virtual-room")
sys.path[:0] = [TOOLS, SHARED + "/aec/people"]

import kit  # noqa: E402
import roomctl  # noqa: E402

FS = 48000
FAR_SIDE, NEAR_SIDE = 0, 1
BOX_DBFS, TALKER_DBFS = -20.0, -28.0
# The echo is 5 dB above the talker; `rirs.npz` has responses of one room at two places, of energy 1.
ECHO_GAIN_DB = TALKER_DBFS + 5 - BOX_DBFS


def write_wav(path, samples, rate=FS):
    with wave.open(path, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(np.clip(np.round(np.asarray(samples) * 32768), -32768, 32767).astype("<i2").tobytes())


def read_wav(path):
    with wave.open(path) as file:
        return np.frombuffer(file.readframes(file.getnframes()), "<i2").astype(np.float32) / 32768


def at_level(samples, level):
    """Scales the samples to a level, measured on their louder half, so that pauses do not count."""
    frames = np.sort(np.mean(samples[: len(samples) // 480 * 480].reshape(-1, 480) ** 2, axis=1))
    return samples * 10 ** (level / 20) / np.sqrt(np.mean(frames[len(frames) // 2:]) + 1e-12)


class Voice:
    """Clips of one speaker; each side of a conversation gets every other one."""

    def __init__(self, folder, name, side, level, seed):
        clips = kit.read_voice(folder, name)[side::2]
        order = np.random.default_rng(seed).permutation(len(clips))
        self.clips = [at_level(clips[i], level) for i in order]
        self.next = 0

    def clip(self):
        self.next += 1
        return self.clips[(self.next - 1) % len(self.clips)]

    def talk(self, seconds, pause=0.25):
        """Clip after clip with short pauses."""
        parts, length = [], 0
        while length < seconds * FS:
            parts += [self.clip(), np.zeros(int(pause * FS))]
            length += len(parts[-2]) + len(parts[-1])
        return np.concatenate(parts)[: int(seconds * FS)]


def for_wire(samples):
    return np.clip(np.round(dsp.resample_poly(samples, 1, 2) * 32768), -32768, 32767).astype(np.int16)


class Room:
    """The card and the room. `frame_time` is the time of a microphone frame."""

    def __init__(self, scratch, rt="4"):
        self.scratch = scratch
        os.makedirs(scratch, exist_ok=True)
        self.environment = dict(os.environ, VIRTUAL_ROOM=scratch + "/room",
                                ROOM_BUILD=os.environ.get("ROOM_BUILD", scratch + "/build"))
        rooms = np.load(SHARED + "/aec/rirs.npz")
        for place in ("echo", "near"):
            write_wav(f"{scratch}/{place}.wav", rooms[place + rt])
        up = [TOOLS + "/up", "--echo-delay-ms", "20", "--echo-gain-db", str(ECHO_GAIN_DB), "--ir", scratch + "/echo.wav",
              "--noise-db", "-65"]
        told = subprocess.run(up, env=self.environment, capture_output=True, text=True)
        if told.returncode:
            sys.exit("room-people: no room: " + told.stderr.strip())
        for name, value in re.findall(r"export (\w+)=(.*)", told.stdout):
            self.environment[name] = value.strip("'\"")
        self.control = roomctl.Room(self.environment["VIRTUAL_ROOM"])
        self.origin = time.monotonic() - self.control.status()["mic_frame"] / FS
        self.said = []
        self.files = 0

    def frame_time(self, frame):
        return self.origin + frame / FS

    def say(self, samples, at=None):
        """Somebody speaks, now or at a time; returns begin and end."""
        path = f"{self.scratch}/say{self.files % 8}.wav"
        self.files += 1
        write_wav(path, samples)
        frame = [] if at is None else [round((at - self.origin) * FS)]
        said = self.control("say", path, 0, *frame)
        self.said.append((self.frame_time(said["start_frame"]), self.frame_time(said["end_frame"])))
        return self.said[-1]

    def move_box(self, place="near"):
        self.control("ir", f"{self.scratch}/{place}.wav")
        return time.monotonic()

    def record(self, folder):
        self.recorded = {}
        for tap in ("speech", "echo", "mic", "speaker"):
            path = os.path.abspath(f"{folder}/{tap}.wav")
            self.recorded[tap] = (path, self.frame_time(self.control("record", tap, path)["first_frame"]))

    def recordings(self):
        """For each tap, its samples and the time of the first."""
        for tap in self.recorded:
            self.control("stop", tap)
        return {tap: (read_wav(path), began) for tap, (path, began) in self.recorded.items()}

    def late_ms(self):
        return self.control.status().get("late_max_ms", 0)

    def down(self):
        subprocess.run([TOOLS + "/down"], env=self.environment, stdout=subprocess.DEVNULL)


class Daemon:
    """The program. Its buffer is longer than usual, because xruns by a late host are not under test."""

    def __init__(self, program, folder, room, port, agent, settings=(), buffer_ms=160):
        self.log = folder + "/daemon.log"
        state = room.scratch + "/state"
        os.makedirs(state, mode=0o700, exist_ok=True)
        self.socket = state + "/control.sock"
        open(room.scratch + "/empty.toml", "w").close()
        environment = dict(room.environment, XDG_RUNTIME_DIR=state, STATE_DIRECTORY=state, HOME=state,
                           OPENAI_API_KEY="sk-simulated", JARVIS_TOKEN="simulated")
        arguments = [program, "run", "--config", room.scratch + "/empty.toml", "--set",
                     f"realtime.url=ws://127.0.0.1:{port}/v1/realtime", "--set", f"jarvis.url=http://127.0.0.1:{agent}/ui",
                     "--set", f"audio.output_buffer_ms={buffer_ms}"]
        for setting in settings:
            arguments += ["--set", setting]
        self.environment, self.program = environment, program
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(arguments, env=environment, stderr=log, stdout=subprocess.DEVNULL)

    def lines(self):
        with open(self.log, errors="replace") as file:
            return file.read()

    def order(self, *words):
        """Sends a control command; returns its output."""
        told = subprocess.run([self.program, "ctl", *words], env=self.environment, capture_output=True, text=True)
        return told.stdout.strip() or told.stderr.strip()

    def stop(self):
        """Ends the program; returns its exit status and its counters."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = self.process.wait()
        stopped = re.search(r"info stopped (.*)", self.lines())
        return code, dict(re.findall(r"(\w+)=(\d+)", stopped.group(1))) if stopped else {}


def save(path, value):
    with open(path, "w") as file:
        json.dump(value, file, indent=1)
        file.write("\n")
