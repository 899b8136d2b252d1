// TensorFlow Lite, whose C library is loaded at run time: small models of one input and one output.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The types of values that are told apart, by TensorFlow Lite's own numbers.
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
    // value = scale * (stored - zero), where values are stored as 8 bits.
    float scale;
    int32_t zero;
} ctflite_tensor;

typedef struct ctflite ctflite;

// Loads the library and makes an interpreter of a model. NULL, and a sentence in error, where that fails. The model's
// bytes have to stay where they are until `ctflite_close`. The input is given a shape of `rank` dimensions; 0 leaves it as
// the model has it. A file that was made to harm may end the process all the
// same: try what is not known in a process of its own. Belongs to one thread at a time.
ctflite *ctflite_open(const char *library, const void *model, size_t length, const int32_t *shape, int32_t rank,
                      char *error, size_t size);
ctflite_tensor ctflite_input(const ctflite *interpreter);
ctflite_tensor ctflite_output(const ctflite *interpreter);
// Runs the model once. The sizes have to be those of the tensors; false where they are not, or the model fails.
bool ctflite_run(ctflite *interpreter, const void *input, size_t input_bytes, void *output, size_t output_bytes);
// Forgets what the model keeps between two runs. False where that fails; it does not run then.
bool ctflite_restart(ctflite *interpreter);
void ctflite_close(ctflite *interpreter);

#ifdef __cplusplus
}
#endif
