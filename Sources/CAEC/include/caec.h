#pragma once
/// A C door to the WebRTC audio processing library (version 0.3 in Debian 12, 1.3 in Debian 13): echo canceller, noise
/// suppressor, high-pass filter and voice detector for one microphone and one loudspeaker channel.
///
/// One handle belongs to one thread at a time. No function throws. `caec_process` allocates nothing here; all the
/// library needs is allocated by `caec_create`, which also fixes the formats.
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    /// Frames of one period of 10 ms at 48 kHz: length of both inputs.
    CAEC_INPUT_FRAMES = 480,
    /// Frames of one period of 10 ms at 32 kHz: length of the output.
    CAEC_OUTPUT_FRAMES = 320,
};

typedef enum {
    CAEC_SUPPRESSION_LOW = 0,
    CAEC_SUPPRESSION_MODERATE = 1,
    CAEC_SUPPRESSION_HIGH = 2,
} caec_suppression;

typedef enum {
    CAEC_NOISE_OFF = 0,
    CAEC_NOISE_LOW = 1,
    CAEC_NOISE_MODERATE = 2,
    CAEC_NOISE_HIGH = 3,
    CAEC_NOISE_VERY_HIGH = 4,
} caec_noise;

typedef struct {
    bool echo_cancellation;
    /// Of the residual echo. Version 1.3 has no such setting and ignores it.
    caec_suppression suppression;
    /// A longer filter (128 ms) that forgives a delay reported too short. Version 0.3 only.
    bool extended_filter;
    /// The library estimates the delay by itself and ignores the reported one. Version 0.3 only.
    bool delay_agnostic;
    caec_noise noise_suppression;
    bool high_pass;
    /// Adaptive digital gain control.
    bool gain_control;
    bool voice_detection;
} caec_options;

typedef struct caec caec;

/// Makes a canceller, or returns NULL and writes one line of text (cut to `error_size`, zero terminated) to `error`,
/// which may be NULL. Not for the audio thread.
caec *caec_create(const caec_options *options, char *error, size_t error_size);

/// Frees everything; NULL is allowed. Not for the audio thread.
void caec_destroy(caec *handle);

/// One period of 10 ms.
/// reference: CAEC_INPUT_FRAMES at 48 kHz, what the loudspeaker plays, already held back so that it leads its echo in
/// `microphone` by stream_delay_ms (0 to 499; more is taken for a mistake by version 0.3).
/// microphone: CAEC_INPUT_FRAMES at 48 kHz. output: CAEC_OUTPUT_FRAMES at 32 kHz. Full scale is 1 throughout.
/// Returns 0, or the library's negative error number; `output` is then silence.
int caec_process(caec *handle, const float *reference, const float *microphone, int stream_delay_ms, float *output);

/// Changes the suppression of residual echo between two periods. Version 1.3: no effect. Returns 0 or an error number.
int caec_set_suppression(caec *handle, caec_suppression level);

/// Whether the last period held speech; false when voice detection is off. Version 1.3 takes a lock for it that nobody
/// else holds.
bool caec_has_voice(const caec *handle);

/// Name and version of the library this was built for, as "webrtc-audio-processing 0.3".
const char *caec_library_version(void);

// By how many milliseconds the reference should lead its echo. 0.3 is told the lead and copes best with 40 ms of margin;
// 1.3 begins with a lead of about 20 ms of its own assumption and looks for the true one only when something is played.
int caec_reference_lead_ms(void);

#ifdef __cplusplus
}
#endif
