"""Adds to the kit's room the cards of one rate that it lacks, rate8 to rate192; changes nothing where they are already."""
import sys

RATES = [8000, 11025, 22050, 24000, 88200, 96000, 176400, 192000]
END = "};\n\nstruct pcm {"
path = sys.argv[1]
with open(path) as file:
    source = file.read()
rows = "".join(
    f'    {{ "rate{rate // 1000}", "{rate} Hz stereo only, both ways", "mm", 0, 0, 0, 0,\n'
    f"      {{ {{ {rate} }}, .formats = ROOM_S16 | ROOM_S32, ONE(2) }}, {{ {{ {rate} }}, .formats = ROOM_S16 | ROOM_S32, ONE(2) }} }},\n"
    for rate in RATES)
if source.count(END) == 1 and '"rate8"' not in source:
    with open(path, "w") as file:
        file.write(source.replace(END, rows + END))
