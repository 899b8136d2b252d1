#include "plain_path.hpp"
#include "energy.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace caec_detail {

namespace {

constexpr double kPi = 3.14159265358979;
/// The high pass of version 0.3 as measured, within 0.04 dB: corner in Hz, and quality.
constexpr double kCorner = 106.5, kQuality = 0.92;

/// Low pass with its corner at `corner` of the sampling rate, and a Hamming window of `length` around `centre`.
float tap(int n, double centre, double length, double corner) {
    const double at = n - centre, x = 2 * kPi * corner * at;
    const double sinc = x == 0 ? 1 : std::sin(x) / x;
    return static_cast<float>(2 * corner * sinc * (0.54 + 0.46 * std::cos(2 * kPi * at / length)));
}

float dot(const float *a, const float *b, int count) {
    REORDERED
    float sum = 0;
    for (int n = 0; n < count; n++) { sum += a[n] * b[n]; }
    return sum;
}

} // namespace

PlainPath::PlainPath(int delay, bool isHighPassed)
    : isHighPassed_(isHighPassed), held_(static_cast<size_t>((2 * delay - kCentre) / 3 + CAEC_OUTPUT_FRAMES)) {
    // Between 48 and 32 kHz lie 96 kHz. Half of 32 kHz is a sixth of them; interpolation by two costs half of the level.
    for (int n = 0; n < kTaps; n++) {
        even_[kTaps - 1 - n] = 2 * tap(2 * n, kCentre, 2 * kTaps, 1.0 / 6);
        odd_[kTaps - 1 - n] = 2 * n + 1 > 2 * kCentre ? 0 : 2 * tap(2 * n + 1, kCentre, 2 * kTaps, 1.0 / 6);
    }
    for (int n = 0; n < kVoiceTaps; n++) { voiceTaps_[n] = tap(n, (kVoiceTaps - 1) / 2.0, kVoiceTaps, 0.25); }
    const double k = std::tan(kPi * kCorner / (CAEC_OUTPUT_FRAMES * 100));
    const double scale = 1 / (1 + k / kQuality + k * k);
    gain_ = static_cast<float>(scale);
    feedback1_ = static_cast<float>(2 * (k * k - 1) * scale);
    feedback2_ = static_cast<float>((1 - k / kQuality + k * k) * scale);
}

void PlainPath::convert(const float *microphone, float *output) {
    std::memmove(past_, past_ + CAEC_INPUT_FRAMES, sizeof(float) * kTaps);
    std::memcpy(past_ + kTaps, microphone, sizeof(float) * CAEC_INPUT_FRAMES);
    // Two samples of output for three of input: one at a sample, one between two.
    const float *newest = past_ + 1;
    for (int n = 0; n < CAEC_OUTPUT_FRAMES; n += 2, newest += 3) {
        output[n] = dot(newest, even_, kTaps);
        output[n + 1] = dot(newest + 1, odd_, kTaps);
    }
}

void PlainPath::passHigh(float *samples) {
    for (int n = 0; n < CAEC_OUTPUT_FRAMES; n++) {
        const float x = gain_ * samples[n];
        const float y = x + state1_;
        state1_ = state2_ - 2 * x - feedback1_ * y;
        state2_ = x - feedback2_ * y;
        samples[n] = y;
    }
}

void PlainPath::halve(const float *samples, float *voice) {
    std::memmove(voicePast_, voicePast_ + CAEC_OUTPUT_FRAMES, sizeof(float) * kVoiceTaps);
    std::memcpy(voicePast_ + kVoiceTaps, samples, sizeof(float) * CAEC_OUTPUT_FRAMES);
    for (int n = 0; n < kVoiceFrames; n++) { voice[n] = dot(voicePast_ + 1 + 2 * n, voiceTaps_, kVoiceTaps); }
}

void PlainPath::process(const float *microphone, float *output, float *voice) {
    const size_t kept = held_.size() - CAEC_OUTPUT_FRAMES;
    std::memmove(held_.data(), held_.data() + CAEC_OUTPUT_FRAMES, sizeof(float) * kept);
    float *newest = held_.data() + kept;
    convert(microphone, newest);
    if (isHighPassed_) { passHigh(newest); }
    halve(newest, voice);
    std::memcpy(output, held_.data(), sizeof(float) * CAEC_OUTPUT_FRAMES);
}

} // namespace caec_detail
