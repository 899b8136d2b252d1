// Keyword spotting with PocketSphinx, whose library is loaded at run time (0.8 and 5.x).
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct csphinx csphinx;

// Loads the library, the acoustic model and the dictionary: model/en-us and model/cmudict-en-us.dict for the language
// "en-us". Returns NULL and writes a sentence to `error` if something is missing. Belongs to one thread at a time.
csphinx *csphinx_open(const char *model, const char *language, char *error, size_t size);
// Returns whether the dictionary has the word, in lower case.
bool csphinx_knows(csphinx *spotter, const char *word);
// Sets the phrases to recognise, as a list in PocketSphinx's format with one "phrase /threshold/" per line.
// If it returns false, `csphinx_process` fails until a list is taken.
bool csphinx_listen(csphinx *spotter, const char *list, size_t length);
// Takes mono samples at 16 kHz; returns false if the decoder fails.
bool csphinx_process(csphinx *spotter, const int16_t *samples, size_t count);
// Writes the best phrase found since the last restart; returns false if there is none. `score` is a power of ten,
// comparable with the threshold.
bool csphinx_found(csphinx *spotter, char *phrase, size_t size, double *score);
// Forgets what was found; returns false on failure.
bool csphinx_restart(csphinx *spotter);
void csphinx_close(csphinx *spotter);

#ifdef __cplusplus
}
#endif
