"""The daemon as a process, and what must hold after every case."""
import json
import os
import re
import signal
import socket
import subprocess
import time

KEY = "sk-canary-hostile-0123456789"
TOKEN = "canary-token-hostile-0123456789"
SECRETS = (KEY.encode(), TOKEN.encode())

MEMORY_GROWTH = 150 << 20
DESCRIPTOR_GROWTH = 24
THREADS = 64
CHILDREN = 3
LINES_PER_CASE = 30
LONGEST_LINE = 4096
PROCESSOR_SHARE = 0.75
PATIENCE = 3.0


class Broken(Exception):
    """The daemon did something that it must not do."""


class Daemon:
    def __init__(self, program, folder, settings, environment=None, wrapper=(), errors=None):
        """errors: where standard error goes, by default to the log."""
        self.folder = folder
        os.makedirs(f"{folder}/run", exist_ok=True)
        os.makedirs(f"{folder}/state/jarvis-voiced", exist_ok=True)
        self.log = f"{folder}/daemon.log"
        self.control = f"{folder}/run/jarvis-voiced/control.sock"
        variables = {
            "PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": folder, "XDG_RUNTIME_DIR": f"{folder}/run",
            "XDG_STATE_HOME": f"{folder}/state", "OPENAI_API_KEY": KEY, "JARVIS_TOKEN": TOKEN,
        }
        variables.update(environment or {})
        arguments = [*wrapper, program, "run"]
        for key, value in settings.items():
            arguments += ["--set", f"{key}={value}"]
        self.output = open(self.log, "ab")
        self.marked = os.path.getsize(self.log)
        self.process = subprocess.Popen(arguments, env=variables, stdin=subprocess.DEVNULL, stdout=self.output,
                                        stderr=errors or self.output, cwd=folder)
        self.baseline = None

    # What the daemon reports

    def ask(self, command, arguments=None, patience=PATIENCE):
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(patience)
            client.connect(self.control)
            line = json.dumps({"id": 1, "command": command, "arguments": arguments or {}})
            client.sendall(line.encode() + b"\n")
            received = b""
            while received.count(b"\n") < 2:
                piece = client.recv(65536)
                if not piece:
                    break
                received += piece
            return json.loads(received.split(b"\n")[1] or b"{}")

    def state(self):
        return self.ask("status").get("result", {}).get("state")

    def wait(self, what, seconds=15):
        """Waits until `what()` is true or the daemon has ended; returns whether it is true."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                if what():
                    return True
            except (OSError, ValueError, IndexError):
                pass
            if self.process.poll() is not None:
                return False
            time.sleep(0.02)
        return False

    def wait_for_control(self):
        return self.wait(lambda: self.state() is not None, 60)

    # What the kernel reports

    def _status(self, name):
        text = open(f"/proc/{self.process.pid}/status").read()
        return int(re.search(rf"^{name}:\s+(\d+)", text, re.M).group(1))

    def memory(self):
        return self._status("VmRSS") << 10

    def descriptors(self):
        try:
            return len(os.listdir(f"/proc/{self.process.pid}/fd"))
        except PermissionError:  # readable to root only, as it should be
            return 0

    def children(self):
        found = []
        for name in os.listdir("/proc"):
            if name.isdigit():
                try:
                    fields = open(f"/proc/{name}/stat").read().rpartition(")")[2].split()
                except OSError:
                    continue
                if int(fields[1]) == self.process.pid:
                    found.append(int(name))
        return found

    def processor(self):
        fields = open(f"/proc/{self.process.pid}/stat").read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    # The verdict

    def begin(self):
        self.baseline = (self.memory(), self.descriptors(), self.processor(), time.monotonic())

    def judge(self, is_quiet=True):
        """Raises `Broken` if anything is wrong after a case."""
        code = self.process.poll()
        if code is not None:
            raise Broken(f"it ended with {code}")
        try:
            if not self.ask("status").get("ok"):
                raise Broken("status is refused")
        except (OSError, ValueError, IndexError) as error:
            raise Broken(f"the control socket does not answer: {error!r}") from error
        memory, descriptors, _, _ = self.baseline
        if self.memory() > memory + MEMORY_GROWTH:
            raise Broken(f"{self.memory() >> 20} MB, {memory >> 20} before")
        if self.descriptors() > descriptors + DESCRIPTOR_GROWTH:
            raise Broken(f"{self.descriptors()} descriptors, {descriptors} before")
        if self._status("Threads") > THREADS:
            raise Broken(f"{self._status('Threads')} threads")
        # What a hook started ends with it, within a second.
        self.wait(lambda: len(self.children()) <= CHILDREN, 1.0)
        children = self.children()
        if len(children) > CHILDREN:
            raise Broken(f"{len(children)} children")
        for child in children:
            for name in ("cmdline", "environ"):
                self._no_secret(f"/proc/{child}/{name}")
        if is_quiet:
            self.judge_log()

    def judge_log(self):
        with open(self.log, "rb") as file:
            file.seek(self.marked)
            text = file.read()
        self.marked += len(text)
        # The commands of this test are logged themselves, one line each.
        lines = [line for line in text.split(b"\n") if b" info command command=" not in line]
        if len(lines) > LINES_PER_CASE:
            raise Broken(f"{len(lines)} lines in the log, such as {lines[-2][:200]!r}")
        for line in lines:
            if len(line) > LONGEST_LINE:
                raise Broken(f"a line of {len(line)} bytes: {line[:100]!r}")
            if re.search(rb"[\x00-\x08\x0b-\x1f\x7f]", line):
                raise Broken(f"control characters in the log: {line[:200]!r}")
            if b"Fatal error" in line or b"Crash" in line:
                raise Broken(line[:300].decode(errors="replace"))
        if any(secret in text for secret in SECRETS):
            raise Broken("a secret in the log")

    def judge_share(self):
        """Checks that nothing spins; returns the share of a processor used since `begin`."""
        _, _, used, since = self.baseline
        share = (self.processor() - used) / max(1.0, time.monotonic() - since)
        if share > PROCESSOR_SHARE:
            raise Broken(f"{share * 100:.0f} % of a processor")
        return share

    def _no_secret(self, path):
        try:
            content = open(path, "rb").read()
        except OSError:
            return
        if any(secret in content for secret in SECRETS):
            raise Broken(f"a secret in {path}")

    def judge_left(self):
        """Checks that no written file contains a secret."""
        for folder, _, names in os.walk(self.folder):
            for name in names:
                if os.path.isfile(f"{folder}/{name}"):
                    self._no_secret(f"{folder}/{name}")

    def stop(self, seconds=6):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise Broken(f"SIGTERM has not ended it within {seconds} s") from None
        finally:
            self.output.close()
        return code
