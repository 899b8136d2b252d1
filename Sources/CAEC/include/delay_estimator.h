#pragma once
/// Finds the delay of an echo behind its reference: generalised cross-correlation with phase transform.
///
/// C. H. Knapp and G. C. Carter, "The generalized correlation method for estimation of time delay", IEEE Transactions on
/// Acoustics, Speech, and Signal Processing 24 (4), 1976. Every frequency from 300 to 3500 Hz counts equally whatever its
/// level, which makes the direct path from loudspeaker to microphone stand out from the room's reverberation.
///
/// One handle belongs to one thread at a time. A run takes about 0.1 ms and allocates nothing: not for the audio
/// thread.
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    /// Sample rate of both signals, in Hz.
    DELAY_ESTIMATOR_RATE = 8000,
    /// The longest stretch of the microphone that is searched: one second.
    DELAY_ESTIMATOR_WINDOW = 8000,
    /// The shortest stretch worth a search: 0.4 s.
    DELAY_ESTIMATOR_SHORTEST = 3200,
    /// The longest lag that is found: 0.5 s.
    DELAY_ESTIMATOR_LATEST = 4000,
    /// The largest lead of an echo over its reference that is found: 0.1 s.
    DELAY_ESTIMATOR_EARLIEST = 800,
    /// The longest stretch of the reference that is searched.
    DELAY_ESTIMATOR_REFERENCE = DELAY_ESTIMATOR_WINDOW + DELAY_ESTIMATOR_LATEST,
};

typedef struct {
    /// Samples at 8 kHz by which the microphone lags the reference, with a fraction.
    double lag;
    /// Highest peak of the correlation over the mean of its magnitude.
    double strength;
    /// The next highest peak elsewhere, as a fraction of the highest.
    double rival;
} delay_estimate;

typedef struct delay_estimator delay_estimator;

/// Creates an estimator; NULL if memory is short.
delay_estimator *delay_estimator_create(void);

/// Frees everything; NULL is allowed.
void delay_estimator_destroy(delay_estimator *handle);

/// Searches the newest samples for the echo; both signals end at the same instant, full scale is 1.
///
/// Uses up to DELAY_ESTIMATOR_WINDOW samples of the microphone and DELAY_ESTIMATOR_REFERENCE of the reference. Returns
/// whether a peak stands out from the mean, which may have rivals; `result`, which may be NULL, is set either way.
bool delay_estimator_run(delay_estimator *handle, const float *microphone, size_t microphone_count,
                         const float *reference, size_t reference_count, delay_estimate *result);

/// The highest peak of the last run within 0.5 ms of `lag`, as a fraction of the overall highest; 0 out of range.
double delay_estimator_height(const delay_estimator *handle, double lag);

#ifdef __cplusplus
}
#endif
