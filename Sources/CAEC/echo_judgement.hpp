#pragma once
// Distinguishes the residual echo of the linear canceller from near-end speech, which must pass.
//
// Residual echo rises and falls with its estimate, in every band alike; a talker does not. Two features are computed over the
// bands of a voice: the correlation of the envelopes of residual and estimate over the last quarter of a second, and the
// variation of their ratio between bands. Double-talk detectors that correlate samples (J. Benesty, D. R. Morgan, J. H. Cho,
// "A new class of doubletalk detectors based on cross-correlation", IEEE Transactions on Speech and Audio Processing 8(2),
// 2000) lose the echo when its path changes; its envelopes survive a move of the box.
#include <array>

namespace caec_detail {

class EchoJudgement {
public:
    static constexpr int kMostBands = 40;

    /// Processes one block: powers of the residual, the estimated echo and the noise in `count` bands, at most `kMostBands`.
    /// `isTalkerAbout`: whether a talker was heard a short while ago. `isAligned`: whether the position of the echo in the
    /// reference is confirmed.
    void step(const float *residual, const float *echo, const float *noise, int count, bool isTalkerAbout, bool isAligned);

    /// Whether the residual appears to be only echo.
    bool isEcho() const { return isEcho_; }
    /// Whether the residual is echo, almost as loud as before the canceller.
    bool isEchoLoud() const;
    /// Whether echo sounds, and the residual differs from its estimate by about the same amount in every band. After a change
    /// of the path it does so within a tenth of a second; the correlation takes longer to forget the earlier residual.
    bool isShapedLikeEcho() const;
    /// Whether echo sounds, most of it is removed, and the residual differs from its estimate by another amount in each band,
    /// as with a talker. The residual of a filter that still learns may do so too.
    bool isUnlikeEcho() const;
    /// Whether the residual echo was so loud for so long that its path must have changed; true for one block each second.
    bool hasPathChanged() const { return changed_; }

private:
    struct Moments {
        float echo = 0, residual = 0, echoSquare = 0, residualSquare = 0, product = 0;
    };

    static bool isVoice(const float *echo, int count);
    float correlate(const float *echo, const float *residual, int count);
    void decide(bool sounds, bool isTalkerAbout);

    std::array<Moments, kMostBands> moments_{};
    float likeness_ = 0;   ///< Correlation coefficient, -1 to 1.
    float spread_ = 0.8f;  ///< Spread of log10(residual / echo) over the bands, smoothed.
    float ratio_ = -30;    ///< Residual over echo in dB, smoothed.
    int blocks_ = 0, fading_ = 0;
    /// Blocks in which most of the echo was removed, since the last change of its path; before the delay is confirmed, only
    /// those in which a voice sounded.
    int settled_ = 0;
    /// Consecutive blocks of much echo; negative until another change of the path may be reported.
    int patience_ = 0;
    bool isEcho_ = false, changed_ = false;
};

} // namespace caec_detail
