#pragma once
// Partitioned-block frequency-domain Kalman filter: the linear part of the echo.
//
// G. Enzner, P. Vary, "Frequency-domain adaptive Kalman filter for acoustic echo control in hands-free telephones", Signal
// Processing 86(6), 2006; F. Kuech, E. Mabande, G. Enzner, "State-space architecture of the partitioned-block-based acoustic
// echo controller", ICASSP 2014. The echo path is a Markov process with a state variance per partition and bin. Its Kalman
// gain is the step size, so double talk, noise and convergence need no separate control.
// The square and the cube of the reference drive short filters in parallel (S. Malik, G. Enzner, "State-space
// frequency-domain adaptive filtering for nonlinear acoustic echo cancellation", IEEE TASLP 20(7), 2012): a small loudspeaker
// distorts, which otherwise limits the cancellation.
#include <cstddef>
#include <vector>

#include "real_fft.hpp"
#include "remembered_path.hpp"

namespace caec_detail {

class LinearCanceller {
public:
    /// Frames of one block (10 ms at 48 kHz), which is also the length of a partition.
    static constexpr int kBlock = 480;
    static constexpr int kSize = 1024;
    /// Bins adapted, up to 12.4 kHz; nothing above that reaches a wire at 24 kHz.
    static constexpr int kBins = 265;
    static constexpr int kStride = 272;
    /// Samples of an echo path.
    static constexpr int kPathFrames = RememberedPath::kPartitions * kBlock;

    LinearCanceller();

    /// Processes one block. `echo` receives the estimate, `residual` the microphone without it. Keeps no references to the
    /// inputs, which must be finite.
    void process(const float *reference, const float *microphone, float *echo, float *residual);

    /// Forgets the echo path.
    void reset();

    /// Notes that the reference leads its echo by `frames` more than before (less if negative), and shifts the echo path.
    void shift(int frames);

    /// Notes that the lead of the reference changed by an unknown amount.
    void misplace();

    /// Speeds up adaptation without forgetting, as the echo path may have changed by an unknown amount. Without effect just
    /// after a recalled path was adopted, to which earlier evidence does not apply.
    void loosen();

    /// Writes the present linear echo path, kPathFrames samples (takes about 40 us).
    void copyPath(float *path);

    /// Puts an earlier echo path on trial, kPathFrames samples: it is adopted once it proves better than what is learned
    /// meanwhile; otherwise it costs nothing but time.
    void recall(const float *path) { remembered_.recall(path); }
    /// Whether a recalled path is in use, without evidence since then that the echo path has changed.
    bool hasRecalled() const { return recalled_ > 0; }

    /// Whether subtraction would have made the last block louder, so that the residual is the microphone.
    bool isWrong() const { return isWrong_; }

    /// Whether the reference of the last block is inaudible.
    bool isQuiet() const { return quietBlocks_ > 0; }

    /// Expected power of the residual echo in the last block, per bin, as |FFT|^2 of `kBlock` frames.
    const float *uncertainty() const { return expected_.data(); }

private:
    /// One input of the filter and its past, newest first from `newest`.
    struct Channel {
        Channel(int first, int partitions)
            : first(first), partitions(partitions), depth(first + partitions), time(kSize),
              re(static_cast<std::size_t>(depth * kStride)), im(re.size()) {}

        int first;      ///< Lag in blocks of the first partition.
        int partitions;
        int depth;      ///< Blocks of past kept.
        int newest = 0;
        std::vector<float> time, re, im;
    };

    void clear();
    void open(float share);
    float partitionPower(int partition) const;
    void push(Channel &channel, const float *block);
    void predict(float *echo);
    void adapt(const float *residual);
    void constrain(int partition);
    void constrainSome();
    void bend(const float *reference);
    void gather();
    void silence();
    void guard(const float *microphone, float *echo, float *residual);
    void tryRemembered(const float *microphone, const float *residual);
    void setPath(int shift, float gain, const float *path);

    RealFFT fft_;
    RememberedPath remembered_;
    /// Blocks since a recalled path was adopted, until they no longer matter; 0 for none.
    int recalled_ = 0;
    std::vector<Channel> channels_;
    int partitions_ = 0;
    /// Filter, state variance and initial variance: partition after partition.
    std::vector<float> re_, im_, variance_, initial_;
    std::vector<const float *> xre_, xim_;
    std::vector<float> noise_, expected_, gain_, ere_, eim_;
    std::vector<float> time_, path_;
    int constrained_ = 0;
    int badBlocks_ = 0;
    bool isWrong_ = false;
    float loudest_ = 0;
    int quietBlocks_ = 1000;
    float low_ = 0;
};

} // namespace caec_detail
