#include "linear_canceller.hpp"
#include "energy.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace caec_detail {

namespace {

/// State transition factor of the Markov process, per block.
constexpr float kTransition = 0.9998f;
/// Smoothing of the microphone's signal without the echo. Faster smoothing finds talkers sooner, but mistakes the beats of
/// music for talkers.
constexpr float kNoiseSmoothing = 0.9f;
/// Minimum noise share of the error signal.
constexpr float kLeastNoise = 0.3f;
/// Share of a transform filled by its samples: R / M in the papers.
constexpr float kWindow = static_cast<float>(LinearCanceller::kBlock) / LinearCanceller::kSize;
/// -90 dBFS in each bin.
constexpr float kNoiseFloor = LinearCanceller::kBlock * 1e-9f;
/// Lag of the first partition in blocks. The reference leads by 35 ms, or by the whole delay if shorter, but never by less
/// than 10 ms.
constexpr int kFirst = 1;
constexpr int kPartitions = RememberedPath::kPartitions;
/// Partitions for the square and the cube, starting 10 ms before the expected echo.
constexpr int kBentPartitions = 4;
constexpr int kExpectedLag = 3;
/// Initial variance of the first partition's bins.
constexpr float kVariance = 0.3f;
constexpr float kBentVariance = 0.03f;
/// Share of the lowest frequencies that is kept from one sample to the next.
constexpr float kStays = 0.978f;
/// Uncertainty of a recalled path, as a share of its power in the partition and of the power expected of a room.
constexpr float kRecalledDoubt = 0.03f, kRecalledLeast = 1e-3f;
/// Blocks after a recall until the envelopes apply to the new path and no longer to the old one.
constexpr int kRecalledAnew = 40;
/// Uncertainty of a path that has changed, as a share of the initial one, and its upper limit as a multiple of the power of
/// the present path: a new path is about as strong as the old one. If much stronger ones are admitted where the echo is
/// faint, the filter takes the next talker for echo.
constexpr float kChanged = 0.1f, kMostChanged = 1.0f;
/// Partitions constrained to causal length per block.
constexpr int kConstrained = 4;
/// A reference below -75 dBFS teaches nothing.
constexpr float kQuiet = LinearCanceller::kBlock * 3e-8f;
/// Excess of the residual over the microphone, 1 dB, that shows a wrong filter if it lasts for `kPatience` blocks.
constexpr float kExcess = 1.26f;
constexpr int kPatience = 8;
/// Counts only blocks within 13 dB of the loudest recent microphone, which decays by 1 dB in 40 ms: in a pause, the small
/// error of a good filter is louder than a quiet room.
constexpr float kLoud = 0.05f;
constexpr float kLoudDecay = 0.944f;

} // namespace

LinearCanceller::LinearCanceller() : fft_(kSize) {
    channels_.emplace_back(kFirst, kPartitions);
    channels_.emplace_back(kExpectedLag - 1, kBentPartitions);
    channels_.emplace_back(kExpectedLag - 1, kBentPartitions);
    for (auto &channel : channels_) { partitions_ += channel.partitions; }
    const size_t all = static_cast<size_t>(partitions_ * kStride);
    re_.assign(all, 0);
    im_.assign(all, 0);
    variance_.assign(all, 0);
    initial_.assign(static_cast<size_t>(partitions_), 0);
    xre_.assign(static_cast<size_t>(partitions_), nullptr);
    xim_ = xre_;
    noise_.assign(kStride, 0);
    expected_ = gain_ = ere_ = eim_ = noise_;
    time_.assign(kSize, 0);
    path_.assign(static_cast<size_t>(kPartitions * kBlock), 0);
    // A room that decays by 60 dB in 0.6 s, from the expected lag on; an earlier echo is unlikely.
    int p = 0;
    for (size_t c = 0; c < channels_.size(); c++) {
        for (int i = 0; i < channels_[c].partitions; i++, p++) {
            const int lag = channels_[c].first + i - kExpectedLag;
            const float decay = lag < 0 ? std::pow(10.0f, 0.5f * static_cast<float>(lag))
                                         : std::pow(10.0f, -0.1f * static_cast<float>(lag));
            initial_[static_cast<size_t>(p)] = decay * (c == 0 ? kVariance : kBentVariance);
        }
    }
    reset();
}

void LinearCanceller::reset() {
    clear();
    remembered_.forget();
}

void LinearCanceller::clear() {
    std::fill(re_.begin(), re_.end(), 0);
    std::fill(im_.begin(), im_.end(), 0);
    for (int p = 0; p < partitions_; p++) {
        std::fill_n(variance_.begin() + p * kStride, kBins, initial_[static_cast<size_t>(p)]);
    }
    std::fill(noise_.begin(), noise_.end(), kNoiseFloor);
    badBlocks_ = 0;
    recalled_ = 0;
}

void LinearCanceller::push(Channel &channel, const float *block) {
    std::memmove(channel.time.data(), channel.time.data() + kBlock, sizeof(float) * (kSize - kBlock));
    std::memcpy(channel.time.data() + kSize - kBlock, block, sizeof(float) * kBlock);
    channel.newest = (channel.newest + channel.depth - 1) % channel.depth;
    fft_.forward(channel.time.data(), channel.re.data() + channel.newest * kStride,
                 channel.im.data() + channel.newest * kStride, kBins);
}

void LinearCanceller::gather() {
    size_t p = 0;
    for (auto &channel : channels_) {
        for (int i = 0; i < channel.partitions; i++, p++) {
            const int at = (channel.newest + channel.first + i) % channel.depth * kStride;
            xre_[p] = channel.re.data() + at;
            xim_[p] = channel.im.data() + at;
        }
    }
}

WIDER void LinearCanceller::predict(float *echo) {
    REORDERED
    float *__restrict yre = ere_.data();
    float *__restrict yim = eim_.data();
    float *__restrict expected = expected_.data();
    // A few bins of all partitions at a time, so that their sums stay in registers.
    constexpr int width = 16;
    static_assert(kStride % width == 0);
    for (int from = 0; from < kStride; from += width) {
        float yr[width] = {}, yi[width] = {}, sum[width] = {};
        for (int p = 0; p < partitions_; p++) {
            const float *__restrict xr = xre_[static_cast<size_t>(p)] + from;
            const float *__restrict xi = xim_[static_cast<size_t>(p)] + from;
            const float *__restrict hr = re_.data() + p * kStride + from;
            const float *__restrict hi = im_.data() + p * kStride + from;
            const float *__restrict v = variance_.data() + p * kStride + from;
            for (int k = 0; k < width; k++) {
                yr[k] += xr[k] * hr[k] - xi[k] * hi[k];
                yi[k] += xr[k] * hi[k] + xi[k] * hr[k];
                sum[k] += (xr[k] * xr[k] + xi[k] * xi[k]) * v[k];
            }
        }
        std::memcpy(yre + from, yr, sizeof(yr));
        std::memcpy(yim + from, yi, sizeof(yi));
        std::memcpy(expected + from, sum, sizeof(sum));
    }
    fft_.inverse(yre, yim, kBins, time_.data());
    std::memcpy(echo, time_.data() + kSize - kBlock, sizeof(float) * kBlock);
}

/// Adapts a partition. The compiler believes `__restrict` of parameters only. Beyond the last bin everything is 0, so that whole
/// vectors fit; two of them at a time, as a processor that computes in order (Cortex-A53) would wait for each.
static inline __attribute__((always_inline)) void adaptPartition(
    const float *__restrict xr, const float *__restrict xi, const float *__restrict er, const float *__restrict ei,
    const float *__restrict gain, float *__restrict hr, float *__restrict hi, float *__restrict v
) {
    REORDERED
    const float a = kTransition;
#if defined(__clang__)
#pragma clang loop interleave_count(2)
#endif
    for (int k = 0; k < LinearCanceller::kStride; k++) {
        const float r = a * hr[k] + v[k] * (xr[k] * er[k] + xi[k] * ei[k]);
        const float i = a * hi[k] + v[k] * (xr[k] * ei[k] - xi[k] * er[k]);
        hr[k] = r;
        hi[k] = i;
        v[k] = v[k] * (a * a - v[k] * gain[k] * (xr[k] * xr[k] + xi[k] * xi[k])) + (1 - a * a) * (r * r + i * i);
    }
}

WIDER void LinearCanceller::adapt(const float *residual) {
    REORDERED
    std::fill_n(time_.data(), kSize - kBlock, 0.0f);
    std::memcpy(time_.data() + kSize - kBlock, residual, sizeof(float) * kBlock);
    float *__restrict er = ere_.data();
    float *__restrict ei = eim_.data();
    fft_.forward(time_.data(), er, ei, kBins);
    float *__restrict noise = noise_.data();
    float *__restrict expected = expected_.data();
    float *__restrict gain = gain_.data();
    const float a = kTransition;
    for (int k = 0; k < kBins; k++) {
        const float power = er[k] * er[k] + ei[k] * ei[k];
        const float heard = std::max(kLeastNoise * power, power - kWindow * expected[k]);
        noise[k] = std::max(kNoiseFloor, kNoiseSmoothing * noise[k] + (1 - kNoiseSmoothing) * heard);
        // The factors of a bin are multiplied here, once for all partitions.
        const float common = a / (expected[k] + noise[k] / kWindow);
        er[k] *= common;
        ei[k] *= common;
        gain[k] = a * kWindow * common;
        expected[k] *= kWindow;
    }
    for (int p = 0; p < partitions_; p++) {
        adaptPartition(xre_[static_cast<size_t>(p)], xim_[static_cast<size_t>(p)], er, ei, gain, re_.data() + p * kStride,
                       im_.data() + p * kStride, variance_.data() + p * kStride);
    }
}

void LinearCanceller::constrain(int partition) {
    float *hr = re_.data() + partition * kStride;
    float *hi = im_.data() + partition * kStride;
    fft_.inverse(hr, hi, kBins, time_.data());
    std::fill_n(time_.data() + kBlock, kSize - kBlock, 0.0f);
    fft_.forward(time_.data(), hr, hi, kBins);
}

void LinearCanceller::constrainSome() {
    for (int i = 0; i < kConstrained; i++) {
        constrain(constrained_);
        constrained_ = (constrained_ + 1) % partitions_;
    }
}

void LinearCanceller::bend(const float *reference) {
    float square[kBlock], cube[kBlock];
    // A small loudspeaker plays little below 170 Hz, and does not distort what it does not play. Four samples at a time: one
    // after the other, each would wait for the last.
    constexpr int width = 4;
    float low[width];
    for (int n = 0; n < kBlock; n += width) {
        float sum = 0, share = 1;
        for (int k = 0; k < width; k++) {
            sum = kStays * sum + (1 - kStays) * reference[n + k];
            share *= kStays;
            low[k] = share * low_ + sum;
        }
        low_ = low[width - 1];
        for (int k = 0; k < width; k++) {
            const float x = reference[n + k] - low[k];
            square[n + k] = x * x * 4;
            cube[n + k] = x * x * x * 16;
        }
    }
    push(channels_[1], square);
    push(channels_[2], cube);
}

/// Forgets the reference.
void LinearCanceller::silence() {
    std::fill(expected_.begin(), expected_.end(), 0.0f);
    for (auto &channel : channels_) {
        std::fill(channel.re.begin(), channel.re.end(), 0.0f);
        std::fill(channel.im.begin(), channel.im.end(), 0.0f);
        std::fill(channel.time.begin(), channel.time.end(), 0.0f);
    }
}

void LinearCanceller::process(const float *reference, const float *microphone, float *echo, float *residual) {
    quietBlocks_ = energy(reference, kBlock) > kQuiet ? 0 : std::min(quietBlocks_ + 1, 1000);
    isWrong_ = false;
    // Without a reference in the filter's memory there is no echo, and forgetting in silence would unlearn the path.
    const int most = channels_[0].depth + 1;
    if (quietBlocks_ == most + 1) { silence(); }
    if (quietBlocks_ > most) {
        std::fill_n(echo, kBlock, 0.0f);
        std::memcpy(residual, microphone, sizeof(float) * kBlock);
        return;
    }
    push(channels_[0], reference);
    bend(reference);
    gather();
    predict(echo);
    for (int n = 0; n < kBlock; n++) { residual[n] = microphone[n] - echo[n]; }
    adapt(residual);
    constrainSome();
    if (recalled_ > 0) { recalled_ = std::min(recalled_ + 1, kRecalledAnew); }
    if (remembered_.isOnTrial()) { tryRemembered(microphone, residual); }
    guard(microphone, echo, residual);
}

/// Passes the microphone on if subtraction makes it louder, and starts over if that lasts.
void LinearCanceller::guard(const float *microphone, float *echo, float *residual) {
    const float mic = energy(microphone, kBlock), rest = energy(residual, kBlock);
    const bool bad = !(rest <= kExcess * mic + kQuiet);
    loudest_ = std::max(mic, kLoudDecay * loudest_);
    const bool wrong = bad && !(rest <= kLoud * loudest_);
    badBlocks_ = wrong ? badBlocks_ + 1 : std::max(0, badBlocks_ - 1);
    isWrong_ = bad;
    if (bad) {
        std::memcpy(residual, microphone, sizeof(float) * kBlock);
        std::fill_n(echo, kBlock, 0.0f);
    }
    if (badBlocks_ >= kPatience || !std::isfinite(rest)) { clear(); }
}

void LinearCanceller::misplace() {
    remembered_.restart();
    open(kChanged);
}

void LinearCanceller::loosen() {
    if (recalled_ != 0 && recalled_ != kRecalledAnew) { return; }
    float power = 0;
    for (int p = 0; p < kPartitions; p++) { power += partitionPower(p); }
    open(std::min(kChanged, kMostChanged * power / kVariance));
}

/// Mean power of the path's bins in a partition.
float LinearCanceller::partitionPower(int partition) const {
    REORDERED
    const float *re = re_.data() + partition * kStride;
    const float *im = im_.data() + partition * kStride;
    float power = 0;
    for (int k = 0; k < kBins; k++) { power += re[k] * re[k] + im[k] * im[k]; }
    return power / kBins;
}

/// Raises every uncertainty to at least this share of the initial one.
void LinearCanceller::open(float share) {
    recalled_ = 0;
    for (int p = 0; p < partitions_; p++) {
        float *v = variance_.data() + p * kStride;
        const float least = share * initial_[static_cast<size_t>(p)];
        for (int k = 0; k < kBins; k++) { v[k] = std::max(v[k], least); }
    }
}

void LinearCanceller::copyPath(float *path) {
    for (int p = 0; p < kPartitions; p++) {
        fft_.inverse(re_.data() + p * kStride, im_.data() + p * kStride, kBins, time_.data());
        std::memcpy(path + p * kBlock, time_.data(), sizeof(float) * kBlock);
    }
}

/// Adopts a path, shifted by `shift` frames.
void LinearCanceller::setPath(int shift, float gain, const float *path) {
    for (int p = 0; p < kPartitions; p++) {
        std::fill(time_.begin(), time_.end(), 0.0f);
        for (int n = 0; n < kBlock; n++) {
            const int from = p * kBlock + n - shift;
            if (from >= 0 && from < kPathFrames) { time_[static_cast<size_t>(n)] = gain * path[from]; }
        }
        fft_.forward(time_.data(), re_.data() + p * kStride, im_.data() + p * kStride, kBins);
    }
    // The nonlinear filters are short and small, so they are quickly relearned.
    std::fill(re_.begin() + kPartitions * kStride, re_.end(), 0.0f);
    std::fill(im_.begin() + kPartitions * kStride, im_.end(), 0.0f);
}

void LinearCanceller::tryRemembered(const float *microphone, const float *residual) {
    if (remembered_.step(xre_.data(), xim_.data(), microphone, residual) != RememberedPath::Verdict::better) { return; }
    setPath(remembered_.shift(), remembered_.gain(), remembered_.path());
    for (int p = 0; p < kPartitions; p++) {
        const float doubt = kRecalledDoubt * partitionPower(p) + kRecalledLeast * initial_[static_cast<size_t>(p)];
        std::fill_n(variance_.begin() + p * kStride, kBins, doubt);
    }
    recalled_ = 1;
}

void LinearCanceller::shift(int frames) {
    if (frames == 0) { return; }
    // The distance from the reference to its echo has changed since the trial began.
    remembered_.restart();
    if (std::abs(frames) >= kPathFrames) { return reset(); }
    copyPath(path_.data());
    setPath(frames, 1, path_.data());
    open(kChanged);
}

} // namespace caec_detail
