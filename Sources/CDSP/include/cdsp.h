#pragma once
/// Inner loops of the audio path: portable C that compilers vectorise on every target.
///
/// No function allocates, locks, makes a system call or keeps state, so all of them may be called from the audio thread.
/// Buffers must not overlap. Sizes are in samples unless a parameter says otherwise.
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Sum of a[i] * b[i]. The compiler chooses the order of the additions, the same for every call with the same `count`.
float cdsp_dot(const float *a, const float *b, size_t count);

/// A filter of even length with symmetric taps:
///     output[n] = sum over j < half of taps[j] * (input[n + j] + input[n + 2 * half - 1 - j])
/// `taps` holds the first half; `input` has count + 2 * half - 1 samples, oldest first. Each output is computed by the same
/// operations in the same order wherever it lies in a block.
void cdsp_fir_symmetric(const float *input, const float *taps, size_t half, float *output, size_t count);

/// Splits 2 * pairs samples into those at even and those at odd positions.
void cdsp_deinterleave(const float *input, float *even, float *odd, size_t pairs);

/// The reverse of `cdsp_deinterleave`.
void cdsp_interleave(const float *even, const float *odd, float *output, size_t pairs);

/// Writes each of `count` samples to both positions of its pair.
void cdsp_spread(const float *mono, float *pairs, size_t count);

/// The mean of each of `count` pairs; exact if both are equal.
void cdsp_mean_of_pairs(const float *pairs, float *mono, size_t count);

/// samples[n] *= gain.
void cdsp_scale(float *samples, float gain, size_t count);

/// output[n] += gain * input[n].
void cdsp_add_scaled(const float *input, float gain, float *output, size_t count);

/// Three outputs for every four inputs. Output r of group q is the dot product of phase r of `taps` (three phases of
/// `per_phase` taps each, one after the other, each in the order of the input, oldest first) with the `per_phase` samples
/// from input[4 * q + r]. `input` has 4 * groups + per_phase - 2 samples or more; `output` 3 * groups.
void cdsp_polyphase_3_4(const float *input, const float *taps, size_t per_phase, float *output, size_t groups);

/// `up` outputs for every `down` inputs. Output n uses phase (phase + n * down) mod `up` of `taps`, which holds `up` phases
/// of `per_phase` taps, one after the other, each in the order of the input, oldest first. It is the dot product of that
/// phase with the `per_phase` samples from input[(phase + n * down) / up]. `phase` is below `up`.
/// `input` has (phase + (count - 1) * down) / up + per_phase samples or more.
void cdsp_polyphase(const float *input, const float *taps, size_t per_phase, size_t up, size_t down, size_t phase,
                    float *output, size_t count);

/// One output for every six inputs: output[n] is the dot product of `taps` with the `count_taps` samples from input[6 * n].
/// `input` has 6 * (count - 1) + count_taps samples.
void cdsp_decimate_6(const float *input, const float *taps, size_t count_taps, float *output, size_t count);

enum {
    /// Taps of the interpolator.
    CDSP_INTERPOLATOR_TAPS = 16,
    /// Taps of the interpolator for audible signals.
    CDSP_LONG_INTERPOLATOR_TAPS = 32,
    /// Fractions of a sample in its table, with linear interpolation between them.
    CDSP_INTERPOLATOR_PHASES = 128,
};

/// Reads a signal between its samples: output[n] is the signal at position `start` + n * `step`, where position 0 is
/// input[7]. The 16 taps reach from 7 samples before a position to 8 after it.
///
/// `table` holds CDSP_INTERPOLATOR_PHASES + 1 rows of CDSP_INTERPOLATOR_TAPS taps in the order of the input: row r is for a
/// position r / CDSP_INTERPOLATOR_PHASES after a sample. `start` is 0 or more, `step` positive; `input` reaches 16 samples
/// from the last position rounded down.
void cdsp_interpolate(const float *input, const float *table, double start, double step, float *output, size_t count);

/// As above with CDSP_LONG_INTERPOLATOR_TAPS taps, 15 samples before a position to 16 after it; position 0 is input[15].
void cdsp_interpolate_long(const float *input, const float *table, double start, double step, float *output,
                           size_t count);

/// 16-bit samples from floats of full scale 1: times 32768, rounded to nearest, ties to even, clamped to -32768...32767. NaN
/// becomes 0.
void cdsp_s16_from_float(const float *input, int16_t *output, size_t count);

/// Floats of full scale 1 from 16-bit samples: divided by 32768, exact.
void cdsp_float_from_s16(const int16_t *input, float *output, size_t count);

/// The largest magnitude; 0 if count is 0.
float cdsp_peak(const float *input, size_t count);

/// The root of the mean square; 0 if count is 0.
float cdsp_rms(const float *input, size_t count);

#ifdef __cplusplus
}
#endif
