#include "fft.h"

#include <math.h>

// The arithmetic of KISS FFT in 16 bits, with which the models were trained: decimation in time with four radix-4
// stages; every value divided by the radix before a butterfly; products rounded to 15 fractional bits. The division is
// a product with 32767 / radix, not a shift.

static int16_t rounded(int32_t product) { return (int16_t)((product + (1 << 14)) >> 15); }

static fft_complex divided(fft_complex value, int16_t divisor) {
    const int32_t factor = INT16_MAX / divisor;
    return (fft_complex){rounded(value.re * factor), rounded(value.im * factor)};
}

static fft_complex times(fft_complex a, fft_complex b) {
    return (fft_complex){rounded(a.re * b.re - a.im * b.im), rounded(a.re * b.im + a.im * b.re)};
}

static fft_complex plus(fft_complex a, fft_complex b) {
    return (fft_complex){(int16_t)(a.re + b.re), (int16_t)(a.im + b.im)};
}

static fft_complex minus(fft_complex a, fft_complex b) {
    return (fft_complex){(int16_t)(a.re - b.re), (int16_t)(a.im - b.im)};
}

static fft_complex unit(double phase) {
    return (fft_complex){
        (int16_t)floor(0.5 + INT16_MAX * cos(phase)),
        (int16_t)floor(0.5 + INT16_MAX * sin(phase)),
    };
}

void fft_prepare(fft_plan *plan) {
    const double pi = 3.14159265358979323846;
    for (int k = 0; k < fft_half; k++) {
        plan->twiddles[k] = unit(-2 * pi * k / fft_half);
        // The base-4 digits of k in reverse order.
        plan->order[k] = (uint8_t)((k & 3) << 6 | (k >> 2 & 3) << 4 | (k >> 4 & 3) << 2 | k >> 6);
    }
    for (int k = 0; k <= fft_half / 2; k++) plan->split[k] = unit(-pi * ((double)k / fft_half + 0.5));
}

static void butterfly(const fft_plan *plan, fft_complex *first, int length, int k) {
    const int stride = fft_half / (4 * length);
    const fft_complex a = divided(first[0], 4);
    const fft_complex b = times(divided(first[length], 4), plan->twiddles[k * stride]);
    const fft_complex c = times(divided(first[2 * length], 4), plan->twiddles[2 * k * stride]);
    const fft_complex d = times(divided(first[3 * length], 4), plan->twiddles[3 * k * stride]);
    const fft_complex even = plus(a, c), odd = minus(a, c), sum = plus(b, d), difference = minus(b, d);
    const fft_complex turned = {difference.im, (int16_t)-difference.re};
    first[0] = plus(even, sum);
    first[length] = plus(odd, turned);
    first[2 * length] = minus(even, sum);
    first[3 * length] = minus(odd, turned);
}

void fft_run(const fft_plan *plan, const int16_t samples[fft_size], fft_complex bins[fft_bins]) {
    // Two real samples make one complex value.
    fft_complex values[fft_half];
    for (int k = 0; k < fft_half; k++) {
        const int from = 2 * plan->order[k];
        values[k] = (fft_complex){samples[from], samples[from + 1]};
    }
    for (int length = 1; length < fft_half; length *= 4)
        for (int group = 0; group < fft_half; group += 4 * length)
            for (int k = 0; k < length; k++) butterfly(plan, values + group + k, length, k);

    const fft_complex zero = divided(values[0], 2);
    bins[0] = (fft_complex){(int16_t)(zero.re + zero.im), 0};
    bins[fft_half] = (fft_complex){(int16_t)(zero.re - zero.im), 0};
    for (int k = 1; k <= fft_half / 2; k++) {
        const fft_complex low = divided(values[k], 2);
        fft_complex high = divided(values[fft_half - k], 2);
        high.im = (int16_t)-high.im;
        const fft_complex sum = plus(low, high), turned = times(minus(low, high), plan->split[k]);
        bins[k] = (fft_complex){(int16_t)((sum.re + turned.re) >> 1), (int16_t)((sum.im + turned.im) >> 1)};
        bins[fft_half - k] =
            (fft_complex){(int16_t)((sum.re - turned.re) >> 1), (int16_t)((turned.im - sum.im) >> 1)};
    }
}
