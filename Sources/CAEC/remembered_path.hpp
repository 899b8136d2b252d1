#pragma once
// A remembered echo path on trial: whether it explains the microphone better than the learning filter.
//
// An unverified path proves nothing. Its prediction is correlated with the microphone over a third of a second. The position
// of the highest peak within 5 ms is the offset of the reference this time (cards start with slightly different delays); its
// height is the share of the microphone that the path explains. The path replaces the learning filter once it has left less
// than that filter for 0.14 s, and is given up after half a second of sound.
#include <vector>

#include "real_fft.hpp"

namespace caec_detail {

class RememberedPath {
public:
    static constexpr int kBlock = 480;
    static constexpr int kSize = 1024;
    static constexpr int kBins = 265;
    static constexpr int kStride = 272;
    static constexpr int kPartitions = 32;
    /// Largest offset of the reference in frames: 5 ms.
    static constexpr int kFarthest = 240;

    enum class Verdict { open, better, givenUp };

    RememberedPath();

    /// Puts a path on trial: kPartitions * kBlock samples.
    void recall(const float *path);
    /// Notes that the reference moved: earlier evidence is void, and the half second of sound starts over.
    void restart();
    void forget() { isOnTrial_ = false; }
    bool isOnTrial() const { return isOnTrial_; }

    /// Processes one block: the reference's spectra, newest first, the microphone, and the residual of the learning filter.
    Verdict step(const float *const *re, const float *const *im, const float *microphone, const float *residual);

    /// Once better: by how many frames the echo comes later than remembered, and how much louder it is.
    int shift() const { return shift_; }
    float gain() const { return gain_; }
    /// The path, kPartitions * kBlock samples.
    const float *path() const { return path_.data(); }

private:
    void predict(const float *const *re, const float *const *im);
    void correlate(const float *microphone);
    void search();

    RealFFT fft_;
    std::vector<float> path_, re_, im_;
    std::vector<float> sumRe_, sumIm_, yre_, yim_, time_;
    /// The prediction of the last three blocks; microphone and residual power of the last one.
    std::vector<float> echo_;
    std::vector<float> microphone_;
    float lastResidual_ = 0;
    float echoPower_ = 0, microphonePower_ = 0, residualPower_ = 0;
    float height_ = 0, gain_ = 1;
    int shift_ = 0;
    int heard_ = 0, better_ = 0;
    bool isOnTrial_ = false;
};

} // namespace caec_detail
