#pragma once
// Tells echo that the linear canceller leaves from a talker whom it rightly leaves.
//
// What is left of an echo rises and falls with the estimate of it, in every band alike; a talker does not. Two signs are
// read over the bands of a voice: how the envelopes of residual and estimate correlate over the last
// quarter of a second, and how much their ratio differs from band to band. Detectors of double talk that correlate samples
// (J. Benesty, D. R. Morgan, J. H. Cho, "A new class of doubletalk detectors based on cross-correlation", IEEE Transactions
// on Speech and Audio Processing 8(2), 2000) lose the echo with its path; its envelopes stay when a box is moved.
#include <array>

namespace caec_detail {

class EchoJudgement {
public:
    static constexpr int kMostBands = 40;

    /// One block: powers of the residual, the estimated echo and the noise in `count` bands, at most `kMostBands`.
    /// `isTalkerAbout`: whether somebody talked a short while ago.
    void step(const float *residual, const float *echo, const float *noise, int count, bool isTalkerAbout);

    /// Whether what is left is echo and nothing else, as far as can be told.
    bool isEcho() const { return isEcho_; }
    /// Whether it is echo, and hardly less of it than before the canceller.
    bool isEchoLoud() const;
    /// Whether so much of the echo is left for so long that its path must have changed; true for one block each second.
    bool hasPathChanged() const { return changed_; }

private:
    struct Moments {
        float echo = 0, residual = 0, echoSquare = 0, residualSquare = 0, product = 0;
    };

    float correlate(const float *echo, const float *residual, int count);
    void decide(bool isTalkerAbout);

    std::array<Moments, kMostBands> moments_{};
    float likeness_ = 0;   ///< Correlation coefficient, -1 to 1.
    float spread_ = 0.8f;  ///< Of log10(residual / echo) over the bands, smoothed.
    float ratio_ = -30;    ///< Residual over echo in dB, smoothed.
    int blocks_ = 0, fading_ = 0;
    /// Blocks in which most of the echo was taken off, since its path last changed.
    int settled_ = 0;
    /// Blocks running of much echo; negative until the path may be called changed again.
    int patience_ = 0;
    bool isEcho_ = false, changed_ = false;
};

} // namespace caec_detail
