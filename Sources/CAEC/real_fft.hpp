#pragma once
// Real Fourier transforms of one size, with split real and imaginary parts.
//
// A thin layer over kissfft. Spectra are two plain arrays, so that loops over bins vectorise, and may be truncated to the
// lowest bins; the rest counts as zero. The constructor allocates everything.
#include <algorithm>
#include <cstddef>
#include <new>
#include <vector>

#include <kissfft/kiss_fftr.h>

namespace caec_detail {

class RealFFT {
public:
    explicit RealFFT(int size)
        : size_(size), forward_(kiss_fftr_alloc(size, 0, nullptr, nullptr)),
          inverse_(kiss_fftr_alloc(size, 1, nullptr, nullptr)), spectrum_(static_cast<size_t>(size) / 2 + 1) {
        if (!forward_ || !inverse_) {
            release();
            throw std::bad_alloc();
        }
    }

    ~RealFFT() { release(); }
    RealFFT(const RealFFT &) = delete;
    RealFFT &operator=(const RealFFT &) = delete;

    /// Transforms `size` samples and keeps the lowest `bins` (at most size / 2 + 1).
    void forward(const float *samples, float *re, float *im, int bins) {
        kiss_fftr(forward_, samples, spectrum_.data());
        for (int k = 0; k < bins; k++) {
            re[k] = spectrum_[static_cast<size_t>(k)].r;
            im[k] = spectrum_[static_cast<size_t>(k)].i;
        }
    }

    /// The inverse, scaled to undo `forward`. Bins from `bins` on count as zero.
    void inverse(const float *re, const float *im, int bins, float *samples) { inverse(re, im, bins, samples, size_); }

    /// As above with another divisor, for spectra from a transform of another size.
    void inverse(const float *re, const float *im, int bins, float *samples, int divisor) {
        const float scale = 1.0f / static_cast<float>(divisor);
        for (int k = 0; k < bins; k++) {
            auto &bin = spectrum_[static_cast<size_t>(k)];
            bin.r = re[k] * scale;
            bin.i = im[k] * scale;
        }
        std::fill(spectrum_.begin() + bins, spectrum_.end(), kiss_fft_cpx{0, 0});
        kiss_fftri(inverse_, spectrum_.data(), samples);
    }

private:
    void release() {
        kiss_fftr_free(forward_);
        kiss_fftr_free(inverse_);
    }

    int size_;
    kiss_fftr_cfg forward_;
    kiss_fftr_cfg inverse_;
    std::vector<kiss_fft_cpx> spectrum_;
};

} // namespace caec_detail
