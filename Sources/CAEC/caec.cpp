#include "caec.h"

#include "energy.hpp"
#include "linear_canceller.hpp"
#include "plain_path.hpp"
#include "residual_suppressor.hpp"
#include "webrtc_library.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <memory>
#include <new>

namespace {

using namespace caec_detail;

static_assert(LinearCanceller::kPathFrames == CAEC_PATH_FRAMES, "the path's length is part of the interface");

void report(char *error, size_t size, const char *text, int status) {
    if (error && size > 0) {
        std::snprintf(error, size, "%s: %s (error %d)", caec_library_version(), text, status);
    }
}

/// Delay of the library in frames at 48 kHz, with its noise suppressor, which only benchmarks use, or held back.
constexpr int kLibraryDelay = CAEC_VERSION_0_3 ? 646 : 694;
static_assert(PlainPath::isPossible(646) && PlainPath::isPossible(694));
/// Delay added to the output of the library without its noise suppressor, in samples at 32 kHz: as much as that adds, 288 frames
/// at 48 kHz. Talkers were measured with this time between their detection and the output.
constexpr int kHeldBack = 288 * 2 / 3;
/// Delay of the suppressor itself, without its configured extra delay.
constexpr int kSuppressorDelay = ResidualSuppressor::kBlock;
/// In the middle of a partition of the linear stage. At the edge of a partition, as with 40 ms, most of a dry echo falls
/// between two partitions, each cut off sharply. The stage's limited bandwidth cannot follow that: 15 dB instead of 31.
constexpr int kLead = 35;
/// Version 1.3 starts from an assumed lead of its own, which 8 ms match.
constexpr int kLibraryLead = CAEC_VERSION_0_3 ? kLead : 8;
/// Takes another 12 dB off pure echo.
constexpr float kEchoOnlyGain = 0.25f;
constexpr float kClipped = 0.985f;
/// Blocks without a reference until the canceller rests, and until the plain path begins to run beside it: its voice detector
/// needs some seconds to know the noise.
constexpr int kRestAfter = 1500, kWarmAfter = 1000;
/// Blocks in which the library runs again until it is heard, which is in the last of them: by then no sound from before the rest
/// is left in it, and none of the reference is at the microphone.
constexpr int kWaking = 3;

float decibels(const float *samples, int count) {
    return std::max(-120.0f, 10 * std::log10(energy(samples, count) / static_cast<float>(count) + 1e-12f));
}

/// Three samples at full scale are no coincidence.
bool isClipped(const float *samples) {
    int clipped = 0;
    for (int n = 0; n < CAEC_INPUT_FRAMES; n++) { clipped += std::fabs(samples[n]) >= kClipped; }
    return clipped >= 3;
}

/// Copies the samples: clamps them to -2 ... 2 and replaces NaN by 0.
void sanitise(const float *from, float *to) {
    for (int n = 0; n < CAEC_INPUT_FRAMES; n++) {
        const float x = from[n];
        to[n] = x >= -2 && x <= 2 ? x : (x > 2 ? 2.0f : (x < -2 ? -2.0f : 0.0f));
    }
}

/// A delay of up to 30 ms for the library's reference.
class ReferenceDelay {
public:
    void push(const float *block) {
        std::copy(past_ + CAEC_INPUT_FRAMES, past_ + kSize, past_);
        std::copy(block, block + CAEC_INPUT_FRAMES, past_ + kSize - CAEC_INPUT_FRAMES);
    }
    /// Returns the newest period as of `frames` ago, at most 30 ms.
    const float *at(int frames) const { return past_ + kSize - CAEC_INPUT_FRAMES - frames; }

private:
    static constexpr int kSize = CAEC_INPUT_FRAMES * (kLead / 10 + 1);
    float past_[kSize] = {};
};

} // namespace

struct caec {
    Processing processing;
    webrtc::StreamConfig input{kInputRate, 1};
    webrtc::StreamConfig output{kOutputRate, 1};
    webrtc::StreamConfig voice{PlainPath::kVoiceFrames * 100, 1};
    caec_options options{};
    caec_suppression level = CAEC_SUPPRESSION_HIGH;
    std::unique_ptr<LinearCanceller> linear;
    std::unique_ptr<ResidualSuppressor> suppressor;
    ReferenceDelay delay;
    /// Share of the suppressor's path in the last output, and gain of the library's.
    float share = 0;
    float gain = 1;
    float reference[CAEC_INPUT_FRAMES] = {};
    float microphone[CAEC_INPUT_FRAMES] = {};
    float echo[CAEC_INPUT_FRAMES] = {};
    float residual[CAEC_INPUT_FRAMES] = {};
    float direct[CAEC_OUTPUT_FRAMES] = {};
    bool holds_back = false;
    float held[kHeldBack] = {};
    /// Replaces the library while the canceller rests; null if it never does.
    std::unique_ptr<PlainPath> plain;
    Processing detector;
    /// Blocks since the reference sounded, at most `kRestAfter`, and blocks since the library runs again, at most `kWaking`.
    int quiet = 0, awake = kWaking;
    /// Share of the plain path in the last output.
    float plainShare = 0;
    bool plainHasVoice = false;
    /// The library insists on writing a processed reference somewhere.
    float unused[CAEC_INPUT_FRAMES] = {};
};

namespace {

int setLevel(caec &handle, caec_suppression wanted) {
    if (handle.level == wanted) { return 0; }
    handle.level = wanted;
    const InLibrary inLibrary;
#if CAEC_VERSION_0_3
    return handle.processing->echo_cancellation()->set_suppression_level(level(wanted));
#else
    return 0;
#endif
}

bool hasVoice(webrtc::AudioProcessing &processing) {
    const InLibrary inLibrary;
#if CAEC_VERSION_0_3
    return processing.voice_detection()->stream_has_voice();
#else
    return processing.GetStatistics().voice_detected.value_or(false);
#endif
}

/// Runs the library on the residual of the linear stage.
int runLibrary(caec &handle, int lead, float *output) {
    auto &processing = *handle.processing;
    const int held = std::max(0, std::min(lead, kLead) - kLibraryLead);
    const float *reference = handle.delay.at(held * (CAEC_INPUT_FRAMES / 10));
    float *unused = handle.unused;
    const InLibrary inLibrary;
    int status = processing.ProcessReverseStream(&reference, handle.input, handle.input, &unused);
    if (status != 0) { return status; }
    // The library clamps an out-of-range delay and returns a warning.
    (void)processing.set_stream_delay_ms(std::max(0, lead - held));
    const float *residual = handle.residual;
    return processing.ProcessStream(&residual, handle.input, handle.output, &output);
}

void holdBack(caec &handle, float *output) {
    float newest[kHeldBack];
    std::copy(output + CAEC_OUTPUT_FRAMES - kHeldBack, output + CAEC_OUTPUT_FRAMES, newest);
    std::copy_backward(output, output + CAEC_OUTPUT_FRAMES - kHeldBack, output + CAEC_OUTPUT_FRAMES);
    std::copy(handle.held, handle.held + kHeldBack, output);
    std::copy(newest, newest + kHeldBack, handle.held);
}

/// Fades from the library's output to the suppressor's while a talker is present, and back: the library removes more, and
/// would remove the talker's next word too. Pure echo from the library is attenuated further.
void mix(caec &handle, float *output) {
    const bool echo = handle.suppressor->hasEcho();
    const bool talker = handle.suppressor->isTalkerAbout();
    const float share = echo && talker && handle.options.double_talk_path ? 1.0f : 0.0f;
    const float gain = echo && !talker ? kEchoOnlyGain : 1.0f;
    const float shareStep = (share - handle.share) / CAEC_OUTPUT_FRAMES;
    const float gainStep = (gain - handle.gain) / CAEC_OUTPUT_FRAMES;
    for (int n = 0; n < CAEC_OUTPUT_FRAMES; n++) {
        const float done = static_cast<float>(n + 1);
        const float library = output[n] * (handle.gain + gainStep * done);
        output[n] = library + (handle.share + shareStep * done) * (handle.direct[n] - library);
    }
    handle.share = share;
    handle.gain = gain;
}

int initialise(webrtc::AudioProcessing &processing, const webrtc::StreamConfig &input, const webrtc::StreamConfig &output) {
    webrtc::ProcessingConfig formats;
    formats.input_stream() = input;
    formats.output_stream() = output;
    formats.reverse_input_stream() = input;
    formats.reverse_output_stream() = input;
    return processing.Initialize(formats);
}

/// Creates what replaces the library at rest. Returns the library's error number.
int prepareRest(caec &handle) {
    handle.plain = std::make_unique<PlainPath>(kLibraryDelay, handle.options.high_pass);
    if (!handle.options.voice_detection) { return 0; }
    handle.detector = make();
    if (!handle.detector) { return -1; }
    caec_options voiceAlone{};
    voiceAlone.voice_detection = true;
    const int status = configure(*handle.detector, voiceAlone);
    return status == 0 ? initialise(*handle.detector, handle.voice, handle.voice) : status;
}

/// Runs the plain path; returns the library's error number.
int runPlain(caec &handle, float *output) {
    float voice[PlainPath::kVoiceFrames];
    handle.plain->process(handle.microphone, output, voice);
    if (!handle.detector) { return 0; }
    const float *in = voice;
    float *out = voice;
    const InLibrary inLibrary;
    const int status = handle.detector->ProcessStream(&in, handle.voice, handle.voice, &out);
    handle.plainHasVoice = status == 0 && hasVoice(*handle.detector);
    return status;
}

/// Cancels the echo of one period.
int cancel(caec &handle, int lead, float *output) {
    int status = runLibrary(handle, lead, output);
    if (status == 0 && handle.holds_back) { holdBack(handle, output); }
    if (status == 0 && handle.linear) { mix(handle, output); }
    return status;
}

/// Notes whether the reference sounds in this period; returns whether the canceller rests.
bool rests(caec &handle) {
    if (!handle.plain) { return false; }
    handle.quiet = handle.linear->isQuiet() ? std::min(handle.quiet + 1, kRestAfter) : 0;
    return handle.quiet == kRestAfter;
}

/// Processes one period after the linear stage: by the library, by the plain path, or by both while one follows the other.
int finish(caec &handle, bool isAtRest, int lead, float *output) {
    const bool fades = handle.awake < kWaking;
    handle.awake = isAtRest ? 0 : std::min(handle.awake + 1, kWaking);
    const float share = handle.awake < kWaking ? 1.0f : 0.0f;
    float plain[CAEC_OUTPUT_FRAMES];
    int status = 0;
    if (handle.plain && (handle.quiet >= kWarmAfter || fades)) { status = runPlain(handle, plain); }
    if (status == 0 && !(isAtRest && handle.plainShare == 1)) { status = cancel(handle, lead, output); }
    if (status != 0 || (share == 0 && handle.plainShare == 0)) { return status; }
    const float from = handle.plainShare, step = (share - from) / CAEC_OUTPUT_FRAMES;
    handle.plainShare = share;
    if (from == 1 && share == 1) {
        std::copy(plain, plain + CAEC_OUTPUT_FRAMES, output);
        return 0;
    }
    for (int n = 0; n < CAEC_OUTPUT_FRAMES; n++) {
        output[n] += (from + step * static_cast<float>(n + 1)) * (plain[n] - output[n]);
    }
    return 0;
}

} // namespace

caec *caec_create(const caec_options *options, char *error, size_t error_size) {
    try {
        auto handle = std::make_unique<caec>();
        handle->processing = make();
        if (!handle->processing) {
            report(error, error_size, "cannot be created", -1);
            return nullptr;
        }
        int status = configure(*handle->processing, *options);
        if (status == 0) {
            status = initialise(*handle->processing, handle->input, handle->output);
        }
        handle->options = *options;
        handle->level = options->suppression;
        if (options->linear_stage && options->echo_cancellation) {
            handle->linear = std::make_unique<LinearCanceller>();
            handle->holds_back = options->noise_suppression == CAEC_NOISE_OFF;
            handle->suppressor = std::make_unique<ResidualSuppressor>(kLibraryDelay - kSuppressorDelay);
            const bool mayRest = options->rests && handle->holds_back && !options->gain_control;
            if (status == 0 && mayRest) { status = prepareRest(*handle); }
        }
        if (status != 0) {
            report(error, error_size, "refuses its configuration", status);
            return nullptr;
        }
        return handle.release();
    } catch (const std::exception &exception) {
        report(error, error_size, exception.what(), -1);
        return nullptr;
    }
}

void caec_destroy(caec *handle) { delete handle; }

int caec_process(caec *handle, const float *reference, const float *microphone, int stream_delay_ms, float *output,
                 caec_reading *reading) {
    int status = -1;
    auto &self = *handle;
    sanitise(reference, self.reference);
    sanitise(microphone, self.microphone);
    self.delay.push(self.reference);
    const bool clipped = isClipped(self.microphone);
    bool isAtRest = false;
    try {
        if (self.linear) {
            self.linear->process(self.reference, self.microphone, self.echo, self.residual);
            isAtRest = rests(self);
            self.suppressor->process(self.residual, self.echo, self.linear->uncertainty(), LinearCanceller::kBins,
                                     clipped || self.linear->isWrong(), isAtRest ? nullptr : self.direct);
            if (self.suppressor->hasPathChanged()) { self.linear->loosen(); }
            const bool talks = self.suppressor->hasTalker();
            (void)setLevel(self, talks ? self.options.suppression : CAEC_SUPPRESSION_HIGH);
        } else {
            std::copy(self.microphone, self.microphone + CAEC_INPUT_FRAMES, self.residual);
        }
        status = finish(self, isAtRest, std::max(0, stream_delay_ms), output);
    } catch (...) {
        status = -1;
    }
    if (status != 0) { std::fill(output, output + CAEC_OUTPUT_FRAMES, 0.0f); }
    if (reading) {
        reading->microphone = decibels(self.microphone, CAEC_INPUT_FRAMES);
        reading->reference = decibels(self.reference, CAEC_INPUT_FRAMES);
        reading->echo = decibels(self.echo, CAEC_INPUT_FRAMES);
        reading->residual = decibels(self.residual, CAEC_INPUT_FRAMES);
        reading->output = decibels(output, CAEC_OUTPUT_FRAMES);
        const bool isPlain = self.plainShare > 0;
        reading->has_voice = status == 0 && self.options.voice_detection
            && (isPlain ? self.plainHasVoice : hasVoice(*self.processing));
        reading->has_talker = self.suppressor && self.suppressor->hasTalker();
        reading->is_shaped_like_echo = self.suppressor && self.suppressor->isShapedLikeEcho();
        reading->is_clipped = clipped;
        reading->has_recalled = self.linear && self.linear->hasRecalled();
        reading->has_path_changed = self.suppressor && self.suppressor->hasPathChanged();
    }
    return status;
}

void caec_realign(caec *handle, int shift_frames) {
    if (!handle->linear) { return; }
    if (shift_frames == 0) {
        handle->linear->misplace();
    } else {
        handle->linear->shift(shift_frames);
    }
}

void caec_set_confirmed(caec *handle, bool is_confirmed) {
    if (handle->suppressor) { handle->suppressor->setConfirmed(is_confirmed); }
}

void caec_reset(caec *handle) {
    if (handle->linear) { handle->linear->reset(); }
}

void caec_copy_path(caec *handle, float *path) {
    if (handle->linear) {
        handle->linear->copyPath(path);
    } else {
        std::fill_n(path, CAEC_PATH_FRAMES, 0.0f);
    }
}

void caec_recall(caec *handle, const float *path) {
    if (handle->linear) { handle->linear->recall(path); }
}

void caec_pretend_age(caec *handle, int frames) {
    if (handle->suppressor) { handle->suppressor->pretendAge(frames); }
}

int caec_reference_lead_ms(void) { return kLead; }

const char *caec_library_version(void) {
    return CAEC_VERSION_0_3 ? "webrtc-audio-processing 0.3" : "webrtc-audio-processing 1.3";
}
