#pragma once
// The microphone without echo cancellation, for when nothing has sounded for a while: at 32 kHz, through the library's high
// pass, as late as the library's output, so that a fade between the two is inaudible.
#include "caec.h"

#include <vector>

namespace caec_detail {

class PlainPath {
public:
    /// Samples of 10 ms at 16 kHz, for a voice detector.
    static constexpr int kVoiceFrames = CAEC_OUTPUT_FRAMES / 2;

    /// Whether the path can be as late as that, in frames at 48 kHz, without a fraction of a sample.
    static constexpr bool isPossible(int delay) { return 2 * delay >= kCentre && (2 * delay - kCentre) % 3 == 0; }

    /// `delay`: that of the library's output, in frames at 48 kHz.
    PlainPath(int delay, bool isHighPassed);

    /// One period in, one period out. `voice` receives `kVoiceFrames` samples of the same period, not delayed.
    void process(const float *microphone, float *output, float *voice);

private:
    /// Delay of the converter's filter at 96 kHz, of which every third sample is used.
    static constexpr int kCentre = 23;
    /// Taps of each of the filter's two phases, at 48 kHz.
    static constexpr int kTaps = kCentre + 1;
    /// Taps in front of the voice detector, at 32 kHz.
    static constexpr int kVoiceTaps = 12;

    void convert(const float *microphone, float *output);
    void passHigh(float *samples);
    void halve(const float *samples, float *voice);

    /// The taps, for the oldest sample first.
    float even_[kTaps], odd_[kTaps], voiceTaps_[kVoiceTaps];
    float past_[kTaps + CAEC_INPUT_FRAMES] = {};
    float voicePast_[kVoiceTaps + CAEC_OUTPUT_FRAMES] = {};
    const bool isHighPassed_;
    float gain_, feedback1_, feedback2_;
    float state1_ = 0, state2_ = 0;
    /// What is converted and not due yet.
    std::vector<float> held_;
};

} // namespace caec_detail
