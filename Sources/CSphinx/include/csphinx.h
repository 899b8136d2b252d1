// Keyword spotting with PocketSphinx, whose library is loaded at run time (0.8 and 5.x).
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct csphinx csphinx;

// Loads library, acoustic model and dictionary: model/en-us and model/cmudict-en-us.dict. NULL, and a sentence in
// error, where something is missing. Belongs to one thread at a time.
csphinx *csphinx_open(const char *model, const char *language, char *error, size_t size);
// Whether the dictionary has the word, in lower case.
bool csphinx_knows(csphinx *spotter, const char *word);
// Listens for the phrases of a list in PocketSphinx's own format, "phrase /threshold/" a line.
bool csphinx_listen(csphinx *spotter, const char *list, size_t length);
// Takes mono samples at 16 kHz; false where the decoder fails.
bool csphinx_process(csphinx *spotter, const int16_t *samples, size_t count);
// The best phrase found since the last restart: false where there is none. score: power of ten, comparable with the
// threshold.
bool csphinx_found(csphinx *spotter, char *phrase, size_t size, double *score);
// Forgets what was found.
bool csphinx_restart(csphinx *spotter);
void csphinx_close(csphinx *spotter);

#ifdef __cplusplus
}
#endif
