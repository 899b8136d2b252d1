#include "residual_suppressor.hpp"
#include "caec.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace caec_detail {

namespace {

constexpr float kPi = 3.14159265f;
/// -100 dBFS.
constexpr float kFloor = 480 * 1e-10f;
/// Share of the last block's echo that a room still holds after 10 ms.
constexpr float kTail = 0.5f;
constexpr float kOversubtraction = 1.2f;
constexpr float kNoiseSubtraction = 0.35f;
/// Shares of the two echo estimates, which are conservative, that are removed from a talker. Removing all of them cuts into
/// speech (STOI .03 to .06 less), and the remaining echo under the voice is faint.
constexpr float kLeakageShare = 0.2f, kUncertaintyShare = 0.08f;
/// Lower bounds of the power gain, for echo and for noise.
constexpr float kLeastEcho = 1e-3f;
constexpr float kLeastNoise = 0.1f;
constexpr float kPrior = 0.6f;
constexpr int kHangover = 60;
/// Blocks after a talker during which the next word counts as the same talker's: pauses in talk are shorter.
constexpr int kAbout = 300;
/// Blocks without echo after which a talker is not talking over it, and after which the box begins another turn. Its pauses within
/// a turn are shorter.
constexpr int kSilent = 20, kTurn = 100;
/// Power of -70 dBFS in a band: fainter echo is inaudible.
constexpr float kAudible = 480 * 1e-7f;
/// Adaptation of the leakage, per block; slower if the residual may be an undetected talker.
constexpr float kLearning = 0.03f, kWaryLearning = 0.003f;
constexpr float kTalkerEvidence = 2.0f;
constexpr float kLeastTalker = 0.006f;
/// Factor of the canceller's own uncertainty. Without a confirmed delay the echo may lie where the canceller does not expect
/// it, and is then more uncertain than it knows.
constexpr float kDoubt = 1.7f, kConfirmedDoubt = 1.0f;
/// Bands between 300 and 4000 Hz hold a voice.
constexpr float kVoiceFrom = 300, kVoiceTo = 4000;
constexpr int kNoiseWindow = 100;

float mel(float frequency) { return 1127 * std::log1p(frequency / 700); }
float hertz(float mel) { return 700 * std::expm1(mel / 1127); }

} // namespace

ResidualSuppressor::ResidualSuppressor(int delay)
    : analysis_(kSize), synthesis_(2 * kOutput), window_(kSize), outWindow_(2 * kOutput),
      residual_(static_cast<size_t>(kSize + delay)), echo_(residual_.size()), re_(kBins), im_(kBins), residualPower_(kBins),
      echoPower_(kBins), frame_(kSize), overlap_(kOutput) {
    for (int n = 0; n < kSize; n++) {
        window_[static_cast<size_t>(n)] = std::sin(kPi * (static_cast<float>(n) + 0.5f) / kSize);
    }
    for (int n = 0; n < 2 * kOutput; n++) {
        // Half a sample at 48 kHz is a third of one at 32 kHz: both windows must peak at the same time.
        const float at = (static_cast<float>(n) * 1.5f + 0.5f) / kSize;
        outWindow_[static_cast<size_t>(n)] = std::sin(kPi * at);
    }
    const float top = mel(16000);
    int last = -1;
    for (int b = 0; b < kBands + 2; b++) {
        const float centre = hertz(top * static_cast<float>(b) / (kBands + 1)) / 50;
        edges_[b] = std::min(kBins - 1, std::max(last + 1, static_cast<int>(std::lround(centre))));
        last = edges_[b];
    }
    for (int b = 0; b + 1 < kBands + 2; b++) {
        for (int k = edges_[b]; k <= edges_[b + 1]; k++) {
            band_[k] = b;
            const int width = std::max(1, edges_[b + 1] - edges_[b]);
            lower_[k] = static_cast<float>(edges_[b + 1] - k) / static_cast<float>(width);
        }
    }
    sumBands([](int) { return 1.0f; }, weights_);
    for (float &weight : weights_) { weight = std::max(0.5f, weight); }
}

/// Transforms the newest 20 ms into `re_` and `im_`.
void ResidualSuppressor::analyse(std::vector<float> &history, const float *block, std::vector<float> &power) {
    const size_t size = history.size();
    std::memmove(history.data(), history.data() + kBlock, sizeof(float) * (size - kBlock));
    std::memcpy(history.data() + size - kBlock, block, sizeof(float) * kBlock);
    for (int n = 0; n < kSize; n++) { frame_[n] = history[static_cast<size_t>(n)] * window_[static_cast<size_t>(n)]; }
    analysis_.forward(frame_.data(), re_.data(), im_.data(), kBins);
    for (size_t k = 0; k < kBins; k++) { power[k] = re_[k] * re_[k] + im_[k] * im_[k]; }
}

/// Sums `power` under each band's triangle.
template <class Power> void ResidualSuppressor::sumBands(Power power, float *bands) const {
    // Between two edges, the triangle of one band falls and that of the next rises.
    float falling = 0;
    for (int b = 0; b <= kBands; b++) {
        const int end = b == kBands ? kBins : edges_[b + 1];
        float rising = 0;
        for (int k = edges_[b]; k < end; k++) {
            falling += lower_[k] * power(k);
            rising += (1 - lower_[k]) * power(k);
        }
        if (b > 0) { bands[b - 1] = falling; }
        falling = rising;
    }
}

/// Mean power of each band under its triangle.
void ResidualSuppressor::bandPowers(const std::vector<float> &power, float *bands) const {
    sumBands([&](int k) { return power[static_cast<size_t>(k)]; }, bands);
    for (int b = 0; b < kBands; b++) { bands[b] /= weights_[b]; }
}

void ResidualSuppressor::estimate(const float *uncertainty, int uncertaintyBins) {
    float residual[kBands], echo[kBands];
    bandPowers(residualPower_, residual);
    bandPowers(echoPower_, echo);
    frames_ = caec_next_frame(frames_, kNoiseWindow);
    for (int b = 0; b < kBands; b++) {
        auto &band = bands_[b];
        band.residual = residual[b] + kFloor;
        band.echo = echo[b];
        band.tail = std::max(echo[b], kTail * band.tail);
        const int at = static_cast<int>(static_cast<float>(edges_[b + 1]) * (50.0f * 1024 / 48000));
        float unsure = 0;
        if (at < uncertaintyBins) {
            const int from = std::max(0, at - 1), to = std::min(uncertaintyBins - 1, at + 1);
            for (int k = from; k <= to; k++) { unsure += uncertainty[k]; }
            unsure /= static_cast<float>(to - from + 1);
        }
        band.uncertainty = std::max(unsure, kTail * band.uncertainty);
        if (frames_ == 1) { band.smoothed = band.residual; }
        if (frames_ < kNoiseWindow) { band.noise = 2 * std::min(band.least, band.smoothed); }
        // Noise: the minimum of the last one to two seconds, corrected for the bias of a minimum.
        band.smoothed += 0.2f * (band.residual - band.smoothed);
        band.least = std::min(band.least, band.smoothed);
        band.noise = std::min(band.noise, 2 * band.smoothed);
        if (frames_ % kNoiseWindow == 0) {
            band.noise = std::max(2 * band.least, kFloor);
            band.least = band.smoothed;
        }
    }
}

/// Discards a talker heard while nothing played: that was not double talk. Over the echo, a talker is found within 20 ms.
void ResidualSuppressor::follow(bool isAudible, bool isAboveNoise) {
    if (!isAudible) {
        silent_ = std::min(silent_ + 1, kTurn);
    } else if (silent_ < kSilent || (about_ > 0 && silent_ < kTurn)) {
        silent_ = 0;
    } else if (isAboveNoise) {
        // Echo below the noise does not begin a turn: the noise may still count as the talker.
        about_ = talking_ = suspicious_ = 0;
        silent_ = 0;
    }
}

void ResidualSuppressor::decide(bool isDoubtful) {
    float sum = 0, echo = 0, total = 0, whole = 0;
    int count = 0;
    float residuals[kBands], echoes[kBands], noises[kBands];
    float played = 0, noise = 0;
    const float doubt = isConfirmed_ ? kConfirmedDoubt : kDoubt;
    for (int b = 0; b < kBands; b++) {
        const auto &band = bands_[b];
        const float frequency = static_cast<float>(edges_[b + 1]) * 50;
        if (frequency < kVoiceFrom || frequency > kVoiceTo) { continue; }
        const float explained = 2 * (band.leakage * band.tail + doubt * band.uncertainty + band.noise);
        const float ratio = 10 * std::log10(band.residual / explained);
        sum += std::min(15.0f, std::max(0.0f, ratio));
        echo += band.leakage * band.tail + band.uncertainty;
        total += band.residual;
        whole += band.tail;
        played += band.tail + band.uncertainty;
        noise += band.noise;
        residuals[count] = band.residual;
        echoes[count] = band.tail;
        noises[count] = band.noise;
        count++;
    }
    follow(played > kAudible * static_cast<float>(count), played > noise);
    judgement_.step(residuals, echoes, noises, count, isTalkerAbout(), isConfirmed_);
    evidence_ = sum / static_cast<float>(std::max(1, count));
    // A residual 22 dB below the echo is loudspeaker distortion.
    const bool counts = total > kLeastTalker * whole && !isDoubtful && !judgement_.isEcho();
    suspicious_ = evidence_ > kTalkerEvidence && counts ? suspicious_ + 1 : 0;
    if (judgement_.isEcho()) {
        talking_ = 0;
    } else if (suspicious_ >= 2) {
        talking_ = kHangover;
    } else if (talking_ > 0 && evidence_ < kTalkerEvidence) {
        talking_--;
    }
    about_ = talking_ > 0 && silent_ < kSilent ? kAbout : std::max(0, about_ - 1);
    if (judgement_.isEchoLoud()) { about_ = 0; }
    // Echo 25 dB below the residual needs no suppression.
    echoing_ = echo > 0.003f * total ? kHangover : std::max(0, echoing_ - 1);
}

void ResidualSuppressor::learn() {
    for (auto &band : bands_) {
        if (band.echo < band.noise) { continue; }
        const float ratio = std::max(0.0f, band.residual - band.noise) / band.tail;
        if (suspicious_ == 0 && talking_ == 0) {
            const bool isWary = isTalkerAbout() || judgement_.isUnlikeEcho();
            const float speed = isWary && ratio > band.leakage ? kWaryLearning : kLearning;
            band.leakage += speed * (std::min(1.0f, ratio) - band.leakage);
        } else if (ratio < band.leakage) {
            band.leakage += 0.01f * (ratio - band.leakage);
        }
        band.leakage = std::max(1e-4f, band.leakage);
    }
}

void ResidualSuppressor::computeGains() {
    const float leakageShare = hasTalker() ? kLeakageShare : 1;
    const float uncertaintyShare = hasTalker() ? kUncertaintyShare : 1;
    for (auto &band : bands_) {
        const float echo = leakageShare * band.leakage * band.tail + uncertaintyShare * band.uncertainty;
        const float unwanted = kOversubtraction * echo + kNoiseSubtraction * band.noise + kFloor;
        const float ratio = band.residual / unwanted;
        const float prior = kPrior * band.previous + (1 - kPrior) * std::max(0.0f, ratio - 1);
        const float least = std::sqrt((kLeastEcho * echo + kLeastNoise * band.noise) / (echo + band.noise + kFloor));
        band.gain = std::max(least, prior / (1 + prior));
        band.previous = band.gain * band.gain * ratio;
    }
}

void ResidualSuppressor::process(const float *residual, const float *echo, const float *uncertainty,
                                 int uncertaintyBins, bool isDoubtful, float *output) {
    // At rest the spectrum of the echo is 0 already.
    if (output) { analyse(echo_, echo, echoPower_); }
    // The residual comes last, so that its spectrum stays in re_ and im_.
    analyse(residual_, residual, residualPower_);
    estimate(uncertainty, uncertaintyBins);
    decide(isDoubtful);
    learn();
    computeGains();
    if (!output) {
        std::fill(overlap_.begin(), overlap_.end(), 0.0f);
        return;
    }
    for (int k = 0; k < kBins; k++) {
        const int b = band_[k];
        const float low = bands_[std::max(0, b - 1)].gain;
        const float high = bands_[std::min(kBands - 1, b)].gain;
        const float gain = lower_[k] * low + (1 - lower_[k]) * high;
        re_[static_cast<size_t>(k)] *= gain;
        im_[static_cast<size_t>(k)] *= gain;
    }
    synthesis_.inverse(re_.data(), im_.data(), kBins, frame_.data(), kSize);
    for (size_t n = 0; n < kOutput; n++) {
        output[n] = overlap_[n] + frame_[n] * outWindow_[n];
        overlap_[n] = frame_[n + kOutput] * outWindow_[n + kOutput];
    }
}

} // namespace caec_detail
