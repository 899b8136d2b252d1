// Keyword spotting with sherpa-onnx, whose library is loaded at run time (1.12.12 to 2.0).
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct csherpa csherpa;

// The files of a streaming transducer and its keywords, as sherpa-onnx's own tools write them.
typedef struct csherpa_model {
    const char *encoder;
    const char *decoder;
    const char *joiner;
    const char *tokens;
    const char *keywords;
} csherpa_model;

// Loads library and model. Returns NULL and writes a sentence to `error` if something is missing or the version is
// unknown: the library's structures are part of its interface and have changed before. Belongs to one thread at a time.
csherpa *csherpa_open(const char *library, const csherpa_model *model, char *error, size_t size);
// Takes mono samples at 16 kHz, at most `csherpa_longest` at a time; returns false on failure.
bool csherpa_process(csherpa *spotter, const int16_t *samples, size_t count);
enum { csherpa_longest = 4096 };
// Writes the name of the next keyword found in these samples; returns false if there is none. After a find, recognition
// starts afresh.
bool csherpa_found(csherpa *spotter, char *keyword, size_t size);
// Forgets the audio; returns false on failure.
bool csherpa_restart(csherpa *spotter);
void csherpa_close(csherpa *spotter);

#ifdef __cplusplus
}
#endif
