#pragma once
/// Echo cancellation for one microphone and one loudspeaker channel: a linear canceller of our own, then the WebRTC
/// audio processing library (version 0.3 in Debian 12, 1.3 in Debian 13) as suppressor of the residue, noise suppressor,
/// high-pass filter and voice detector.
///
///     reference --+--> linear canceller --+--> library ------------- echo only --+--> 32 kHz
///     microphone -+                       +--> residual suppressor - talker -----+
///
/// The paths are as long as each other, so that the fade between them is not heard.
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
    /// Samples of an echo path as the linear stage learns it: 320 ms at 48 kHz.
    CAEC_PATH_FRAMES = 15360,
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
    /// Of the residual echo; with the linear stage that while a talker is heard, and high over echo alone. Version 1.3 has
    /// no such setting and ignores it.
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
    /// Whether a linear canceller works before the library. It needs a reference that leads by `caec_reference_lead_ms()`, or
    /// less down to 10 ms where the whole delay is shorter.
    bool linear_stage;
    /// Whether the linear stage's own suppressor takes over from the library while a talker is heard over echo.
    bool double_talk_path;
} caec_options;

/// What one period tells: levels in dBFS, mean power, -120 to 0 (a little more for inputs beyond full scale).
typedef struct {
    float microphone;
    float reference;
    /// The echo as the linear stage estimates it; -120 without that stage.
    float echo;
    /// What the linear stage leaves; the microphone without that stage.
    float residual;
    float output;
    /// As `caec_options.voice_detection`; false when that is off.
    bool has_voice;
    /// Whether the linear stage leaves more than echo and noise explain; true until 600 ms after.
    bool has_talker;
    /// Whether at least three samples of the microphone were at full scale.
    bool is_clipped;
    /// Whether so much echo is left for so long that it must come by another way than the one that was learned; true for one
    /// period each second.
    bool has_path_changed;
    /// Whether an echo path that `caec_recall` gave was found to be the right one and is in force.
    bool has_recalled;
} caec_reading;

typedef struct caec caec;

/// Makes a canceller, or returns NULL and writes one line of text (cut to `error_size`, zero terminated) to `error`,
/// which may be NULL. Not for the audio thread. The library writes tables that all cancellers of a process share anew, which one
/// that is at work hears as a small error: a program has one at a time.
caec *caec_create(const caec_options *options, char *error, size_t error_size);

/// Frees everything; NULL is allowed. Not for the audio thread.
void caec_destroy(caec *handle);

/// One period of 10 ms.
/// reference: CAEC_INPUT_FRAMES at 48 kHz, what the loudspeaker plays, already held back so that it leads its echo in
/// `microphone` by stream_delay_ms (0 to 499; more is taken for a mistake by version 0.3).
/// microphone: CAEC_INPUT_FRAMES at 48 kHz. output: CAEC_OUTPUT_FRAMES at 32 kHz. Full scale is 1 throughout.
/// `reading`, which may be NULL, gets what the period tells.
/// Returns 0, or the library's negative error number; `output` is then silence. Inputs that are not numbers count as 0.
int caec_process(caec *handle, const float *reference, const float *microphone, int stream_delay_ms, float *output,
                 caec_reading *reading);

/// The alignment of the reference changed, and the echo's way through the room did not: from the next period on the
/// reference leads its echo by `shift_frames` (48 kHz) more than before, or less when negative. What was learned is
/// moved along (some 0.4 ms of work). 0: the change is not known; the linear stage learns faster for a while.
void caec_realign(caec *handle, int shift_frames);

/// Forgets the echo path: another device, another room.
void caec_reset(caec *handle);

/// Writes the echo path as it is known now, CAEC_PATH_FRAMES samples at 48 kHz from the lead of 10 ms on; zeros without the
/// linear stage. Some 0.2 ms of work, no allocation.
void caec_copy_path(caec *handle, float *path);

/// Puts an echo path of before on trial, as `caec_copy_path` wrote it: while it is on trial nothing of it is heard. Where it
/// explains the microphone better than what is learned meanwhile, within half a second of sound, it takes its place; the
/// reference may lie up to 5 ms elsewhere than at the time, and the echo be louder or fainter by 12 dB. Else it is dropped.
/// `caec_reset` drops it too. Some 0.2 ms of work, no allocation; `path` is copied, and must hold finite numbers.
void caec_recall(caec *handle, const float *path);

/// For tests: counts on as though so many periods had been processed.
void caec_pretend_age(caec *handle, int frames);

/// Name and version of the library this was built for, as "webrtc-audio-processing 0.3".
const char *caec_library_version(void);

/// By how many milliseconds the reference should lead its echo: 35. What the library wants less is held back here.
int caec_reference_lead_ms(void);

/// The count of frames after `frames`, which begins at 0: past the first window it goes round in the second one, so that it
/// tells the first frame, the first window and the place in a window. A plain count would overflow after 248 days.
static inline int caec_next_frame(int frames, int window) {
    return frames < 2 * window ? frames + 1 : window + 1;
}

#ifdef __cplusplus
}
#endif
