#include "real_fft.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace caec_detail {

RealFFT::RealFFT(int size)
    : half_(size / 2), fft_(half_), factorRe_(static_cast<size_t>(half_)), factorIm_(factorRe_.size()),
      complexRe_(factorRe_.size()), complexIm_(factorRe_.size()), wholeRe_(factorRe_.size() + 1), wholeIm_(factorRe_.size() + 1) {
    for (int k = 0; k < half_; k++) {
        // By symmetry the upper half is that of its mirror image. Computed from that, both halves round alike.
        const bool isUpper = 2 * k >= half_;
        const double phase = -M_PI * (static_cast<double>(isUpper ? half_ - k : k) / half_ + 0.5);
        factorRe_[k] = static_cast<float>(std::cos(phase));
        factorIm_[k] = static_cast<float>(isUpper ? -std::sin(phase) : std::sin(phase));
    }
}

WIDER void RealFFT::forward(const float *samples, float *re, float *im, int bins) {
    fft_.forward(samples, complexRe_.data(), complexIm_.data());
    const float *zr = complexRe_.data(), *zi = complexIm_.data();
    re[0] = zr[0] + zi[0];
    im[0] = 0;
    if (bins > half_) {
        re[half_] = zr[0] - zi[0];
        im[half_] = 0;
    }
    const int to = std::min(bins, half_);
    for (int next = 1; next < to; next += 8) {
        const int k = std::min(next, to - 8);
        const Eight ar = load(zr + k).v, ai = load(zi + k).v;
        const Eight br = loadBackward(zr + half_ - k).v, bi = loadBackward(zi + half_ - k).v;
        const Eight wr = load(&factorRe_[k]).v, wi = load(&factorIm_[k]).v;
        const Eight evenRe = ar + br, evenIm = ai - bi, oddRe = ar - br, oddIm = ai + bi;
        store({(evenRe + (oddRe * wr - oddIm * wi)) * 0.5f}, re + k);
        store({(evenIm + (oddRe * wi + oddIm * wr)) * 0.5f}, im + k);
    }
}

WIDER void RealFFT::inverse(const float *re, const float *im, int bins, float *samples, int divisor) {
    const float scale = 1.0f / static_cast<float>(divisor);
    float *xr = wholeRe_.data(), *xi = wholeIm_.data();
    for (int k = 0; k < bins; k++) {
        xr[k] = re[k] * scale;
        xi[k] = im[k] * scale;
    }
    std::fill(wholeRe_.begin() + bins, wholeRe_.end(), 0.0f);
    std::fill(wholeIm_.begin() + bins, wholeIm_.end(), 0.0f);
    float *zr = complexRe_.data(), *zi = complexIm_.data();
    zr[0] = xr[0] + xr[half_];
    zi[0] = xr[0] - xr[half_];
    for (int next = 1; next < half_; next += 8) {
        const int k = std::min(next, half_ - 8);
        const Eight ar = load(xr + k).v, ai = load(xi + k).v;
        const Eight br = loadBackward(xr + half_ - k).v, bi = loadBackward(xi + half_ - k).v;
        const Eight wr = load(&factorRe_[k]).v, wi = load(&factorIm_[k]).v;
        const Eight evenRe = ar + br, evenIm = ai - bi, oddRe = ar - br, oddIm = ai + bi;
        store({evenRe + (oddRe * wr + oddIm * wi)}, zr + k);
        store({evenIm + (oddIm * wr - oddRe * wi)}, zi + k);
    }
    fft_.inverse(zr, zi, samples);
}

void RealFFT::inverse(const float *re, const float *im, int bins, float *samples) {
    inverse(re, im, bins, samples, 2 * half_);
}

} // namespace caec_detail
