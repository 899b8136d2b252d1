#include "csherpa.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Layout of the configuration since sherpa-onnx 1.12.12 (sherpa-onnx/c-api/c-api.h, compared in 1.12.12, 1.12.15,
// 1.13.0, 1.13.8 and 2.0.1; 1.12.9 lacks a field).
typedef struct {
    int32_t sample_rate;
    int32_t feature_dim;
    struct {
        const char *encoder, *decoder, *joiner;
    } transducer;
    struct {
        const char *encoder, *decoder;
    } paraformer;
    const char *zipformer2_ctc;
    const char *tokens;
    int32_t num_threads;
    const char *provider;
    int32_t debug;
    const char *model_type, *modeling_unit, *bpe_vocab, *tokens_buf;
    int32_t tokens_buf_size;
    const char *nemo_ctc;
    const char *t_one_ctc;
    int32_t max_active_paths;
    int32_t num_trailing_blanks;
    float keywords_score;
    float keywords_threshold;
    const char *keywords_file, *keywords_buf;
    int32_t keywords_buf_size;
} spotter_config;

// Only the first field of a result is read.
typedef struct {
    const char *keyword;
} keyword_result;

struct csherpa {
    void *library;
    const void *spotter;
    const void *stream;
    const void *(*create)(const spotter_config *);
    void (*destroy)(const void *);
    const void *(*create_stream)(const void *);
    void (*destroy_stream)(const void *);
    void (*accept)(const void *, int32_t, const float *, int32_t);
    int32_t (*is_ready)(const void *, const void *);
    void (*decode)(const void *, const void *);
    void (*reset)(const void *, const void *);
    const keyword_result *(*result)(const void *, const void *);
    void (*destroy_result)(const keyword_result *);
};

static bool is_known(const char *version) {
    int major = 0, minor = 0, patch = 0;
    if (!version || sscanf(version, "%d.%d.%d", &major, &minor, &patch) != 3) return false;
    return (major == 1 && minor == 12 && patch >= 12) || (major == 1 && minor == 13) || (major == 2 && minor == 0);
}

static bool load(csherpa *spotter) {
    void *library = spotter->library;
    spotter->create = (const void *(*)(const spotter_config *))dlsym(library, "SherpaOnnxCreateKeywordSpotter");
    spotter->destroy = (void (*)(const void *))dlsym(library, "SherpaOnnxDestroyKeywordSpotter");
    spotter->create_stream = (const void *(*)(const void *))dlsym(library, "SherpaOnnxCreateKeywordStream");
    spotter->destroy_stream = (void (*)(const void *))dlsym(library, "SherpaOnnxDestroyOnlineStream");
    spotter->accept = (void (*)(const void *, int32_t, const float *, int32_t))dlsym(
        library, "SherpaOnnxOnlineStreamAcceptWaveform");
    spotter->is_ready = (int32_t(*)(const void *, const void *))dlsym(library, "SherpaOnnxIsKeywordStreamReady");
    spotter->decode = (void (*)(const void *, const void *))dlsym(library, "SherpaOnnxDecodeKeywordStream");
    spotter->reset = (void (*)(const void *, const void *))dlsym(library, "SherpaOnnxResetKeywordStream");
    spotter->result =
        (const keyword_result *(*)(const void *, const void *))dlsym(library, "SherpaOnnxGetKeywordResult");
    spotter->destroy_result = (void (*)(const keyword_result *))dlsym(library, "SherpaOnnxDestroyKeywordResult");
    return spotter->create && spotter->destroy && spotter->create_stream && spotter->destroy_stream &&
           spotter->accept && spotter->is_ready && spotter->decode && spotter->reset && spotter->result &&
           spotter->destroy_result;
}

csherpa *csherpa_open(const char *library, const csherpa_model *model, char *error, size_t size) {
    csherpa *spotter = calloc(1, sizeof *spotter);
    if (!spotter) {
        snprintf(error, size, "no memory");
        return NULL;
    }
    spotter->library = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!spotter->library) {
        const char *reason = dlerror();
        snprintf(error, size,
                 "the library of sherpa-onnx cannot be loaded: %s (activation.sherpa_library names "
                 "libsherpa-onnx-c-api.so of its releases)",
                 reason ? reason : library);
        free(spotter);
        return NULL;
    }
    const char *(*get_version)(void) = (const char *(*)(void))dlsym(spotter->library, "SherpaOnnxGetVersionStr");
    const char *version = get_version ? get_version() : NULL;
    if (!is_known(version)) {
        snprintf(error, size, "%s is sherpa-onnx %.40s: 1.12.12 to 2.0 are known", library,
                 version ? version : "of an unknown version");
        csherpa_close(spotter);
        return NULL;
    }
    if (!load(spotter)) {
        snprintf(error, size, "%s (sherpa-onnx %.40s) has no keyword spotter", library, version);
        csherpa_close(spotter);
        return NULL;
    }
    spotter_config config;
    memset(&config, 0, sizeof config);
    config.sample_rate = 16000;
    config.feature_dim = 80;
    config.transducer.encoder = model->encoder;
    config.transducer.decoder = model->decoder;
    config.transducer.joiner = model->joiner;
    config.tokens = model->tokens;
    config.num_threads = 1;
    config.provider = "cpu";
    // The defaults of sherpa-onnx's own tools.
    config.max_active_paths = 4;
    config.num_trailing_blanks = 1;
    config.keywords_score = 1.0f;
    config.keywords_threshold = 0.25f;
    config.keywords_file = model->keywords;
    spotter->spotter = spotter->create(&config);
    if (!spotter->spotter || !csherpa_restart(spotter)) {
        snprintf(error, size, "sherpa-onnx %.40s does not take the model beside %s; it says why on standard error", version,
                 model->tokens);
        csherpa_close(spotter);
        return NULL;
    }
    return spotter;
}

bool csherpa_process(csherpa *spotter, const int16_t *samples, size_t count) {
    float values[csherpa_longest];
    if (!spotter->stream || count > csherpa_longest) return false;
    for (size_t index = 0; index < count; index++) values[index] = (float)samples[index] / 32768;
    spotter->accept(spotter->stream, 16000, values, (int32_t)count);
    return true;
}

bool csherpa_found(csherpa *spotter, char *keyword, size_t size) {
    if (!spotter->stream) return false;
    bool found = false;
    while (!found && spotter->is_ready(spotter->spotter, spotter->stream)) {
        spotter->decode(spotter->spotter, spotter->stream);
        const keyword_result *result = spotter->result(spotter->spotter, spotter->stream);
        if (!result) continue;
        if (result->keyword && result->keyword[0]) {
            snprintf(keyword, size, "%s", result->keyword);
            found = true;
        }
        spotter->destroy_result(result);
        // Otherwise the same find would be reported again with every following frame.
        if (found) spotter->reset(spotter->spotter, spotter->stream);
    }
    return found;
}

bool csherpa_restart(csherpa *spotter) {
    if (spotter->stream) spotter->destroy_stream(spotter->stream);
    spotter->stream = spotter->create_stream(spotter->spotter);
    return spotter->stream != NULL;
}

void csherpa_close(csherpa *spotter) {
    if (spotter->stream) spotter->destroy_stream(spotter->stream);
    if (spotter->spotter) spotter->destroy(spotter->spotter);
    if (spotter->library) dlclose(spotter->library);
    free(spotter);
}
