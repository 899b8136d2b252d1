#include <alsa/asoundlib.h>
// Plugins in the role of cards, for the tests.
#include <alsa/pcm_external.h>

static void calsa_ignore(const char *file, int line, const char *function, int error, const char *format, ...) {
    (void)file, (void)line, (void)function, (void)error, (void)format;
}

// Keeps ALSA from writing to stderr: every failure is returned as a code, which we report once.
static inline void calsa_silence(void) { snd_lib_error_set_handler(calsa_ignore); }
