#pragma once
// Sums of squares, which may be reordered so that they vectorise: in the order of the samples, each addition waits for the
// last. GCC ignores the permission; it is correct, and slower.
#if defined(__clang__)
#define REORDERED _Pragma("clang fp reassociate(on) contract(fast)")
#else
#define REORDERED
#endif

namespace caec_detail {

inline float energy(const float *samples, int count) {
    REORDERED
    float sum = 0;
    for (int n = 0; n < count; n++) { sum += samples[n] * samples[n]; }
    return sum;
}

} // namespace caec_detail
