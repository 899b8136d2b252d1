"""Runs the groups of cases, and prints for each how many were carried out, or which one broke the daemon."""
import os
import shutil
import sys
import tempfile
import time
import traceback

from . import groups
from .daemon import Broken
from .service import Replies, Service

LEAST = 300


def main():
    program, wanted = sys.argv[1], sys.argv[2:] or list(groups.ALL)
    folder = tempfile.mkdtemp(prefix="hostile-")
    stage = groups.Stage(program, folder, Service(), Replies(), Replies())
    start = time.monotonic()
    total, broken = 0, []
    for name in wanted:
        count, last, daemon = 0, "the start", None
        began = time.monotonic()
        try:
            for daemon, last in groups.ALL[name](stage):
                if daemon is not None:
                    daemon.judge()
                count += 1
        except Exception as error:  # whatever it is, the other groups still run
            reason = str(error) if isinstance(error, Broken) else traceback.format_exc()
            broken.append(name)
            print(f"hostile-test: {name}: BROKEN behind \"{last}\": {reason}")
            if daemon is not None:
                print(open(daemon.log, errors="replace").read()[-1500:])
                daemon.process.kill()
        total += count
        print(f"hostile-test: {name}: {count} cases, {time.monotonic() - began:.0f} s", flush=True)
    if not broken:
        shutil.rmtree(folder)
    print(f"hostile-test: {total} cases, {len(broken)} groups broken, {time.monotonic() - start:.0f} s")
    if wanted == list(groups.ALL) and total < LEAST:
        print(f"hostile-test: {LEAST} cases are wanted")
        return 1
    return 1 if broken else 0


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    os._exit(status)  # the services' threads never end
