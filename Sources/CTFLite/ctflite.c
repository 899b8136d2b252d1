#include "ctflite.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The functions used from TensorFlow Lite's C interface (tensorflow/lite/c/c_api.h), unchanged since 2.3.
typedef struct {
    float scale;
    int32_t zero_point;
} quantization;

typedef void report(void *, const char *, va_list);

struct ctflite {
    void *library;
    void *model;
    void *options;
    void *interpreter;
    char said[256];

    void *(*create_model)(const void *, size_t, report *, void *);
    void (*delete_model)(void *);
    void *(*create_options)(void);
    void (*set_threads)(void *, int32_t);
    void (*set_reporter)(void *, report *, void *);
    void (*delete_options)(void *);
    void *(*create)(const void *, const void *);
    void (*delete)(void *);
    int32_t (*input_count)(const void *);
    int32_t (*output_count)(const void *);
    int (*allocate)(void *);
    void *(*input)(const void *, int32_t);
    const void *(*output)(const void *, int32_t);
    int (*type)(const void *);
    int32_t (*count_dimensions)(const void *);
    int32_t (*dimension)(const void *, int32_t);
    size_t (*bytes)(const void *);
    quantization (*quantized)(const void *);
    int (*copy_in)(void *, const void *, size_t);
    int (*copy_out)(const void *, void *, size_t);
    int (*invoke)(void *);
};

static bool load(ctflite *made) {
    const struct {
        const char *name;
        void *place;
    } functions[] = {
        {"TfLiteModelCreateWithErrorReporter", &made->create_model},
        {"TfLiteModelDelete", &made->delete_model},
        {"TfLiteInterpreterOptionsCreate", &made->create_options},
        {"TfLiteInterpreterOptionsSetNumThreads", &made->set_threads},
        {"TfLiteInterpreterOptionsSetErrorReporter", &made->set_reporter},
        {"TfLiteInterpreterOptionsDelete", &made->delete_options},
        {"TfLiteInterpreterCreate", &made->create},
        {"TfLiteInterpreterDelete", &made->delete},
        {"TfLiteInterpreterGetInputTensorCount", &made->input_count},
        {"TfLiteInterpreterGetOutputTensorCount", &made->output_count},
        {"TfLiteInterpreterAllocateTensors", &made->allocate},
        {"TfLiteInterpreterGetInputTensor", &made->input},
        {"TfLiteInterpreterGetOutputTensor", &made->output},
        {"TfLiteTensorType", &made->type},
        {"TfLiteTensorNumDims", &made->count_dimensions},
        {"TfLiteTensorDim", &made->dimension},
        {"TfLiteTensorByteSize", &made->bytes},
        {"TfLiteTensorQuantizationParams", &made->quantized},
        {"TfLiteTensorCopyFromBuffer", &made->copy_in},
        {"TfLiteTensorCopyToBuffer", &made->copy_out},
        {"TfLiteInterpreterInvoke", &made->invoke},
    };
    for (size_t index = 0; index < sizeof functions / sizeof *functions; index++) {
        // In POSIX, pointers to functions and to data have the same size and representation.
        void *found = dlsym(made->library, functions[index].name);
        if (!found) return false;
        *(void **)functions[index].place = found;
    }
    return true;
}

// Keeps the library's messages, which it would otherwise write to standard error.
static void keep(void *data, const char *format, va_list arguments) {
    ctflite *made = data;
    vsnprintf(made->said, sizeof made->said, format, arguments);
}

static ctflite *give_up(ctflite *made, char *error, size_t size, const char *what) {
    if (made->said[0])
        snprintf(error, size, "%s: %s", what, made->said);
    else
        snprintf(error, size, "%s", what);
    ctflite_close(made);
    return NULL;
}

ctflite *ctflite_open(const char *library, const void *model, size_t length, bool *library_failed, char *error,
                      size_t size) {
    *library_failed = false;
    ctflite *made = calloc(1, sizeof *made);
    if (!made) {
        snprintf(error, size, "no memory");
        return NULL;
    }
    *library_failed = true;
    made->library = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!made->library) {
        const char *reason = dlerror();
        snprintf(made->said, sizeof made->said, "%s", reason ? reason : library);
        return give_up(made, error, size, "the library of TensorFlow Lite cannot be loaded");
    }
    if (!load(made)) {
        snprintf(made->said, sizeof made->said, "%s", library);
        return give_up(made, error, size, "the library has not all of TensorFlow Lite's C interface");
    }
    *library_failed = false;
    made->model = made->create_model(model, length, keep, made);
    if (!made->model) return give_up(made, error, size, "no model of TensorFlow Lite");
    made->options = made->create_options();
    if (!made->options) return give_up(made, error, size, "no memory");
    made->set_threads(made->options, 1);
    made->set_reporter(made->options, keep, made);
    if (!ctflite_restart(made)) return give_up(made, error, size, "TensorFlow Lite cannot run the model");
    return made;
}

static ctflite_tensor describe(const ctflite *made, const void *tensor) {
    ctflite_tensor found = {.type = made->type(tensor), .rank = made->count_dimensions(tensor), .bytes = made->bytes(tensor)};
    for (int32_t index = 0; index < found.rank && index < ctflite_most_dimensions; index++)
        found.dimensions[index] = made->dimension(tensor, index);
    const quantization quantized = made->quantized(tensor);
    found.scale = quantized.scale;
    found.zero = quantized.zero_point;
    return found;
}

ctflite_tensor ctflite_input(const ctflite *made) { return describe(made, made->input(made->interpreter, 0)); }

ctflite_tensor ctflite_output(const ctflite *made) { return describe(made, made->output(made->interpreter, 0)); }

bool ctflite_run(ctflite *made, const void *input, size_t input_bytes, void *output, size_t output_bytes) {
    // Status 0 is kTfLiteOk. The library refuses sizes that differ from the tensors'.
    return made->interpreter && made->copy_in(made->input(made->interpreter, 0), input, input_bytes) == 0 &&
           made->invoke(made->interpreter) == 0 &&
           made->copy_out(made->output(made->interpreter, 0), output, output_bytes) == 0;
}

bool ctflite_restart(ctflite *made) {
    // Streaming models keep their history in resources, which TfLiteInterpreterResetVariableTensors leaves unchanged.
    if (made->interpreter) made->delete(made->interpreter);
    made->interpreter = made->create(made->model, made->options);
    if (!made->interpreter) return false;
    if (made->input_count(made->interpreter) == 1 && made->output_count(made->interpreter) == 1 &&
        made->allocate(made->interpreter) == 0)
        return true;
    made->delete(made->interpreter);
    made->interpreter = NULL;
    return false;
}

void ctflite_close(ctflite *made) {
    if (made->interpreter) made->delete(made->interpreter);
    if (made->options) made->delete_options(made->options);
    if (made->model) made->delete_model(made->model);
    if (made->library) dlclose(made->library);
    free(made);
}
