"""Makes the sound of scripts/turn-curve, and its tables.

    turn_curve.py make FOLDER          speaks the sentences, and makes the other sounds; keeps what exists already
    turn_curve.py table RESULTS        reads the results of `VoiceBench turns`, and prints tables; status 1 if another
                                       sound was a turn

Two voices: Piper's en_US-joe-medium unchanged, and modified: 15 % higher with all its formants, a tenth slower.
Typing is also made of recorded keys if TURN_KEYS is a folder of them (Debian: bucklespring-data, /usr/share/buckle/wav); dishes and
coughs are synthesised. TURN_SECONDS: length of each sound. TURN_MUSIC: a folder of WAV files (mono, 16 bits, 48 kHz) that are heard as well.
"""
import collections
import json
import os
import pathlib
import statistics
import sys
import wave

VOICES = {"joe": (1.0, 1.0), "bent": (1.15, 1.1)}
SENTENCES = pathlib.Path(__file__).with_name("turn-sentences.txt")
# The first sentences only let a rule adapt to the talker; the rest are measured.
MEASURED_FROM = 12
SECONDS = int(os.environ.get("TURN_SECONDS", 180))


def make(folder):
    folder.mkdir(parents=True, exist_ok=True)
    options = {"seconds": SECONDS, "music": os.environ.get("TURN_MUSIC", "")}
    path = folder / "set.json"
    if path.exists() and json.loads(path.read_text()).get("options") == options:
        return
    # A text belongs to its sound.
    (folder / "texts.json").unlink(missing_ok=True)
    sentences = speak(folder)
    others = make_others(folder)
    path.write_text(json.dumps({"options": options, "sentences": sentences, "others": others}, indent=1))


def speak(folder):
    piper = piper_voice.Voice()
    made = []
    for voice, (pitch, slowness) in VOICES.items():
        (folder / voice).mkdir(exist_ok=True)
        for index, line in enumerate(SENTENCES.read_text().splitlines()):
            clauses = [piper.speak(text.strip(), pitch, slowness) for text in line.split("|")]
            names = [f"{voice}/{index:02}-{place}.wav" for place in "ab"]
            for name, sound in zip(names, piper_voice.levelled(clauses), strict=True):
                piper_voice.write(folder / name, sound)
            made.append({"voice": voice, "index": index, "first": names[0], "second": names[1]})
    return made


def make_others(folder):
    import numpy

    rate = piper_voice.RATE
    random = numpy.random.default_rng(23)
    time = numpy.arange(SECONDS * rate) / rate

    def at(level, sound):
        return sound * 10 ** (level / 20) / numpy.sqrt(numpy.mean(sound ** 2))

    def strokes(places, make_stroke):
        sound = numpy.zeros(SECONDS * rate)
        for place in places:
            start = int(place * rate)
            stroke = make_stroke()[:len(sound) - start]
            sound[start:start + len(stroke)] += stroke
        return sound

    def times(pause):
        """Random times within the sound, on average `pause` seconds apart."""
        return numpy.cumsum(random.exponential(pause, int(SECONDS / pause * 44 / 45))) % (SECONDS - 1)

    def key():
        length = numpy.arange(int(0.03 * rate)) / rate
        return random.normal(size=len(length)) * numpy.exp(-length / 0.004) * random.uniform(0.4, 1)

    def recorded_keys(folder):
        """Half a second of each recording of a key that is pressed."""
        keys = []
        for path in sorted(folder.glob("*-1.wav")):
            with wave.open(str(path)) as file:
                if file.getsampwidth() != 2:
                    continue
                sound = numpy.frombuffer(file.readframes(file.getnframes()), numpy.int16)[::file.getnchannels()] / 32768
                places = numpy.arange(0, min(len(sound), file.getframerate() // 2), file.getframerate() / rate)
                keys.append(numpy.interp(places, numpy.arange(len(sound)), sound))
        return keys

    def dish():
        length = numpy.arange(int(0.6 * rate)) / rate
        tones = sum(numpy.sin(2 * numpy.pi * random.uniform(800, 6000) * length) for _ in range(5))
        return tones * numpy.exp(-length / random.uniform(0.03, 0.15)) * random.uniform(0.2, 1)

    def cough():
        length = numpy.arange(int(random.uniform(0.25, 0.5) * rate)) / rate
        rough = numpy.convolve(random.normal(size=len(length)), numpy.ones(12) / 12, "same")
        return rough * numpy.minimum(1, length / 0.01) * numpy.exp(-length / 0.12)

    def music():
        scale = 220 * 2 ** (numpy.array([0, 3, 5, 7, 10, 12, 15]) / 12)
        sound = numpy.zeros(len(time))
        for beat in numpy.arange(0, SECONDS - 1, 0.4):
            start = int(beat * rate)
            length = numpy.arange(int(0.9 * rate)) / rate
            for tone in random.choice(scale, 3):
                body = sum(numpy.sin(2 * numpy.pi * tone * harmonic * length) / harmonic for harmonic in range(1, 8))
                note = body * numpy.minimum(1, length / 0.01) * numpy.exp(-length / 0.3)
                note = note[:len(sound) - start]
                sound[start:start + len(note)] += note
        return sound + 2 * strokes(numpy.arange(0, SECONDS - 1, 0.8), key)

    pink = numpy.fft.irfft(
        numpy.fft.rfft(random.normal(size=len(time))) / numpy.sqrt(numpy.maximum(1, numpy.arange(len(time) // 2 + 1)))
    )
    sounds = {
        "noise, -45 dBFS": at(-45, random.normal(size=len(time))),
        "noise that swells, to -30 dBFS": at(-36, pink * (1 + numpy.sin(2 * numpy.pi * time / 7))),
        "music, -30 dBFS": at(-30, music()),
        "typing": at(-45, strokes(times(0.16), key)),
        "dishes": at(-38, strokes(times(0.5), dish)),
        "coughs": at(-38, strokes(numpy.arange(2, SECONDS - 2, 2.6) + random.uniform(0, 1, len(numpy.arange(2, SECONDS - 2, 2.6))), cough)),
    }
    folder_of_keys = pathlib.Path(os.environ.get("TURN_KEYS", "/usr/share/buckle/wav"))
    keys = recorded_keys(folder_of_keys) if folder_of_keys.is_dir() else []
    if keys:
        sounds["typing, recorded keys"] = at(-45, strokes(times(0.16), lambda: keys[random.integers(len(keys))]))
    quiet = at(-65, random.normal(size=len(time)))
    made = []
    for index, (name, sound) in enumerate(sounds.items()):
        file = f"other-{index}.wav"
        piper_voice.write(folder / file, sound + quiet)
        made.append({"name": name, "file": file})
    for path in sorted(pathlib.Path(os.environ["TURN_MUSIC"]).glob("*.wav")) if "TURN_MUSIC" in os.environ else []:
        with wave.open(str(path)) as file:
            if (file.getnchannels(), file.getsampwidth(), file.getframerate()) != (1, 2, rate):
                sys.exit(f"turn_curve: {path} is not mono, 16 bits, 48 kHz")
            sound = numpy.frombuffer(file.readframes(file.getnframes()), numpy.int16) / 32768
        piper_voice.write(folder / f"recorded-{path.name}", at(-36, sound))
        made.append({"name": f"recorded music {path.stem}, -36 dBFS", "file": f"recorded-{path.name}"})
    return made


def percent(part, whole):
    return f"{100 * part / whole:.0f}" if whole else "-"


def quantile(values, part):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * part))]


def table(path):
    lines = [json.loads(line) for line in open(path)]
    speech = [line for line in lines if line.get("sentence") is not None and line["sentence"] >= MEASURED_FROM]
    rules = list(dict.fromkeys(line["rule"] for line in speech))
    pauses = sorted({line["pause"] for line in speech})

    def of(rule, **wanted):
        return [line for line in speech if line["rule"] == rule and all(line[name] == value for name, value in wanted.items())]

    def head(first):
        print("| " + " | ".join([first] + [str(pause) for pause in pauses]) + " |")
        print("|---" * (len(pauses) + 1) + "|")

    for group in [{}] + [{"noise": noise} for noise in (-65, -45)] + [{"voice": voice} for voice in VOICES]:
        name = ", ".join(f"{key} {value}" for key, value in group.items()) or "all"
        count = len(of(rules[0], pause=pauses[0], **group)) if rules else 0
        print(f"\n{name}: cut before the last word, of {count} sentences for each pause, in %; of them answered before it, in % of all\n")
        head("pause, ms")
        for rule in rules:
            cells = [
                (percent(sum(line["cuts"] > 0 for line in found), len(found)), percent(sum(line["isAnswered"] for line in found), len(found)))
                for found in (of(rule, pause=pause, **group) for pause in pauses)
            ]
            print(f"| {rule} | " + " | ".join(f"{cut} ({answered})" for cut, answered in cells) + " |")
    print("\nwait behind the last word, in ms: median, 95th; not answered at all\n")
    head("pause, ms")
    for rule in rules:
        cells = []
        for pause in pauses:
            found = of(rule, pause=pause)
            waits = [line["wait"] for line in found if "wait" in line]
            lost = len(found) - len(waits)
            cells.append(f"{statistics.median(waits):.0f}, {quantile(waits, 0.95)}" + (f"; {lost}" if lost else "") if waits else "-")
        print(f"| {rule} | " + " | ".join(cells) + " |")
    others = [line for line in lines if line.get("sentence") is None]
    if others:
        print("\nno speech: turns given; turns begun and dropped, and why; how often the box says that it does not understand\n")
        print("| sound | given | dropped | said |\n|---|---|---|---|")
        for line in others:
            if line["rule"] == "ours new 1000":
                drops = ", ".join(f"{reason}: {count}" for reason, count in collections.Counter(line["drops"]).items())
                given = f"{len(line['texts'])} ({'; '.join(line['texts'][:8])})" if line["texts"] else "0"
                print(f"| {line['voice']} | {given} | {drops or '-'} | {line['notices']} |")
    return any(line["texts"] for line in others)


if len(sys.argv) != 3 or sys.argv[1] not in ("make", "table"):
    print(__doc__, file=sys.stderr)
    sys.exit(64)
if sys.argv[1] == "make":
    import piper_voice  # only in .venv-voices

    make(pathlib.Path(sys.argv[2]))
else:
    sys.exit(1 if table(sys.argv[2]) else 0)
