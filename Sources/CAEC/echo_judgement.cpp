#include "echo_judgement.hpp"

#include <algorithm>
#include <cmath>

namespace caec_detail {

namespace {

/// Smoothing per block: of the moments, and of the values derived from them.
constexpr float kMemory = 0.04f;
constexpr float kSmoothing = 0.1f;
/// Blocks after the last echo during which its tail counts.
constexpr int kFading = 20;
/// Power of -70 dBFS in a band: fainter echo says nothing.
constexpr float kAudible = 480 * 1e-7f;
/// The residual counts as echo above a score of `echo`, and remains so until below `talker`. In the residual of people over
/// an answer, one in ten blocks has a likeness above 0.5 and a spread below 0.66; after a change of the path, nine in ten.
/// Echo above `loud`, in dB over the estimate, is loud; after `patience` blocks of much echo its path has changed.
struct Thresholds {
    float echo, talker, spreadWeight, loud;
    int patience;
};
constexpr Thresholds kCareful = {0.62f, 0.5f, 0.8f, -6, 20};
/// A converged canceller leaves little echo, and while a talker is heard, mistaking the talker for echo is the worse mistake.
/// The residual after a change of the path is as loud as both paths together, 3 dB over the estimate.
constexpr Thresholds kTrusting = {0.75f, 0.6f, 1.2f, 0, 30};
/// A residual this much alike is echo whatever its spectrum, and remains so until below `kHardlyAlike`: the distortion of a real
/// loudspeaker rises and falls with its echo and has another spectrum. Likeness: .72 to .88 for the distortion of recorded
/// devices, .45 to .68 for talkers over them, .01 to .22 for talkers in rooms.
constexpr float kAlike = 0.8f, kHardlyAlike = 0.7f;
/// With a greater spread, what a converged canceller leaves is never echo, however alike both rise and fall: a talker who begins
/// with a word of the box after a pause of both rises with it for half a second.
constexpr float kSpeechSpread = 0.6f;
/// Spread below which the residual has the shape of echo: at 6 of 303 moments at which a gate without this rule opened for a
/// talker over echo, and at all 8 at which it opened for the echo of a box that was moved.
constexpr float kEchoSpread = 0.55f;
/// dB below the estimate at which most of the echo is removed; blocks at that level until the canceller has converged. Single
/// blocks count, between the syllables of a talker: over a longer time, one who never stops leaves more than that.
constexpr float kTakenOff = -9;
constexpr int kSettled = 10;
/// Bands in which a voice sounds, those above this share of the loudest; a tone, with the leakage of its window, sounds in five.
constexpr int kVoiceBands = 7;
constexpr float kPresent = 0.01f;
/// dB below the estimate up to which the residual of a converged canceller belongs to the talker who is about, however alike
/// the two voices rise and fall: a changed path leaves more than that.
constexpr float kTalkers = -6;
/// dB below the estimate under which the residual is too small to indicate a changed path.
constexpr float kTooLittle = -15;
/// Share of the residual that never counts as noise. With a tenth, the echo of a first sentence passed for a talker.
constexpr float kNeverNoise = 0.3f;
/// Blocks until another change of the path may be reported.
constexpr int kAgain = 100;

} // namespace

/// The correlation coefficient of both envelopes, pooled over the bands, each about its own mean.
float EchoJudgement::correlate(const float *echo, const float *residual, int count) {
    const float a = std::max(kMemory, 1.0f / static_cast<float>(blocks_));
    float product = 0, echoes = 0, residuals = 0;
    for (int b = 0; b < count; b++) {
        auto &m = moments_[static_cast<size_t>(b)];
        const float e = echo[b] - m.echo, r = residual[b] - m.residual;
        m.echo += a * e;
        m.residual += a * r;
        m.echoSquare = (1 - a) * (m.echoSquare + a * e * e);
        m.residualSquare = (1 - a) * (m.residualSquare + a * r * r);
        m.product = (1 - a) * (m.product + a * e * r);
        product += m.product;
        echoes += m.echoSquare;
        residuals += m.residualSquare;
    }
    return product / std::sqrt(echoes * residuals + 1e-9f);
}

/// Whether the echo sounds in as many bands as a voice.
bool EchoJudgement::isVoice(const float *echo, int count) {
    const float loudest = *std::max_element(echo, echo + count);
    return std::count_if(echo, echo + count, [&](float e) { return e > kPresent * loudest; }) >= kVoiceBands;
}

void EchoJudgement::step(
    const float *residual, const float *echo, const float *noise, int count, bool isTalkerAbout, bool isAligned
) {
    changed_ = false;
    float echoes = 0, residuals = 0, noises = 0;
    float e[kMostBands], r[kMostBands];
    for (int b = 0; b < count; b++) {
        echoes += echo[b];
        residuals += residual[b];
        noises += noise[b];
        e[b] = std::log10(echo[b] + 0.3f * noise[b] + 1e-9f);
        r[b] = std::log10(residual[b] + 0.3f * noise[b] + 1e-9f);
    }
    const bool sounds = echoes > noises && echoes > kAudible * static_cast<float>(count);
    fading_ = sounds ? kFading : std::max(0, fading_ - 1);
    if (fading_ == 0) {
        isEcho_ = false;
        patience_ = std::min(patience_, 0);
        return;
    }
    blocks_ = std::min(blocks_ + 1, 1000);
    likeness_ = correlate(e, r, count);
    float mean = 0, variance = 0;
    for (int b = 0; b < count; b++) { mean += r[b] - e[b]; }
    mean /= static_cast<float>(count);
    for (int b = 0; b < count; b++) { variance += (r[b] - e[b] - mean) * (r[b] - e[b] - mean); }
    // Silence has no spectrum.
    if (residuals > kAudible * static_cast<float>(count)) {
        spread_ += kSmoothing * (std::sqrt(variance / static_cast<float>(count)) - spread_);
    }
    // Noise is not residual echo. It is not known precisely: three tenths of the residual are never subtracted.
    const float rest = std::max(residuals - noises, kNeverNoise * residuals);
    const float ratio = std::min(20.0f, std::max(-60.0f, 10 * std::log10((rest + 1e-9f) / (echoes + 1e-9f))));
    ratio_ += kSmoothing * (ratio - ratio_);
    // Without a confirmed delay the filter may fit a tone and not the room. A voice sounds in many bands together.
    const bool isTakenOff = std::min(ratio_, ratio) < kTakenOff;
    if (settled_ < kSettled && isTakenOff && (isAligned || isVoice(echo, count))) { settled_++; }
    decide(sounds, isTalkerAbout);
}

void EchoJudgement::decide(bool sounds, bool isTalkerAbout) {
    const bool isTrusting = settled_ == kSettled && isTalkerAbout;
    const Thresholds &limit = isTrusting ? kTrusting : kCareful;
    const float score = likeness_ + limit.spreadWeight * (kSpeechSpread - spread_);
    const bool isAlike = likeness_ > (isEcho_ ? kHardlyAlike : kAlike);
    const bool isLikely = score > (isEcho_ ? limit.talker : limit.echo) && !isUnlikeEcho();
    isEcho_ = (isAlike || isLikely) && !(isTrusting && ratio_ < kTalkers);
    // In a pause, the residual is the room's noise: beside an echo that fades it looks like much echo.
    if (!sounds) { return; }
    patience_ = isEcho_ && ratio_ > kTooLittle ? patience_ + 1 : std::min(patience_, 0);
    if (patience_ >= limit.patience) {
        changed_ = true;
        patience_ = kCareful.patience - kAgain;
        settled_ = 0;
    }
}

bool EchoJudgement::isUnlikeEcho() const { return fading_ > 0 && settled_ == kSettled && spread_ > kSpeechSpread; }

bool EchoJudgement::isShapedLikeEcho() const { return fading_ > 0 && spread_ < kEchoSpread; }

bool EchoJudgement::isEchoLoud() const {
    return isEcho_ && ratio_ > (settled_ == kSettled ? kTrusting : kCareful).loud;
}

} // namespace caec_detail
