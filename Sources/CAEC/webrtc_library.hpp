#pragma once
// Either version of the WebRTC audio processing library, created and configured from `caec_options`.
#include "caec.h"

#include <memory>

// The two versions differ in the path of their header and in nearly all of the configuration, but share the calls of the
// audio cycle. Their headers leave some parameters unused.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#if __has_include("webrtc/modules/audio_processing/include/audio_processing.h")
#define CAEC_VERSION_0_3 1
#include "webrtc/modules/audio_processing/include/audio_processing.h"
#elif __has_include("modules/audio_processing/include/audio_processing.h")
#define CAEC_VERSION_0_3 0
#include "modules/audio_processing/include/audio_processing.h"
#else
#error "webrtc-audio-processing not found: install libwebrtc-audio-processing-dev"
#endif
#pragma GCC diagnostic pop

// RealtimeSanitizer hooks, if it is linked in (scripts/realtime-check).
extern "C" __attribute__((weak)) void __rtsan_disable(void);
extern "C" __attribute__((weak)) void __rtsan_enable(void);

namespace caec_detail {

// Output at 32 kHz, not 48: at 48 kHz version 0.3 works in three bands whose filter bank does not reconstruct (-9.5 dB at 7.5
// kHz, aliases around 8 kHz). At 32 kHz it works in two bands, flat to 10.8 kHz. That saves work in version 1.3 too.
constexpr int kInputRate = CAEC_INPUT_FRAMES * 100;
constexpr int kOutputRate = CAEC_OUTPUT_FRAMES * 100;

struct Release {
#if CAEC_VERSION_0_3
    void operator()(webrtc::AudioProcessing *processing) const { delete processing; }
#else
    void operator()(webrtc::AudioProcessing *processing) const { processing->Release(); }
#endif
};

using Processing = std::unique_ptr<webrtc::AudioProcessing, Release>;

/// The library takes a lock in every call. No other thread ever holds it, so the sanitizer is disabled inside the library, but
/// not for our own code.
struct InLibrary {
    InLibrary() { if (__rtsan_disable) { __rtsan_disable(); } }
    ~InLibrary() { if (__rtsan_enable) { __rtsan_enable(); } }
    InLibrary(const InLibrary &) = delete;
    InLibrary &operator=(const InLibrary &) = delete;
};

#if CAEC_VERSION_0_3

inline webrtc::EchoCancellation::SuppressionLevel level(caec_suppression suppression) {
    switch (suppression) {
    case CAEC_SUPPRESSION_LOW: return webrtc::EchoCancellation::kLowSuppression;
    case CAEC_SUPPRESSION_MODERATE: return webrtc::EchoCancellation::kModerateSuppression;
    case CAEC_SUPPRESSION_HIGH: break;
    }
    return webrtc::EchoCancellation::kHighSuppression;
}

inline webrtc::NoiseSuppression::Level level(caec_noise noise) {
    switch (noise) {
    case CAEC_NOISE_OFF:
    case CAEC_NOISE_LOW: return webrtc::NoiseSuppression::kLow;
    case CAEC_NOISE_MODERATE: return webrtc::NoiseSuppression::kModerate;
    case CAEC_NOISE_HIGH: return webrtc::NoiseSuppression::kHigh;
    case CAEC_NOISE_VERY_HIGH: break;
    }
    return webrtc::NoiseSuppression::kVeryHigh;
}

inline Processing make() {
    webrtc::Config config;
    config.Set<webrtc::ExperimentalAgc>(new webrtc::ExperimentalAgc(false));
    return Processing(webrtc::AudioProcessing::Create(config));
}

inline int configure(webrtc::AudioProcessing &processing, const caec_options &options) {
    webrtc::Config extra;
    extra.Set<webrtc::ExtendedFilter>(new webrtc::ExtendedFilter(options.extended_filter));
    extra.Set<webrtc::DelayAgnostic>(new webrtc::DelayAgnostic(options.delay_agnostic));
    processing.SetExtraOptions(extra);

    int status = processing.high_pass_filter()->Enable(options.high_pass);

    auto *echo = processing.echo_cancellation();
    // Clock drift is handled by the alignment of the reference.
    if (status == 0) { status = echo->enable_drift_compensation(false); }
    if (status == 0) { status = echo->set_suppression_level(level(options.suppression)); }
    if (status == 0) { status = echo->Enable(options.echo_cancellation); }

    auto *noise = processing.noise_suppression();
    if (status == 0) { status = noise->set_level(level(options.noise_suppression)); }
    if (status == 0) { status = noise->Enable(options.noise_suppression != CAEC_NOISE_OFF); }

    auto *gain = processing.gain_control();
    if (status == 0) { status = gain->set_mode(webrtc::GainControl::kAdaptiveDigital); }
    if (status == 0) { status = gain->Enable(options.gain_control); }

    auto *voice = processing.voice_detection();
    if (status == 0) { status = voice->set_likelihood(webrtc::VoiceDetection::kLowLikelihood); }
    if (status == 0) { status = voice->set_frame_size_ms(10); }
    if (status == 0) { status = voice->Enable(options.voice_detection); }
    return status;
}

#else

inline webrtc::AudioProcessing::Config::NoiseSuppression::Level level(caec_noise noise) {
    using Noise = webrtc::AudioProcessing::Config::NoiseSuppression;
    switch (noise) {
    case CAEC_NOISE_OFF:
    case CAEC_NOISE_LOW: return Noise::kLow;
    case CAEC_NOISE_MODERATE: return Noise::kModerate;
    case CAEC_NOISE_HIGH: return Noise::kHigh;
    case CAEC_NOISE_VERY_HIGH: break;
    }
    return Noise::kVeryHigh;
}

inline Processing make() {
    webrtc::Config extra;
    extra.Set<webrtc::ExperimentalAgc>(new webrtc::ExperimentalAgc(false));
    auto *processing = webrtc::AudioProcessingBuilder().Create(extra);
    // The builder returns a pointer with no reference held yet.
    if (processing) { processing->AddRef(); }
    return Processing(processing);
}

inline int configure(webrtc::AudioProcessing &processing, const caec_options &options) {
    webrtc::AudioProcessing::Config config;
    config.echo_canceller.enabled = options.echo_cancellation;
    config.echo_canceller.mobile_mode = false;
    // Otherwise the canceller would enable the filter regardless.
    config.echo_canceller.enforce_high_pass_filtering = options.high_pass;
    config.high_pass_filter.enabled = options.high_pass;
    config.noise_suppression.enabled = options.noise_suppression != CAEC_NOISE_OFF;
    config.noise_suppression.level = level(options.noise_suppression);
    config.gain_controller1.enabled = options.gain_control;
    config.gain_controller1.mode = webrtc::AudioProcessing::Config::GainController1::kAdaptiveDigital;
    config.gain_controller1.analog_gain_controller.enabled = false;
    config.gain_controller2.enabled = false;
    config.transient_suppression.enabled = false;
    config.residual_echo_detector.enabled = false;
    config.voice_detection.enabled = options.voice_detection;
    processing.ApplyConfig(config);
    return 0;
}

#endif

} // namespace caec_detail
