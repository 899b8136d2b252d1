#include "cdsp.h"

#include <math.h>
#include <string.h>

// A sum can be vectorised only if its additions may be reordered. That permission is limited to the loops that need it, as
// the rounding to 16 bits below depends on the order as written. GCC has no such pragma and leaves those loops scalar:
// correct, and about four times slower.
#if defined(__clang__)
#define REORDERED_SUMS _Pragma("clang fp reassociate(on) contract(fast)")
#else
#define REORDERED_SUMS
#endif

enum { LANES = 8, BLOCK = 16 };

typedef float four __attribute__((vector_size(16)));

static inline four load_four(const float *from) {
    four loaded;
    memcpy(&loaded, from, sizeof(loaded));
    return loaded;
}

float cdsp_dot(const float *restrict a, const float *restrict b, size_t count) {
    REORDERED_SUMS
    float sum = 0;
    for (size_t i = 0; i < count; i++) { sum += a[i] * b[i]; }
    return sum;
}

// Computes a block of outputs side by side. The vectors run along the outputs, so sums are never reordered and vectors never
// summed across their lanes. By hand: of arrays, clang 21 makes two to three times as many instructions for arm64.
void cdsp_fir_symmetric(const float *restrict input, const float *restrict taps, size_t half, float *restrict output,
                        size_t count) {
    size_t n = 0;
    for (; n + BLOCK <= count; n += BLOCK) {
        four sums[BLOCK / 4] = {{0}};
        const float *left = input + n;
        const float *right = input + n + 2 * half - 1;
        for (size_t j = 0; j < half; j++) {
            for (size_t k = 0; k < BLOCK / 4; k++) {
                sums[k] += taps[j] * (load_four(left + 4 * k) + load_four(right + 4 * k));
            }
            left++;
            right--;
        }
        memcpy(output + n, sums, sizeof(sums));
    }
    for (; n < count; n++) {
        float sum = 0;
        for (size_t j = 0; j < half; j++) { sum += taps[j] * (input[n + j] + input[n + 2 * half - 1 - j]); }
        output[n] = sum;
    }
}

void cdsp_deinterleave(const float *restrict input, float *restrict even, float *restrict odd, size_t pairs) {
    for (size_t n = 0; n < pairs; n++) {
        even[n] = input[2 * n];
        odd[n] = input[2 * n + 1];
    }
}

void cdsp_interleave(const float *restrict even, const float *restrict odd, float *restrict output, size_t pairs) {
    for (size_t n = 0; n < pairs; n++) {
        output[2 * n] = even[n];
        output[2 * n + 1] = odd[n];
    }
}

void cdsp_spread(const float *restrict mono, float *restrict pairs, size_t count) {
    for (size_t n = 0; n < count; n++) { pairs[2 * n] = pairs[2 * n + 1] = mono[n]; }
}

void cdsp_mean_of_pairs(const float *restrict pairs, float *restrict mono, size_t count) {
    for (size_t n = 0; n < count; n++) { mono[n] = (pairs[2 * n] + pairs[2 * n + 1]) * 0.5f; }
}

void cdsp_scale(float *samples, float gain, size_t count) {
    for (size_t n = 0; n < count; n++) { samples[n] *= gain; }
}

void cdsp_add_scaled(const float *restrict input, float gain, float *restrict output, size_t count) {
    for (size_t n = 0; n < count; n++) { output[n] += gain * input[n]; }
}

void cdsp_polyphase_3_4(const float *restrict input, const float *restrict taps, size_t per_phase,
                        float *restrict output, size_t groups) {
    for (size_t q = 0; q < groups; q++) {
        for (size_t r = 0; r < 3; r++) {
            output[3 * q + r] = cdsp_dot(input + 4 * q + r, taps + r * per_phase, per_phase);
        }
    }
}

void cdsp_polyphase(const float *restrict input, const float *restrict taps, size_t per_phase, size_t up, size_t down,
                    size_t phase, float *restrict output, size_t count) {
    for (size_t n = 0; n < count; n++) {
        output[n] = cdsp_dot(input, taps + phase * per_phase, per_phase);
        phase += down;
        // At most one division per sample, and none when upsampling.
        if (phase >= up) {
            const size_t whole = down < up ? 1 : phase / up;
            input += whole;
            phase -= whole * up;
        }
    }
}

void cdsp_decimate_6(const float *restrict input, const float *restrict taps, size_t count_taps, float *restrict output,
                     size_t count) {
    for (size_t n = 0; n < count; n++) { output[n] = cdsp_dot(input + 6 * n, taps, count_taps); }
}

static inline float sum_of_four(four parts) { return (parts[0] + parts[2]) + (parts[1] + parts[3]); }

// Vectors by hand: compilers unroll a sum of so few taps, and then leave it scalar.
static inline __attribute__((always_inline)) void interpolate(const float *restrict input, const float *restrict table,
                                                              size_t taps, double start, double step,
                                                              float *restrict output, size_t count) {
    for (size_t n = 0; n < count; n++) {
        // A product, not a sum of steps: rounding does not accumulate. Signed numbers: unsigned ones convert slowly.
        const double place = start + (double)(int64_t)n * step;
        const int64_t whole = (int64_t)place;
        const double phase = (place - (double)whole) * CDSP_INTERPOLATOR_PHASES;
        const int64_t row = (int64_t)phase;
        const float between = (float)(phase - (double)row);
        const float *left = table + row * (int64_t)taps;
        const float *right = left + taps;
        four lefts = {0}, rights = {0};
        for (size_t k = 0; k < taps; k += 4) {
            const four samples = load_four(input + whole + k);
            lefts += samples * load_four(left + k);
            rights += samples * load_four(right + k);
        }
        output[n] = sum_of_four(lefts + (rights - lefts) * between);
    }
}

void cdsp_interpolate(const float *restrict input, const float *restrict table, double start, double step,
                      float *restrict output, size_t count) {
    interpolate(input, table, CDSP_INTERPOLATOR_TAPS, start, step, output, count);
}

void cdsp_interpolate_long(const float *restrict input, const float *restrict table, double start, double step,
                           float *restrict output, size_t count) {
    interpolate(input, table, CDSP_LONG_INTERPOLATOR_TAPS, start, step, output, count);
}

void cdsp_s16_from_float(const float *restrict input, int16_t *restrict output, size_t count) {
    // Adding 1.5 * 2^23 leaves no bits for a fraction, so the addition itself rounds to nearest, ties to even.
    // It vectorises where lrintf() does not.
    const float round = 12582912.0f;
    for (size_t n = 0; n < count; n++) {
        float value = input[n] * 32768.0f;
        value = value == value ? value : 0.0f;
        value = value < -32768.0f ? -32768.0f : value;
        value = value > 32767.0f ? 32767.0f : value;
        value = (value + round) - round;
        output[n] = (int16_t)(int32_t)value;
    }
}

void cdsp_float_from_s16(const int16_t *restrict input, float *restrict output, size_t count) {
    for (size_t n = 0; n < count; n++) { output[n] = (float)input[n] * (1.0f / 32768.0f); }
}

float cdsp_peak(const float *input, size_t count) {
    float lanes[LANES] = {0};
    size_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        for (size_t k = 0; k < LANES; k++) {
            float magnitude = fabsf(input[i + k]);
            lanes[k] = magnitude > lanes[k] ? magnitude : lanes[k];
        }
    }
    float peak = 0;
    for (size_t k = 0; k < LANES; k++) { peak = lanes[k] > peak ? lanes[k] : peak; }
    for (; i < count; i++) {
        float magnitude = fabsf(input[i]);
        peak = magnitude > peak ? magnitude : peak;
    }
    return peak;
}

float cdsp_rms(const float *input, size_t count) {
    return count == 0 ? 0.0f : sqrtf(cdsp_dot(input, input, count) / (float)count);
}
