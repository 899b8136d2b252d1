"""One engine in one scenario: runs it, scores it, keeps the figures."""
import hashlib
import json
import os
import sys
import tempfile

import numpy as np

from . import gate
from .engines import ENGINES

SHARED = os.path.join(os.environ.get("VOICE_SHARED", "../shared"), "aec")
DATA = os.environ.get("AEC_DATA", ".build/aec")


def scorer():
    sys.path.insert(0, os.path.abspath(SHARED))
    import score
    return score


def digest(path):
    with open(path, "rb") as f:
        return hashlib.sha256(f.read()).hexdigest()[:16]


def measure(seed, scenario, name, key):
    """The figures, from the earlier run if nothing has changed since."""
    kept = os.path.join(DATA, "results", f"seed{seed}", scenario, name + ".json")
    if os.path.exists(kept):
        with open(kept) as f:
            result = json.load(f)
        if result.get("key") == key:
            return result
    engine = next(engine for engine in ENGINES if engine.name == name)
    folder = os.path.join(DATA, f"seed{seed}", scenario)
    score = scorer()
    with open(os.path.join(folder, "meta.json")) as f:
        meta = json.load(f)
    with tempfile.NamedTemporaryFile(suffix=".wav") as out:
        cost = engine.run(folder, out.name, meta)
        far, mic, near = (score.load(os.path.join(folder, name + ".wav")) for name in ("far", "mic", "near_clean"))
        processed = score.load(out.name)
    result = {}
    if not engine.gate_only:
        result = score.score(far, mic, near, processed, meta, pesq=bool(meta["utterances"]))
        result.update(us_per_period=cost["us_per_period"])
    result.update(gate.judge(mic[: len(far)], processed, meta, cost.get("gate_ms")))
    result.update(key=key)
    os.makedirs(os.path.dirname(kept), exist_ok=True)
    with open(kept + ".new", "w") as f:
        json.dump(result, f, default=lambda value: value.item() if isinstance(value, np.generic) else str(value))
    os.replace(kept + ".new", kept)
    return result
