// The input features of microWakeWord models: 40 per 10 ms, in fixed point, bit-exact with TensorFlow's "microfrontend"
// with the constants of those models.
#pragma once
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    cmicrofrontend_step = 160,
    cmicrofrontend_channels = 40,
};

typedef struct cmicrofrontend cmicrofrontend;

// Returns NULL if there is no memory. Belongs to one thread at a time.
cmicrofrontend *cmicrofrontend_create(void);
void cmicrofrontend_destroy(cmicrofrontend *frontend);
// Forgets the audio and the noise estimate.
void cmicrofrontend_reset(cmicrofrontend *frontend);
// Takes 10 ms at 16 kHz and writes the features of the 30 ms that end with them; returns false for the first 20 ms.
// Allocates nothing.
bool cmicrofrontend_process(cmicrofrontend *frontend, const int16_t samples[cmicrofrontend_step],
                            uint16_t features[cmicrofrontend_channels]);

#ifdef __cplusplus
}
#endif
