#define _GNU_SOURCE
#include "csphinx.h"

#include <dlfcn.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct csphinx {
    void *library;
    void *decoder;
    bool begun;
    bool has_words;
    char *(*lookup_word)(void *, const char *);
    int (*set_kws)(void *, const char *, const char *);
    int (*set_search)(void *, const char *);
    int (*start_utt)(void *);
    int (*end_utt)(void *);
    int (*process_raw)(void *, const int16_t *, size_t, int, int);
    const char *(*get_hyp)(void *, int32_t *);
    void *(*seg_iter)(void *, int32_t *);
    void *(*seg_next)(void *);
    void (*seg_free)(void *);
    const char *(*seg_word)(void *);
    int32_t (*seg_prob)(void *, int32_t *, int32_t *, int32_t *);
    int (*free_decoder)(void *);
};

// Scores are logarithms to this base, shifted right by this many bits (logmath's default base, SENSCR_SHIFT).
static const double log_base = 1.0001;
static const int score_shift = 10;
// KWS_MAX: subtracted from a phrase's score relative to that of the best phones; not part of the threshold.
static const int score_offset = 1500;

// Frames of 10 ms after a word before it counts as found (10 by default): a stop must not wait.
static const long delay = 5;

static void *load(void *library, const char *name, const char *newer) {
    void *found = dlsym(library, name);
    return found || !newer ? found : dlsym(library, newer);
}

static void *configure(void *library, const char *acoustic, const char *dictionary) {
    // 5.x: a configuration with setters.
    void *(*config_init)(const void *) = (void *(*)(const void *))dlsym(library, "ps_config_init");
    const void *(*config_set)(void *, const char *, const char *) =
        (const void *(*)(void *, const char *, const char *))dlsym(library, "ps_config_set_str");
    if (config_init && config_set) {
        void *config = config_init(NULL);
        if (!config) return NULL;
        config_set(config, "hmm", acoustic);
        config_set(config, "dict", dictionary);
        config_set(config, "loglevel", "FATAL");
        const void *(*config_set_int)(void *, const char *, long) =
            (const void *(*)(void *, const char *, long))dlsym(library, "ps_config_set_int");
        if (config_set_int) config_set_int(config, "kws_delay", delay);
        return config;
    }
    // 0.8: a command line.
    const void *(*args)(void) = (const void *(*)(void))dlsym(library, "ps_args");
    void *(*cmd_ln_init)(void *, const void *, int32_t, ...) =
        (void *(*)(void *, const void *, int32_t, ...))dlsym(library, "cmd_ln_init");
    if (!args || !cmd_ln_init) return NULL;
    // No "-logfn": it opens a file for each thread, which nothing closes. `err_set_logfp` has silenced this thread.
    char frames[16];
    snprintf(frames, sizeof frames, "%ld", delay);
    return cmd_ln_init(NULL, args(), 1, "-hmm", acoustic, "-dict", dictionary, "-kws_delay", frames, NULL);
}

static void *init_decoder(csphinx *spotter, const char *model, const char *language) {
    void *(*init)(void *) = (void *(*)(void *))dlsym(spotter->library, "ps_init");
    char acoustic[1024], dictionary[1024];
    snprintf(acoustic, sizeof acoustic, "%s/%s", model, language);
    snprintf(dictionary, sizeof dictionary, "%s/cmudict-%s.dict", model, language);
    if (!init || access(acoustic, R_OK) != 0 || access(dictionary, R_OK) != 0) return NULL;
    void (*logfp)(FILE *) = (void (*)(FILE *))dlsym(spotter->library, "err_set_logfp");
    if (logfp) logfp(NULL);
    void *config = configure(spotter->library, acoustic, dictionary);
    return config ? init(config) : NULL;
}

csphinx *csphinx_open(const char *model, const char *language, char *error, size_t size) {
    void *library = dlopen("libpocketsphinx.so.3", RTLD_NOW | RTLD_LOCAL);
    if (!library) library = dlopen("libpocketsphinx.so.5", RTLD_NOW | RTLD_LOCAL);
    if (!library) library = dlopen("libpocketsphinx.so", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        snprintf(error, size, "PocketSphinx is not installed: apt install libpocketsphinx3 pocketsphinx-en-us");
        return NULL;
    }
    csphinx *spotter = calloc(1, sizeof *spotter);
    if (!spotter) {
        dlclose(library);
        snprintf(error, size, "no memory");
        return NULL;
    }
    spotter->library = library;
    spotter->lookup_word = load(library, "ps_lookup_word", NULL);
    spotter->set_kws = load(library, "ps_set_kws", "ps_add_kws");
    spotter->set_search = load(library, "ps_set_search", "ps_activate_search");
    spotter->start_utt = load(library, "ps_start_utt", NULL);
    spotter->end_utt = load(library, "ps_end_utt", NULL);
    spotter->process_raw = load(library, "ps_process_raw", NULL);
    spotter->get_hyp = load(library, "ps_get_hyp", NULL);
    spotter->seg_iter = load(library, "ps_seg_iter", NULL);
    spotter->seg_next = load(library, "ps_seg_next", NULL);
    spotter->seg_free = load(library, "ps_seg_free", NULL);
    spotter->seg_word = load(library, "ps_seg_word", NULL);
    spotter->seg_prob = load(library, "ps_seg_prob", NULL);
    spotter->free_decoder = load(library, "ps_free", NULL);
    if (!spotter->lookup_word || !spotter->set_kws || !spotter->set_search || !spotter->start_utt ||
        !spotter->end_utt || !spotter->process_raw || !spotter->get_hyp || !spotter->seg_iter ||
        !spotter->seg_next || !spotter->seg_free || !spotter->seg_word || !spotter->seg_prob ||
        !spotter->free_decoder) {
        snprintf(error, size, "this version of libpocketsphinx is not known");
        csphinx_close(spotter);
        return NULL;
    }
    spotter->decoder = init_decoder(spotter, model, language);
    if (!spotter->decoder) {
        snprintf(error, size, "there is no PocketSphinx model in %s: apt install pocketsphinx-en-us", model);
        csphinx_close(spotter);
        return NULL;
    }
    return spotter;
}

bool csphinx_knows(csphinx *spotter, const char *word) {
    char *phones = spotter->lookup_word(spotter->decoder, word);
    free(phones);
    return phones != NULL;
}

static void end(csphinx *spotter) {
    if (spotter->begun) spotter->end_utt(spotter->decoder);
    spotter->begun = false;
}

bool csphinx_listen(csphinx *spotter, const char *list, size_t length) {
    // Whatever fails from here on, the words before no longer count: `csphinx_process` then says so.
    end(spotter);
    spotter->has_words = false;
    int file = memfd_create("phrases", MFD_CLOEXEC);
    if (file < 0) return false;
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    spotter->has_words = length <= SSIZE_MAX && write(file, list, length) == (ssize_t)length &&
                         spotter->set_kws(spotter->decoder, "words", path) == 0 &&
                         spotter->set_search(spotter->decoder, "words") == 0;
    close(file);
    return csphinx_restart(spotter);
}

bool csphinx_process(csphinx *spotter, const int16_t *samples, size_t count) {
    return spotter->begun && spotter->process_raw(spotter->decoder, samples, count, 0, 0) >= 0;
}

bool csphinx_found(csphinx *spotter, char *phrase, size_t size, double *score) {
    int32_t total = 0;
    if (!spotter->begun || !spotter->get_hyp(spotter->decoder, &total)) return false;
    bool found = false;
    // 0.8 takes a second argument (a score), which may be NULL.
    void *segment = spotter->seg_iter(spotter->decoder, NULL);
    while (segment) {
        int32_t acoustic = 0, language = 0, back = 0;
        int32_t prob = spotter->seg_prob(segment, &acoustic, &language, &back);
        double power = ldexp((double)prob + score_offset, score_shift) * log10(log_base);
        const char *word = spotter->seg_word(segment);
        if (word && (!found || power > *score)) {
            snprintf(phrase, size, "%s", word);
            *score = power;
            found = true;
        }
        segment = spotter->seg_next(segment);
    }
    return found;
}

bool csphinx_restart(csphinx *spotter) {
    end(spotter);
    spotter->begun = spotter->has_words && spotter->start_utt(spotter->decoder) >= 0;
    return spotter->begun;
}

void csphinx_close(csphinx *spotter) {
    if (spotter->decoder) {
        end(spotter);
        spotter->free_decoder(spotter->decoder);
    }
    dlclose(spotter->library);
    free(spotter);
}
