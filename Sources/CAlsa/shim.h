#include <alsa/asoundlib.h>
// For the tests: plugins that act as cards.
#include <alsa/pcm_external.h>

static void calsa_ignore(const char *file, int line, const char *function, int error, const char *format, ...) {
    (void)file, (void)line, (void)function, (void)error, (void)format;
}

// Keeps ALSA from writing to stderr: every failure is returned as a code, which is reported once.
static inline void calsa_silence(void) { snd_lib_error_set_handler(calsa_ignore); }
