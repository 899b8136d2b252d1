#include <alsa/asoundlib.h>
#include <stdarg.h>
#include <stdio.h>
// For the tests: plugins that act as cards.
#include <alsa/pcm_external.h>

static void calsa_ignore(const char *file, int line, const char *function, int error, const char *format, ...) {
    (void)file, (void)line, (void)function, (void)error, (void)format;
}

// Where the messages of this thread go while it reads the configuration: nowhere if `text` is NULL.
struct calsa_notes {
    char *text;
    size_t room;
};

static inline struct calsa_notes *calsa_notes_of_thread(void) {
    static __thread struct calsa_notes notes;
    return &notes;
}

static void calsa_collect(const char *file, int line, const char *function, int error, const char *format, ...) {
    (void)file, (void)line, (void)function, (void)error;
    struct calsa_notes *notes = calsa_notes_of_thread();
    if (notes->text == NULL || notes->room < 2) return;
    va_list arguments;
    va_start(arguments, format);
    int count = vsnprintf(notes->text, notes->room - 1, format, arguments);
    va_end(arguments);
    if (count < 0) return;
    size_t used = (size_t)count < notes->room - 2 ? (size_t)count : notes->room - 2;
    notes->text[used] = '\n';
    notes->text[used + 1] = 0;
    notes->text += used + 1;
    notes->room -= used + 1;
}

// Reads ALSA's configuration files if they have changed: returns its code, and in `text` its messages, one a line.
static inline int calsa_read_configuration(char *text, size_t room) {
    struct calsa_notes *notes = calsa_notes_of_thread();
    text[0] = 0;
    notes->text = text;
    notes->room = room;
    snd_lib_error_set_handler(calsa_collect);
    int code = snd_config_update();
    snd_lib_error_set_handler(calsa_ignore);
    notes->text = NULL;
    return code;
}

// Keeps ALSA from writing to stderr: every failure is returned as a code, which is reported once.
static inline void calsa_silence(void) { snd_lib_error_set_handler(calsa_ignore); }
