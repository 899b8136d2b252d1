#include "delay_estimator.h"

#include "real_fft.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <new>
#include <vector>

namespace {

/// Transform size at which no lag wraps around: LATEST + WINDOW samples of reference, and room for EARLIEST before them.
constexpr int kSize = DELAY_ESTIMATOR_REFERENCE + DELAY_ESTIMATOR_EARLIEST;
constexpr int kLowest = 300 * kSize / DELAY_ESTIMATOR_RATE;
constexpr int kHighest = 3500 * kSize / DELAY_ESTIMATOR_RATE;
constexpr int kBins = kHighest + 1;
constexpr int kLags = DELAY_ESTIMATOR_EARLIEST + DELAY_ESTIMATOR_LATEST + 1;

/// Least strength of a peak over the mean. Noise of any kind stays below 7.
constexpr double kStrength = 12;
/// Peaks closer than this belong together: 5 ms of early reflections.
constexpr int kVicinity = DELAY_ESTIMATOR_RATE * 5 / 1000;
/// Half a millisecond.
constexpr double kNear = DELAY_ESTIMATOR_RATE * 0.0005;
/// Mean power of -70 dBFS: below that there is nothing to compare.
constexpr double kSilence = 1e-7;
/// Bins far below the mean are not raised to the level of the others: they hold rounding errors, leakage and noise.
constexpr float kFloor = 0.03f;
/// Share of bins that must reach the level of the others. In speech and music a quarter or more do. A few tones say nothing
/// about a delay, and their leakage is misleading.
constexpr double kShare = 0.1;
/// The ends fade over 100 ms, so that they do not correlate with each other.
constexpr int kFade = DELAY_ESTIMATOR_RATE / 10;

struct Spectrum {
    std::vector<float> re = std::vector<float>(kBins), im = std::vector<float>(kBins);
};

bool is_silent(const float *samples, size_t count) {
    double sum = 0;
    for (size_t n = 0; n < count; n++) { sum += double(samples[n]) * double(samples[n]); }
    // Also true for a sum that is NaN.
    return !(sum > kSilence * double(count));
}

} // namespace

struct delay_estimator {
    caec_detail::RealFFT fft{kSize};
    std::vector<float> time = std::vector<float>(kSize);
    std::vector<float> correlation = std::vector<float>(kLags);
    Spectrum microphone, reference;
    std::vector<float> fade = std::vector<float>(kFade);

    delay_estimator() {
        for (int n = 0; n < kFade; n++) { fade[n] = float(0.5 - 0.5 * std::cos(M_PI * (n + 0.5) / kFade)); }
    }

    /// The spectrum of the newest `count` samples. The last one is at index WINDOW - 1 and older ones precede it, wrapping
    /// around the end of the buffer: a lag of 0 then stays a lag of 0.
    void transform(const float *samples, int count, Spectrum &spectrum) {
        std::fill(time.begin(), time.end(), 0.0f);
        for (int n = 0; n < count; n++) {
            const int edge = std::min(n, count - 1 - n);
            const int place = DELAY_ESTIMATOR_WINDOW - count + n;
            time[size_t(place < 0 ? place + kSize : place)] = samples[n] * (edge < kFade ? fade[size_t(edge)] : 1.0f);
        }
        fft.forward(time.data(), spectrum.re.data(), spectrum.im.data(), kBins);
    }

    /// Whitens the cross spectrum within the band and transforms it back. Returns the share of the band that counts.
    double correlate() {
        // The product replaces the microphone.
        float *re = microphone.re.data(), *im = microphone.im.data();
        double sum = 0;
        for (int bin = kLowest; bin <= kHighest; bin++) {
            const float ar = re[bin], ai = im[bin], br = reference.re[size_t(bin)], bi = reference.im[size_t(bin)];
            re[bin] = ar * br + ai * bi;
            im[bin] = ai * br - ar * bi;
            sum += std::sqrt(re[bin] * re[bin] + im[bin] * im[bin]);
        }
        const float floor = kFloor * float(sum / (kHighest - kLowest + 1)) + 1e-30f;
        double level = 0;
        std::fill_n(re, kLowest, 0.0f);
        std::fill_n(im, kLowest, 0.0f);
        for (int bin = kLowest; bin <= kHighest; bin++) {
            const float magnitude = std::sqrt(re[bin] * re[bin] + im[bin] * im[bin]);
            const float scale = 1 / (magnitude + floor);
            level += double(magnitude * scale);
            re[bin] *= scale;
            im[bin] *= scale;
        }
        fft.inverse(re, im, kBins, time.data(), 1);
        for (int n = 0; n < kLags; n++) {
            const int lag = n - DELAY_ESTIMATOR_EARLIEST;
            correlation[size_t(n)] = time[size_t(lag < 0 ? lag + kSize : lag)];
        }
        return level / (kHighest - kLowest + 1);
    }

    /// Returns the offset of the top of a parabola through three points from the middle one, as a fraction of a sample.
    static double top(double before, double at, double after) {
        const double curvature = before - 2 * at + after;
        return curvature < 0 ? std::clamp(0.5 * (before - after) / curvature, -0.5, 0.5) : 0;
    }

    bool judge(delay_estimate &result) const {
        // An echo may arrive inverted: a trough is as good as a peak.
        double sum = 0, highest = 0, rival = 0;
        int best = 0;
        for (int n = 0; n < kLags; n++) {
            const double magnitude = std::fabs(correlation[size_t(n)]);
            sum += magnitude;
            if (magnitude > highest) {
                highest = magnitude;
                best = n;
            }
        }
        for (int n = 0; n < kLags; n++) {
            if (std::abs(n - best) > kVicinity) { rival = std::max(rival, std::fabs(double(correlation[size_t(n)]))); }
        }
        if (!(highest > 0) || !std::isfinite(sum)) { return false; }
        result.strength = highest * kLags / sum;
        result.rival = rival / highest;
        result.lag = best - DELAY_ESTIMATOR_EARLIEST;
        if (best == 0 || best == kLags - 1) { return false; }
        const double sign = correlation[size_t(best)] < 0 ? -1 : 1;
        result.lag += top(sign * correlation[size_t(best - 1)], highest, sign * correlation[size_t(best + 1)]);
        return result.strength >= kStrength;
    }
};

extern "C" {

delay_estimator *delay_estimator_create(void) {
    try {
        return std::make_unique<delay_estimator>().release();
    } catch (const std::bad_alloc &) { return nullptr; }
}

void delay_estimator_destroy(delay_estimator *handle) { delete handle; }

bool delay_estimator_run(delay_estimator *handle, const float *microphone, size_t microphone_count,
                         const float *reference, size_t reference_count, delay_estimate *result) {
    delay_estimate estimate{0, 0, 0};
    const auto count = std::min<size_t>(microphone_count, DELAY_ESTIMATOR_WINDOW);
    const auto available = std::min<size_t>(reference_count, DELAY_ESTIMATOR_REFERENCE);
    microphone += microphone_count - count;
    reference += reference_count - available;
    bool found = false;
    if (count >= DELAY_ESTIMATOR_SHORTEST && available >= DELAY_ESTIMATOR_SHORTEST && !is_silent(microphone, count) &&
        !is_silent(reference, available)) {
        handle->transform(reference, int(available), handle->reference);
        handle->transform(microphone, int(count), handle->microphone);
        const double share = handle->correlate();
        found = handle->judge(estimate) && share >= kShare;
    }
    if (result != nullptr) { *result = estimate; }
    return found;
}

double delay_estimator_height(const delay_estimator *handle, double lag) {
    double highest = 0, near = 0;
    for (int n = 0; n < kLags; n++) {
        const double magnitude = std::fabs(handle->correlation[size_t(n)]);
        highest = std::max(highest, magnitude);
        if (std::fabs(n - DELAY_ESTIMATOR_EARLIEST - lag) <= kNear) { near = std::max(near, magnitude); }
    }
    return highest > 0 ? near / highest : 0;
}

} // extern "C"
