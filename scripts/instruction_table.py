#!/usr/bin/env python3
"""Runs the daemon in each state and prints how many instructions a second it executes: the table of docs/results/arm64.md, "At
rest and while talking". Run by scripts/bench-arm64, which makes what the folder BENCH holds.

    instruction_table.py BENCH [STATE...]     push, push-minute, wake, wake-minute, always, gate, speaks (all)

arm64 runs in QEMU with the plugin scripts/count_instructions.c, x86-64 in Valgrind, which is faster than QEMU there: both count
the same for a program of x86-64. The daemon plays to ALSA's `null` and hears a file of noise. Neither has a clock, so the
daemon's own sets the pace once it has noticed: in QEMU that takes some seconds, in which more than a minute of sound may pass.
Simulated service and agent run beside it. What is counted: all that the daemon and its libraries execute, without the kernel.
"""
import array
import json
import os
import pathlib
import random
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

BENCH = pathlib.Path(sys.argv[1])
SECONDS = 20
RATE = 48_000
NOISE_DBFS = -65
# More than the daemon reads.
NOISE_SECONDS = 600
# A word takes 0.4 s.
SPEECH = " ".join(["information"] * 150)
WAKE = 'mode = "wake"\nengine = "pocketsphinx"\nwake_words = "computer"'
# Name, keys of [activation], settling time in s, after which the canceller rests; whether the box speaks meanwhile.
STATES = {
    "push": ("`push`", 'mode = "push"', 16, False),
    "push-minute": ("`push`, after a minute of silence", 'mode = "push"', 70, False),
    "wake": ("`wake`, PocketSphinx", WAKE, 16, False),
    "wake-minute": ("`wake`, PocketSphinx, after a minute", WAKE, 70, False),
    "always": ("`always`, silence", 'mode = "always"', 25, False),
    "gate": ("`always`, voice gate shut", 'mode = "always"\nvoice_gate = true', 25, False),
    "speaks": ("conversation, the box speaks", 'mode = "always"', 4, True),
}
# Name, clock in MHz, instructions per cycle: the assumptions of docs/results/arm64.md.
BOARDS = [("Zero 2 W", 1000, 0.5), ("3B+", 1400, 0.5), ("4", 1500, 1.2), ("5", 2400, 1.3)]
LEAST_PACE, MOST_PACE = 0.98, 1.02


class Failed(Exception):
    pass


def libraries(root, triple="x86_64-linux-gnu"):
    # Those of PocketSphinx are in folders to which only an installation would link.
    return [root / "lib" / triple, *(root / "usr/lib" / triple / name for name in ("", "blas", "lapack"))]


def loader(root):
    """The start of a command that runs a program with the libraries of that root, whatever this machine has."""
    folders = libraries(root)
    found = next(folder / "ld-linux-x86-64.so.2" for folder in folders if (folder / "ld-linux-x86-64.so.2").exists())
    return [str(found), "--library-path", ":".join(map(str, folders))]


def program(architecture, name):
    return str(BENCH / f"programs-{architecture}/usr/bin" / name)


def make_noise(path):
    """White noise at the microphone, as the rig of docs/results/rest.md has it: 32 bits, mono."""
    random.seed(1)
    most = round(2**31 * 10 ** (NOISE_DBFS / 20) * 3**0.5)
    second = array.array("i", (random.randint(-most, most) for _ in range(RATE))).tobytes()
    with open(path, "wb") as file:
        for _ in range(NOISE_SECONDS):
            file.write(second)


class Services:
    """The simulated service, which speaks hardly faster than it is heard, and the agent."""

    def __init__(self):
        self.process = subprocess.Popen(
            [*loader(BENCH / "box-amd64"), program("amd64", "jarvis-simulator"), "serve", "--tones", "--speed", "1.05",
             "--otherwise", SPEECH],
            stdout=subprocess.PIPE, text=True,
        )
        self.ports = dict(pair.split("=") for pair in self.process.stdout.readline().split())
        if not self.ports:
            raise Failed("the simulated services do not start")

    def close(self):
        self.process.terminate()
        self.process.wait()


class Daemon:
    """The daemon in an emulator, which a subclass chooses."""

    architecture = ""

    def __init__(self, activation, services, folder):
        self.folder, self.log, self.noise = folder, folder / "log", folder.parent / "noise"
        for name in ("home", "runtime", "state"):
            (folder / name).mkdir(mode=0o700)
        (folder / "home/.asoundrc").write_text(
            'pcm.!default { type asym; playback.pcm "null"; capture.pcm { type file; slave.pcm "null"\n'
            f'    file "/dev/null"; infile "{self.noise}"; format raw }} }}\n'
        )
        box = BENCH / f"box-{self.architecture}"
        (folder / "config.toml").write_text(
            f'[audio]\nrealtime_priority = 0\n[echo]\nduplex = "full"\n[budget]\nhour_usd = 0\nday_usd = 0\n'
            f'[realtime]\nurl = "ws://127.0.0.1:{services.ports["realtime"]}/v1/realtime"\n'
            f'[jarvis]\nurl = "http://127.0.0.1:{services.ports["jarvis"]}/ui"\n'
            f'[activation]\nsphinx_model = "{box}/usr/share/pocketsphinx/model/en-us"\n{activation}\n'
        )
        environment = {
            "HOME": str(folder / "home"), "XDG_RUNTIME_DIR": str(folder / "runtime"), "PATH": "/usr/bin:/bin",
            "STATE_DIRECTORY": str(folder / "state"), "OPENAI_API_KEY": "sk-simulated", "JARVIS_TOKEN": "simulated",
            "ALSA_CONFIG_PATH": f"{box}/usr/share/alsa/alsa.conf", **self.environment(box),
        }
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(
                [*self.emulator(box), program(self.architecture, "jarvis-voiced"), "run", "--config",
                 str(folder / "config.toml")],
                env=environment, stdout=log, stderr=log,
            )

    def environment(self, box):
        return {}

    def command(self, name, **arguments):
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(20)
            client.connect(str(self.folder / "runtime/jarvis-voiced/control.sock"))
            client.sendall(json.dumps({"id": 1, "command": name, "arguments": arguments}).encode() + b"\n")
            for line in client.makefile():
                answer = json.loads(line)
                if answer.get("id") == 1:
                    if not answer["ok"]:
                        raise Failed(f"{name}: {answer['error']['message']}")
                    return answer["result"]
        raise Failed(f"{name}: no answer")

    def wait_for(self, what, condition, seconds=90):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.process.poll() is not None:
                raise Failed(f"the daemon ended before: {what}")
            try:
                if condition(self.command("status")):
                    return
            except OSError:
                pass  # its socket is not there yet
            time.sleep(0.2)
        raise Failed(f"not within {seconds} s: {what}")

    def heard(self):
        """Seconds of noise that it has read, and now."""
        position = 0
        folder = pathlib.Path(f"/proc/{self.process.pid}")
        for file in (folder / "fd").iterdir():
            try:
                if os.readlink(file) == str(self.noise):
                    information = (folder / "fdinfo" / file.name).read_text()
                    position = max(position, int(information.split()[1]))
            except OSError:
                pass  # closed meanwhile
        return position / (4 * RATE), time.monotonic()

    def pace(self, seconds):
        """How fast it reads the noise; 1 is real time."""
        (before, began), _ = self.heard(), time.sleep(seconds)
        after, ended = self.heard()
        return (after - before) / (ended - began)

    def close(self):
        """Ends it; returns the counters that it logs at the end."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        last = [line for line in self.log.read_text().split("\n") if " info stopped " in line]
        return dict(pair.split("=", 1) for pair in last[-1].split() if "=" in pair) if last else {}


class DaemonInQEMU(Daemon):
    architecture = "arm64"

    def emulator(self, box):
        # The oldest processor of the boards.
        self.counters = self.folder / "counters"
        return [
            *loader(BENCH / "emulator"), str(BENCH / "emulator/usr/bin/qemu-aarch64"), "-cpu", "cortex-a53", "-L", str(box),
            "-plugin", f"{BENCH}/count_instructions.so,counters={self.counters}",
        ]

    def environment(self, box):
        # As the emulated program sees them.
        folders = libraries(pathlib.Path("/"), "aarch64-linux-gnu")
        return {"QEMU_SET_ENV": "LD_LIBRARY_PATH=" + ":".join(map(str, folders))}

    def read(self):
        counts = {}
        for thread, instructions, *_ in struct.iter_unpack("<QQ48x", self.counters.read_bytes()):
            name = self.name(thread) if thread else ""
            counts[name] = counts.get(name, 0) + instructions
        return counts

    def name(self, thread):
        try:
            name = pathlib.Path(f"/proc/{self.process.pid}/task/{thread}/comm").read_text().strip()
        except OSError:
            name = ""
        return name if name.startswith("jv-") else "other"

    def start(self):
        self.before = self.read()

    def stop(self):
        """Instructions by the name of the thread."""
        return {name: count - self.before.get(name, 0) for name, count in self.read().items()}


class DaemonInValgrind(Daemon):
    architecture = "amd64"

    def emulator(self, box):
        self.output = self.folder / "counts"
        # Not counting, it is fast enough to find its pace.
        return [
            "valgrind", "-q", "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={self.output}",
            f"--vgdb-prefix={self.folder}/vgdb", "--log-file=/dev/null", "--fair-sched=yes", *loader(box),
        ]

    def order(self, *words):
        done = subprocess.run(
            ["vgdb", f"--vgdb-prefix={self.folder}/vgdb", f"--pid={self.process.pid}", *words],
            capture_output=True, text=True, timeout=30,
        )
        if done.returncode != 0:
            raise Failed(f"vgdb: {done.stderr[-300:]}")

    def start(self):
        self.order("instrumentation", "on")
        # Everything is compiled anew.
        time.sleep(4)
        self.order("zero")

    def stop(self):
        self.order("dump", "end")
        for file in sorted(self.folder.glob("counts.*")):
            for line in file.read_text().split("\n"):
                if line.startswith("totals: "):
                    return {"all": int(line.split()[1])}
        raise Failed("Valgrind has not written what it counted")


def measure(kind, state, folder):
    """Returns million instructions a second by the name of the thread."""
    _, activation, settling, speaks = STATES[state]
    services = Services()
    daemon = None
    try:
        daemon = kind(activation, services, folder)
        ready = "listening" if "always" in activation else "idle"
        daemon.wait_for(f"state {ready}", lambda status: status["state"] == ready)
        if "pocketsphinx" in activation:
            daemon.wait_for("wake words", lambda status: status["wake_engine"] != "off")
        for _ in range(60):
            if 0.9 < daemon.pace(1) < 1.1:
                break
        else:
            raise Failed("its pace is not that of real time after a minute")
        if speaks:
            daemon.command("ask", text="What is on today?")
            daemon.wait_for("the box speaks", lambda status: status["state"] == "aiSpeaking")
        time.sleep(settling)
        earlier = daemon.command("status")
        daemon.start()
        began = time.monotonic()
        pace = daemon.pace(SECONDS)
        passed = time.monotonic() - began
        counts = daemon.stop()
        status = daemon.command("status")
        threads = {name: count / passed / 1e6 for name, count in counts.items()}
        parts = ", ".join(f"{name} {value:.1f}" for name, value in sorted(threads.items(), key=lambda t: -t[1]) if value >= 0.05)
        print(f"{state}, {kind.architecture}: {parts}; {pace:.3f} of real time", file=sys.stderr, flush=True)
        if speaks and status["state"] != "aiSpeaking":
            raise Failed(f"the box fell silent: {status['state']}")
        if "minute" in state and status["loudspeaker"] != "resting":
            raise Failed(f"the loudspeaker is not closed: {status['loudspeaker']}")
        if not LEAST_PACE < pace < MOST_PACE:
            raise Failed(f"does not keep real time: {pace:.3f} of it")
        for name in ("capture_xruns", "playback_xruns"):
            if status[name] != earlier[name]:
                raise Failed(f"does not keep real time: {name} {status[name] - earlier[name]}")
        lost = daemon.close().get("lost_periods")
        if lost != "0":
            raise Failed(f"lost periods: {lost}")
        return threads
    except Failed as problem:
        text = daemon.log.read_text() if daemon else ""
        raise Failed(f"{problem}\n{text[-2000:]}")
    finally:
        if daemon:
            daemon.close()
        services.close()


def row(state, scratch):
    """A line of the table; whether all of it was measured."""
    sums, audio = {}, ""
    for kind in (DaemonInQEMU, DaemonInValgrind):
        folder = scratch / f"{state}-{kind.architecture}"
        folder.mkdir()
        try:
            threads = measure(kind, state, folder)
            sums[kind.architecture] = sum(threads.values())
            audio = audio or f" ({threads['jv-audio']:.1f})"
        except Failed as problem:
            print(f"bench-arm64: NOT MEASURED, {state}, {kind.architecture}: {problem}", file=sys.stderr, flush=True)
    arm, intel = (sums.get(name) for name in ("arm64", "amd64"))
    cells = [STATES[state][0], f"{arm:.1f}{audio}" if arm else "not measured", f"{intel:.1f}" if intel else "not measured"]
    cells.append(f"{arm / intel:.2f}" if arm and intel else "-")
    cells += [f"{arm / clock / rate:.1%}" if arm else "-" for _, clock, rate in BOARDS]
    print("| " + " | ".join(cells) + " |", flush=True)
    return len(sums) == 2


def main():
    wanted = sys.argv[2:] or list(STATES)
    if unknown := [state for state in wanted if state not in STATES]:
        sys.exit(f"bench-arm64: no state {unknown[0]}; there are {', '.join(STATES)}")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    heads = ["million instructions a second", "arm64 (audio thread)", "x86-64", "ratio", *(name for name, _, _ in BOARDS)]
    print("| " + " | ".join(heads) + " |\n" + "|---" * len(heads) + "|", flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        make_noise(f"{scratch}/noise")
        whole = [row(state, pathlib.Path(scratch)) for state in wanted]
    sys.exit(not all(whole))


main()
