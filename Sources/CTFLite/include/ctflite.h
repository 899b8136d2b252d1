// Small TensorFlow Lite models with one input and one output; the C library is loaded at run time.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The value types that are distinguished, by TensorFlow Lite's numbers.
enum {
    ctflite_float32 = 1,
    ctflite_uint8 = 3,
    ctflite_int8 = 9,
};
enum { ctflite_most_dimensions = 4 };

typedef struct ctflite_tensor {
    int32_t type;
    int32_t rank;
    int32_t dimensions[ctflite_most_dimensions];
    size_t bytes;
    // value = scale * (stored - zero), if values are stored in 8 bits.
    float scale;
    int32_t zero;
} ctflite_tensor;

typedef struct ctflite ctflite;

// Loads the library and creates an interpreter for a model. Returns NULL and writes a sentence to `error` on failure, and
// whether the library is to blame, rather than the model.
// The model's bytes must stay in place until `ctflite_close`. A malicious file may still crash the process: try an unknown one in a separate process first.
// Belongs to one thread at a time.
ctflite *ctflite_open(const char *library, const void *model, size_t length, bool *library_failed, char *error,
                      size_t size);
ctflite_tensor ctflite_input(const ctflite *interpreter);
ctflite_tensor ctflite_output(const ctflite *interpreter);
// Runs the model once; returns false if the sizes differ from those of the tensors, or if the model fails.
bool ctflite_run(ctflite *interpreter, const void *input, size_t input_bytes, void *output, size_t output_bytes);
// Clears the state the model keeps between runs. Returns false on failure; the model then no longer runs.
bool ctflite_restart(ctflite *interpreter);
void ctflite_close(ctflite *interpreter);

#ifdef __cplusplus
}
#endif
