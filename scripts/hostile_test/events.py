"""Events that a voice service should not send."""
import json
import random

TYPES = [
    "session.created", "session.updated", "conversation.item.added", "conversation.item.done",
    "conversation.item.deleted", "conversation.item.truncated", "input_audio_buffer.speech_started",
    "input_audio_buffer.speech_stopped", "input_audio_buffer.committed", "input_audio_buffer.cleared",
    "input_audio_buffer.timeout_triggered", "response.created", "response.output_item.added",
    "response.output_item.done", "response.content_part.added", "response.content_part.done",
    "response.output_audio.delta", "response.output_audio.done", "response.output_audio_transcript.delta",
    "response.output_audio_transcript.done", "response.function_call_arguments.delta",
    "response.function_call_arguments.done", "response.done", "rate_limits.updated", "error",
    "conversation.item.input_audio_transcription.completed", "conversation.item.input_audio_transcription.failed",
]
NUMBERS = [-2**63, 2**63 - 1, 2**63, -1, 1e308, 0.5]
FIELDS = ["audio_start_ms", "audio_end_ms", "output_index", "content_index", "expires_at", "sequence_number"]


def _nested(depth):
    return "[" * depth + "]" * depth


def cases(seed=17):
    """Pairs of a name and the frames to send: (payload, opcode)."""
    chance = random.Random(seed)
    found = []

    def add(name, *payloads, opcode=1):
        found.append((name, [(payload, opcode) for payload in payloads]))

    for kind in TYPES:
        add(f"{kind} alone", json.dumps({"type": kind}))
        filled = {"type": kind, "response_id": "r?", "item_id": "i?", "delta": "????", "transcript": "x",
                  "call_id": "c?", "name": "x", "arguments": "{", "item": {"id": "i?", "type": "message"},
                  "response": {"id": "r?", "status": "completed", "output": [{}]}, "session": {"expires_at": 1},
                  "error": {"type": "x", "code": "y", "message": "z"}}
        add(f"{kind} out of place", json.dumps(filled))
        numbers = dict(filled)
        for field in FIELDS:
            numbers[field] = chance.choice(NUMBERS)
        numbers["session"] = {"expires_at": chance.choice(NUMBERS)}
        numbers["response"] = {"id": "r?", "status": "failed", "usage": {"total_tokens": chance.choice(NUMBERS)}}
        add(f"{kind} with numbers at the edge", json.dumps(numbers))
    wrong = [None, True, 7, "x", [], {}]
    for field in ["type", "item", "response", "session", "error", "delta", "item_id", "transcript"]:
        for value in chance.sample(wrong, 2):
            event = {"type": chance.choice(TYPES), field: value}
            add(f"{field} is {type(value).__name__}", json.dumps(event))
    for depth in (33, 600, 20000):
        add(f"{depth} deep", '{"type":"response.done","response":' + _nested(depth) + "}")
    for size in (1 << 16, 1 << 20):
        add(f"a transcript of {size}", json.dumps({"type": "response.output_audio_transcript.delta",
                                                    "response_id": "r?", "item_id": "i", "delta": "a\u0301" * size}))
        add(f"a message of {size}", json.dumps({"type": "error", "error": {"type": "x", "message": "m" * size}}))
    add("not JSON", "{", "}", "nul", "\x00", "[1,2", '"x"', "{}" * 1000)
    add("secrets asked for", json.dumps({"type": "error", "error": {"type": "x", "message": "$OPENAI_API_KEY\n\x1b[2J"}}))
    add("a thousand errors", *[json.dumps({"type": "error", "error": {"type": f"t{n}", "message": str(n)}})
                               for n in range(25)])
    add("a flood of deltas", *[json.dumps({"type": "response.output_audio.delta", "response_id": "r?",
                                           "item_id": "i", "delta": "AAAA" * 4000})] * 100)
    add("many responses", *[json.dumps({"type": "response.created", "response": {"id": f"x{n}"}}) for n in range(200)],
        *[json.dumps({"type": "response.done", "response": {"id": f"x{n}", "status": "cancelled"}}) for n in range(200)])
    add("binary", bytes(range(256)), opcode=2)
    add("odd base64", *[json.dumps({"type": "response.output_audio.delta", "response_id": "r?", "item_id": "i",
                                    "delta": delta}) for delta in ("=", "A", "AA", "AAA", "A===", "\u00e9", "@@@@")])
    for number in range(30):
        event = json.dumps({"type": chance.choice(TYPES), "item": {"id": "i", "type": "message", "role": "assistant"},
                            "response": {"id": "r"}, "delta": "AAAA", "item_id": "i"})
        data = bytearray(event.encode())
        for _ in range(chance.randrange(1, 6)):
            data[chance.randrange(len(data))] = chance.randrange(0x20, 0x7F)
        add(f"mutated {number}", bytes(data))
    return found
