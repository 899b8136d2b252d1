#pragma once
// Removes the echo that a linear canceller leaves, by a Wiener gain in mel bands, and detects a talker over it.
//
// The power of the residual echo is the canceller's own uncertainty (G. Enzner, P. Vary, Signal Processing 86(6), 2006) plus
// a leakage of the echo estimate that is tracked per band while no one talks (J.-M. Valin, "On adjusting the learning rate in
// frequency domain echo cancellation with double-talk", IEEE TASLP 15(3), 2007, for the idea of a leakage). The gain is
// Wiener's with the decision-directed a-priori ratio of Y. Ephraim, D. Malah, IEEE TASSP 32(6), 1984.
#include <vector>

#include "echo_judgement.hpp"
#include "real_fft.hpp"

namespace caec_detail {

class ResidualSuppressor {
public:
    static constexpr int kBlock = 480;
    static constexpr int kOutput = 320;
    /// The output lags the input by one block and `delay` frames at 48 kHz.
    explicit ResidualSuppressor(int delay);

    /// One block at 48 kHz in, 320 samples at 32 kHz out. `uncertainty`: `uncertaintyBins` powers at 48000 / 1024 Hz.
    /// `isDoubtful`: whether the block proves nothing about a talker: the microphone was at full scale, or the canceller wrong.
    /// `output` is NULL if there has been no echo for a second: then only noise and talker are followed.
    void process(const float *residual, const float *echo, const float *uncertainty, int uncertaintyBins,
                 bool isDoubtful, float *output);

    /// Whether a talker is heard, as of the last block; stays true for 600 ms.
    bool hasTalker() const { return talking_ > 0; }
    /// Whether a talker spoke over the box within the last 3 s, without evidence since then that it was echo.
    bool isTalkerAbout() const { return about_ > 0; }
    /// Whether there is echo to suppress.
    bool hasEcho() const { return echoing_ > 0; }
    /// Whether the residual has the spectrum of the echo, as the residual of a changed path has.
    bool isShapedLikeEcho() const { return hasEcho() && judgement_.isShapedLikeEcho(); }
    /// Whether the echo path must have changed; true for one block each second.
    bool hasPathChanged() const { return judgement_.hasPathChanged(); }
    /// Excess of the residual over what echo and noise explain, in dB, mean over the bands of a voice.
    float evidence() const { return evidence_; }

    /// Notes whether the delay of the echo is known from the echo itself.
    void setConfirmed(bool isConfirmed) { isConfirmed_ = isConfirmed; }

    /// Continues as though `frames` arbitrary frames had been processed.
    void pretendAge(int frames) { frames_ = frames; }

private:
    static constexpr int kSize = 2 * kBlock;
    static constexpr int kBins = 321;
    static constexpr int kBands = 40;

    void analyse(std::vector<float> &history, const float *block, std::vector<float> &power);
    template <class Power> void sumBands(Power power, float *bands) const;
    void bandPowers(const std::vector<float> &power, float *bands) const;
    void estimate(const float *uncertainty, int uncertaintyBins);
    void follow(bool isAudible, bool isAboveNoise);
    void decide(bool isDoubtful);
    void learn();
    void computeGains();

    struct Band {
        float residual = 0, echo = 0, tail = 0, uncertainty = 0;
        float smoothed = 0, noise = 1e-6f, least = 1e9f;
        float leakage = 0.1f, previous = 0, gain = 1;
    };

    RealFFT analysis_, synthesis_;
    std::vector<float> window_, outWindow_;
    std::vector<float> residual_, echo_;  ///< Past samples, newest last.
    std::vector<float> re_, im_, residualPower_, echoPower_, frame_, overlap_;
    int edges_[kBands + 2];
    float lower_[kBins];  ///< Share of the lower band's gain in a bin.
    int band_[kBins];
    float weights_[kBands];  ///< Area of each band's triangle.
    Band bands_[kBands];
    int frames_ = 0;  ///< Count of `caec_next_frame`.
    int talking_ = 0, about_ = 0, echoing_ = 0, suspicious_ = 0;
    int silent_ = 0;  ///< Blocks since the last echo, at most `kTurn`.
    float evidence_ = 0;
    bool isConfirmed_ = false;
    EchoJudgement judgement_;
};

} // namespace caec_detail
