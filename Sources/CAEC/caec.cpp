#include "caec.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>
#include <new>

// The two versions differ in where their header lies and in nearly all of the configuration, and agree on the calls of
// the audio cycle. Their headers leave some parameters unused.
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

namespace {

// Output at 32 kHz, not 48: at 48 kHz version 0.3 works in three bands whose filter bank does not reconstruct (-9.5 dB
// at 7.5 kHz, aliases around 8 kHz). Asking for 32 kHz makes it work in two bands, flat to 10.8 kHz, and saves work in
// version 1.3 too.
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

#if CAEC_VERSION_0_3

webrtc::EchoCancellation::SuppressionLevel level(caec_suppression suppression) {
    switch (suppression) {
    case CAEC_SUPPRESSION_LOW: return webrtc::EchoCancellation::kLowSuppression;
    case CAEC_SUPPRESSION_MODERATE: return webrtc::EchoCancellation::kModerateSuppression;
    case CAEC_SUPPRESSION_HIGH: break;
    }
    return webrtc::EchoCancellation::kHighSuppression;
}

webrtc::NoiseSuppression::Level level(caec_noise noise) {
    switch (noise) {
    case CAEC_NOISE_OFF:
    case CAEC_NOISE_LOW: return webrtc::NoiseSuppression::kLow;
    case CAEC_NOISE_MODERATE: return webrtc::NoiseSuppression::kModerate;
    case CAEC_NOISE_HIGH: return webrtc::NoiseSuppression::kHigh;
    case CAEC_NOISE_VERY_HIGH: break;
    }
    return webrtc::NoiseSuppression::kVeryHigh;
}

Processing make() {
    webrtc::Config config;
    config.Set<webrtc::ExperimentalAgc>(new webrtc::ExperimentalAgc(false));
    return Processing(webrtc::AudioProcessing::Create(config));
}

int configure(webrtc::AudioProcessing &processing, const caec_options &options) {
    webrtc::Config extra;
    extra.Set<webrtc::ExtendedFilter>(new webrtc::ExtendedFilter(options.extended_filter));
    extra.Set<webrtc::DelayAgnostic>(new webrtc::DelayAgnostic(options.delay_agnostic));
    processing.SetExtraOptions(extra);

    int status = processing.high_pass_filter()->Enable(options.high_pass);

    auto *echo = processing.echo_cancellation();
    // Two clocks are the business of whoever aligns the reference.
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

webrtc::AudioProcessing::Config::NoiseSuppression::Level level(caec_noise noise) {
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

Processing make() {
    webrtc::Config extra;
    extra.Set<webrtc::ExperimentalAgc>(new webrtc::ExperimentalAgc(false));
    auto *processing = webrtc::AudioProcessingBuilder().Create(extra);
    // The builder hands over a pointer that nobody holds yet.
    if (processing) { processing->AddRef(); }
    return Processing(processing);
}

int configure(webrtc::AudioProcessing &processing, const caec_options &options) {
    webrtc::AudioProcessing::Config config;
    config.echo_canceller.enabled = options.echo_cancellation;
    config.echo_canceller.mobile_mode = false;
    // The canceller would switch the filter on by itself.
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

void report(char *error, size_t size, const char *text, int status) {
    if (error && size > 0) {
        std::snprintf(error, size, "%s: %s (error %d)", caec_library_version(), text, status);
    }
}

} // namespace

struct caec {
    Processing processing;
    webrtc::StreamConfig input{kInputRate, 1};
    webrtc::StreamConfig output{kOutputRate, 1};
    bool voice_detection = false;
    /// The library insists on writing a processed reference somewhere.
    float unused[CAEC_INPUT_FRAMES] = {};
};

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
            webrtc::ProcessingConfig formats;
            formats.input_stream() = handle->input;
            formats.output_stream() = handle->output;
            formats.reverse_input_stream() = handle->input;
            formats.reverse_output_stream() = handle->input;
            status = handle->processing->Initialize(formats);
        }
        if (status != 0) {
            report(error, error_size, "refuses its configuration", status);
            return nullptr;
        }
        handle->voice_detection = options->voice_detection;
        return handle.release();
    } catch (const std::exception &exception) {
        report(error, error_size, exception.what(), -1);
        return nullptr;
    }
}

void caec_destroy(caec *handle) { delete handle; }

int caec_process(caec *handle, const float *reference, const float *microphone, int stream_delay_ms, float *output) {
    int status = -1;
    try {
        auto &processing = *handle->processing;
        float *unused = handle->unused;
        status = processing.ProcessReverseStream(&reference, handle->input, handle->input, &unused);
        // A linear canceller of one's own belongs here: it takes `reference` as aligned above and `microphone`, and the
        // library, fed with what it leaves, only suppresses the residue.
        if (status == 0) {
            // Anything out of range is a warning, and clamped.
            (void)processing.set_stream_delay_ms(std::max(0, stream_delay_ms));
            status = processing.ProcessStream(&microphone, handle->input, handle->output, &output);
        }
    } catch (...) {
        status = -1;
    }
    if (status != 0) { std::fill(output, output + CAEC_OUTPUT_FRAMES, 0.0f); }
    return status;
}

int caec_set_suppression(caec *handle, caec_suppression suppression) {
#if CAEC_VERSION_0_3
    return handle->processing->echo_cancellation()->set_suppression_level(level(suppression));
#else
    (void)handle;
    (void)suppression;
    return 0;
#endif
}

bool caec_has_voice(const caec *handle) {
    if (!handle->voice_detection) { return false; }
#if CAEC_VERSION_0_3
    return handle->processing->voice_detection()->stream_has_voice();
#else
    return handle->processing->GetStatistics().voice_detected.value_or(false);
#endif
}

int caec_reference_lead_ms(void) { return CAEC_VERSION_0_3 ? 40 : 8; }

const char *caec_library_version(void) {
    return CAEC_VERSION_0_3 ? "webrtc-audio-processing 0.3" : "webrtc-audio-processing 1.3";
}
