#pragma once
/// Finds by how much an echo comes after its reference: the generalised cross-correlation with phase transform.
///
/// C. H. Knapp and G. C. Carter, "The generalized correlation method for estimation of time delay", IEEE Transactions on
/// Acoustics, Speech, and Signal Processing 24 (4), 1976. Every frequency from 300 to 3500 Hz counts the same whatever its
/// level, which makes the direct way from the loudspeaker to the microphone stand out of the room's reverberation.
///
/// One handle belongs to one thread at a time. A run takes about a millisecond and allocates nothing: for a thread that
/// has the time, not for the audio thread.
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    /// Sample rate of both signals, in Hz.
    DELAY_ESTIMATOR_RATE = 8000,
    /// The longest stretch of the microphone that is looked at: one second.
    DELAY_ESTIMATOR_WINDOW = 8000,
    /// The shortest one that is worth a look: 0.4 s.
    DELAY_ESTIMATOR_SHORTEST = 3200,
    /// The longest lag that is found: 0.5 s.
    DELAY_ESTIMATOR_LATEST = 4000,
    /// By how much an echo may come before its reference and still be found: 0.1 s.
    DELAY_ESTIMATOR_EARLIEST = 800,
    /// The longest stretch of the reference that is looked at.
    DELAY_ESTIMATOR_REFERENCE = DELAY_ESTIMATOR_WINDOW + DELAY_ESTIMATOR_LATEST,
};

typedef struct {
    /// By how many samples at 8 kHz the microphone comes after the reference, with a fraction.
    double lag;
    /// Highest peak of the correlation over the mean of its magnitude.
    double strength;
    /// The next highest peak at another place, as a fraction of the highest.
    double rival;
} delay_estimate;

typedef struct delay_estimator delay_estimator;

/// Makes an estimator; NULL when memory is short.
delay_estimator *delay_estimator_create(void);

/// Frees everything; NULL is allowed.
void delay_estimator_destroy(delay_estimator *handle);

/// Looks for the echo in the newest samples; both signals end at the same instant, full scale is 1.
///
/// Of the microphone up to DELAY_ESTIMATOR_WINDOW samples count, of the reference DELAY_ESTIMATOR_REFERENCE.
/// Returns whether there is one that stands out clearly; `result`, which may be NULL, is set either way.
bool delay_estimator_run(delay_estimator *handle, const float *microphone, size_t microphone_count,
                         const float *reference, size_t reference_count, delay_estimate *result);

/// The highest peak of the last run within 0.5 ms of `lag`, as a fraction of the highest of all; 0 out of range.
double delay_estimator_height(const delay_estimator *handle, double lag);

#ifdef __cplusplus
}
#endif
