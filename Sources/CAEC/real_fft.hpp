#pragma once
// Real Fourier transforms of one size, with split real and imaginary parts.
//
// Spectra are two plain arrays, so that loops over bins vectorise, and may be truncated to the lowest bins; the rest counts
// as zero. The constructor allocates everything.
#include <vector>

#include "complex_fft.hpp"

namespace caec_detail {

class RealFFT {
public:
    /// `size`: a multiple of 32 without prime factors above 5.
    explicit RealFFT(int size);

    /// Transforms `size` samples and keeps the lowest `bins` (9 to size / 2 + 1).
    void forward(const float *samples, float *re, float *im, int bins);

    /// The inverse, scaled to undo `forward`. Bins from `bins` on count as zero.
    void inverse(const float *re, const float *im, int bins, float *samples);

    /// As above with another divisor, for spectra from a transform of another size.
    void inverse(const float *re, const float *im, int bins, float *samples, int divisor);

private:
    /// Half the size: a real transform is a complex one of half the size, taken apart.
    int half_;
    ComplexFFT fft_;
    std::vector<float> factorRe_, factorIm_;
    std::vector<float> complexRe_, complexIm_, wholeRe_, wholeIm_;
};

} // namespace caec_detail
