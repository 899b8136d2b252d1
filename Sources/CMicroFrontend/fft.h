// A real Fourier transform of 512 samples in 16-bit arithmetic.
#pragma once
#include <stdint.h>

enum { fft_size = 512, fft_half = fft_size / 2, fft_bins = fft_half + 1 };

typedef struct {
    int16_t re, im;
} fft_complex;

typedef struct {
    // exp(-2 pi i k / 256); and exp(-i pi (k / 256 + 1/2)) for the step from complex to real.
    fft_complex twiddles[fft_half];
    fft_complex split[fft_half / 2 + 1];
    uint8_t order[fft_half];
} fft_plan;

void fft_prepare(fft_plan *plan);
// Bin k is the sum of x[n] exp(-2 pi i k n / 512), divided by 512.
void fft_run(const fft_plan *plan, const int16_t samples[fft_size], fft_complex bins[fft_bins]);
