#pragma once
#include <alsa/asoundlib.h>

static void calsa_ignore(const char *file, int line, const char *function, int err, const char *format, ...) {
    (void)file, (void)line, (void)function, (void)err, (void)format;
}

// Keeps the library from writing half a dozen lines to standard error before every refusal; we say it in one.
static inline void calsa_be_quiet(void) {
    snd_lib_error_set_handler(calsa_ignore);
}
