#include "remembered_path.hpp"
#include "energy.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace caec_detail {

namespace {

/// Decay of the sums, per block: a third of a second.
constexpr float kMemory = 0.97f;
/// Blocks with sound: length of the trial, before the first verdict, and in a row with a better path to confirm it.
constexpr int kTrial = 50, kLeast = 6, kRunning = 14;
/// Blocks between two searches for the position of the echo.
constexpr int kPause = 4;
/// A prediction below -50 dBFS is too close to the noise to measure the loudness of the echo.
constexpr float kAudible = RememberedPath::kBlock * 1e-5f;
/// Least share of the microphone that the path must explain; largest residual relative to that of the learning filter.
constexpr float kExplained = 0.5f, kBetter = 0.7f;
/// The echo may be 12 dB louder or fainter, after a turn of a volume knob.
constexpr float kLoudest = 4, kFaintest = 0.25f;

float powerOf(const float *block) { return energy(block, RememberedPath::kBlock); }

} // namespace

RememberedPath::RememberedPath()
    : fft_(kSize), path_(static_cast<size_t>(kPartitions * kBlock)), re_(static_cast<size_t>(kPartitions * kStride)),
      im_(re_.size()), sumRe_(kStride), sumIm_(kStride), yre_(kStride), yim_(kStride), time_(kSize), echo_(3 * kBlock),
      microphone_(kBlock) {}

void RememberedPath::recall(const float *path) {
    std::memcpy(path_.data(), path, sizeof(float) * path_.size());
    for (int p = 0; p < kPartitions; p++) {
        std::fill(time_.begin(), time_.end(), 0.0f);
        std::memcpy(time_.data(), path_.data() + p * kBlock, sizeof(float) * kBlock);
        fft_.forward(time_.data(), re_.data() + p * kStride, im_.data() + p * kStride, kBins);
    }
    isOnTrial_ = true;
    restart();
}

void RememberedPath::restart() {
    std::fill(sumRe_.begin(), sumRe_.end(), 0.0f);
    std::fill(sumIm_.begin(), sumIm_.end(), 0.0f);
    std::fill(echo_.begin(), echo_.end(), 0.0f);
    std::fill(microphone_.begin(), microphone_.end(), 0.0f);
    lastResidual_ = 0;
    echoPower_ = microphonePower_ = residualPower_ = 0;
    height_ = 0;
    heard_ = better_ = 0;
}

void RememberedPath::predict(const float *const *re, const float *const *im) {
    std::fill(yre_.begin(), yre_.end(), 0.0f);
    std::fill(yim_.begin(), yim_.end(), 0.0f);
    float *__restrict yr = yre_.data();
    float *__restrict yi = yim_.data();
    for (int p = 0; p < kPartitions; p++) {
        const float *__restrict xr = re[p];
        const float *__restrict xi = im[p];
        const float *__restrict hr = re_.data() + p * kStride;
        const float *__restrict hi = im_.data() + p * kStride;
        for (int k = 0; k < kStride; k++) {
            yr[k] += xr[k] * hr[k] - xi[k] * hi[k];
            yi[k] += xr[k] * hi[k] + xi[k] * hr[k];
        }
    }
    fft_.inverse(yr, yi, kBins, time_.data());
    std::memmove(echo_.data(), echo_.data() + kBlock, sizeof(float) * 2 * kBlock);
    std::memcpy(echo_.data() + 2 * kBlock, time_.data() + kSize - kBlock, sizeof(float) * kBlock);
}

/// Adds the block before the newest, whose prediction is known on both sides, to the correlation.
void RememberedPath::correlate(const float *microphone) {
    constexpr int margin = (kSize - kBlock) / 2;
    std::memcpy(time_.data(), echo_.data() + kBlock - margin, sizeof(float) * kSize);
    fft_.forward(time_.data(), yre_.data(), yim_.data(), kBins);
    float er[kStride], ei[kStride];
    std::copy_n(yre_.data(), kStride, er);
    std::copy_n(yim_.data(), kStride, ei);
    std::fill(time_.begin(), time_.end(), 0.0f);
    std::memcpy(time_.data() + margin, microphone, sizeof(float) * kBlock);
    fft_.forward(time_.data(), yre_.data(), yim_.data(), kBins);
    for (int k = 0; k < kBins; k++) {
        sumRe_[k] = kMemory * sumRe_[k] + er[k] * yre_[k] + ei[k] * yim_[k];
        sumIm_[k] = kMemory * sumIm_[k] + er[k] * yim_[k] - ei[k] * yre_[k];
    }
}

void RememberedPath::search() {
    fft_.inverse(sumRe_.data(), sumIm_.data(), kBins, time_.data());
    height_ = 0;
    for (int lag = -kFarthest; lag <= kFarthest; lag++) {
        const float value = time_[(lag + kSize) % kSize];
        if (value > height_) {
            height_ = value;
            shift_ = lag;
        }
    }
    gain_ = height_ / (echoPower_ + 1e-12f);
}

RememberedPath::Verdict RememberedPath::step(const float *const *re, const float *const *im, const float *microphone,
                                             const float *residual) {
    predict(re, im);
    const float power = powerOf(echo_.data() + kBlock), mic = powerOf(microphone_.data());
    // A residual louder than the microphone is not passed on; the microphone is.
    const float rest = std::min(powerOf(residual), powerOf(microphone));
    correlate(microphone_.data());
    echoPower_ = kMemory * echoPower_ + power;
    microphonePower_ = kMemory * microphonePower_ + mic;
    residualPower_ = kMemory * residualPower_ + lastResidual_;
    lastResidual_ = rest;
    std::memcpy(microphone_.data(), microphone, sizeof(float) * kBlock);
    if (power < kAudible) { return Verdict::open; }
    heard_++;
    if (heard_ < kLeast) { return Verdict::open; }
    if (heard_ % kPause == 0) { search(); }
    const float explained = height_ * height_ / (echoPower_ * microphonePower_ + 1e-12f);
    const float left = microphonePower_ * (1 - std::min(1.0f, explained));
    const bool isBetter = explained > kExplained && left < kBetter * residualPower_ && gain_ > kFaintest && gain_ < kLoudest;
    better_ = isBetter ? better_ + 1 : 0;
    if (better_ >= kRunning) { isOnTrial_ = false; return Verdict::better; }
    if (heard_ < kTrial || better_ > 0) { return Verdict::open; }
    isOnTrial_ = false;
    return Verdict::givenUp;
}

} // namespace caec_detail
