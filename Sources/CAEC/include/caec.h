#pragma once
/// Echo cancellation for one microphone and one loudspeaker channel: our own linear canceller, then the WebRTC audio
/// processing library (version 0.3 in Debian 12, 1.3 in Debian 13) as residual suppressor, noise suppressor, high-pass filter
/// and voice detector.
///
///     reference --+--> linear canceller --+--> library ------------- echo only --+--> 32 kHz
///     microphone -+                       +--> residual suppressor - talker -----+
///
/// Both paths have the same latency, so that the fade between them is inaudible. After 15 s without a reference, a third one of
/// the same latency replaces them (`caec_options.rests`).
///
/// One handle belongs to one thread at a time. No function throws. `caec_process` allocates nothing here; `caec_create`
/// allocates everything the library needs and fixes the formats.
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
    /// Samples of an echo path of the linear stage: 320 ms at 48 kHz.
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
    /// Suppression of the residual echo. With the linear stage it applies over a talker; echo alone gets the high one.
    /// Ignored by version 1.3, which has no such setting.
    caec_suppression suppression;
    /// A longer filter (128 ms) that tolerates a delay reported too short. Version 0.3 only.
    bool extended_filter;
    /// The library estimates the delay itself and ignores the reported one. Version 0.3 only.
    bool delay_agnostic;
    /// The library's; the daemon has another, behind this.
    caec_noise noise_suppression;
    bool high_pass;
    /// Adaptive digital gain control.
    bool gain_control;
    bool voice_detection;
    /// Whether a linear canceller precedes the library. It needs a reference that leads by `caec_reference_lead_ms()`, or by
    /// less, down to 10 ms, if the whole delay is shorter.
    bool linear_stage;
    /// Whether the linear stage's own suppressor replaces the library's while a talker is heard over echo.
    bool double_talk_path;
    /// Whether all but the linear stage rests once the reference was silent for 15 s, until it sounds again. Its state is kept.
    /// Meanwhile the microphone passes a high-pass filter and a voice detector alone. Needs the linear stage; without effect
    /// with the library's own noise suppression or gain control.
    bool rests;
} caec_options;

/// Measurements of one period: levels in dBFS, mean power, -120 to 0 (slightly more for inputs beyond full scale).
typedef struct {
    float microphone;
    float reference;
    /// The echo as estimated by the linear stage; -120 without that stage.
    float echo;
    /// The residual of the linear stage; the microphone without that stage.
    float residual;
    float output;
    /// Result of `caec_options.voice_detection`; false if that is off.
    bool has_voice;
    /// Whether the linear stage leaves more than echo and noise explain; stays true for 600 ms, or until the reference
    /// sounds after a pause.
    bool has_talker;
    /// Whether the linear stage leaves about the same share of the echo in every band, as after a change of the echo path.
    bool is_shaped_like_echo;
    /// Whether at least three samples of the microphone were at full scale.
    bool is_clipped;
    /// Whether so much echo has been left for so long that the echo path must have changed; true for one period each second.
    bool has_path_changed;
    /// Whether an echo path passed to `caec_recall` proved right and is in use.
    bool has_recalled;
} caec_reading;

typedef struct caec caec;

/// Creates a canceller, or returns NULL and writes one line of text (cut to `error_size`, zero terminated) to `error`, which
/// may be NULL. Not for the audio thread. The library rewrites tables shared by all cancellers of a process, which disturbs
/// one in operation slightly: use one at a time per program.
caec *caec_create(const caec_options *options, char *error, size_t error_size);

/// Frees everything; NULL is allowed. Not for the audio thread.
void caec_destroy(caec *handle);

/// Processes one period of 10 ms.
/// reference: CAEC_INPUT_FRAMES at 48 kHz, what the loudspeaker plays, already delayed so that it leads its echo in
/// `microphone` by stream_delay_ms (0 to 499; version 0.3 treats more as an error).
/// microphone: CAEC_INPUT_FRAMES at 48 kHz. output: CAEC_OUTPUT_FRAMES at 32 kHz. Full scale is 1 throughout.
/// `reading`, which may be NULL, receives the measurements of the period.
/// Returns 0, or the library's negative error number; `output` is then silence. NaN inputs count as 0.
int caec_process(caec *handle, const float *reference, const float *microphone, int stream_delay_ms, float *output,
                 caec_reading *reading);

/// Notes that the alignment of the reference changed while the echo path through the room did not: from the next period on
/// the reference leads its echo by `shift_frames` (48 kHz) more than before, or less if negative. The learned path is shifted
/// (takes about 70 us). 0 means an unknown change; the linear stage then learns faster for a while.
void caec_realign(caec *handle, int shift_frames);

/// Notes whether the delay of the echo is confirmed by the echo itself, or only reported by the card, as at first. While it is
/// only reported, the canceller takes more of the residual for echo.
void caec_set_confirmed(caec *handle, bool is_confirmed);

/// Forgets the echo path: another device, another room.
void caec_reset(caec *handle);

/// Writes the present echo path, CAEC_PATH_FRAMES samples at 48 kHz starting at a lead of 10 ms; zeros without the linear
/// stage. Takes about 40 us, allocates nothing.
void caec_copy_path(caec *handle, float *path);

/// Puts an earlier echo path, as written by `caec_copy_path`, on trial, inaudibly. If it explains the microphone better than
/// what is learned meanwhile, within half a second of sound, it is adopted; otherwise it is dropped, as it is by
/// `caec_reset`. The reference may be offset by up to 5 ms from that time, and the echo be louder or fainter by 12 dB. Takes
/// about 40 us, allocates nothing. `path` is copied, and must hold finite numbers.
void caec_recall(caec *handle, const float *path);

/// For tests: continues as though `frames` periods had been processed.
void caec_pretend_age(caec *handle, int frames);

/// Name and version of the library this was built for, such as "webrtc-audio-processing 0.3".
const char *caec_library_version(void);

/// Milliseconds by which the reference should lead its echo: 35. If the library wants less, the difference is delayed here.
int caec_reference_lead_ms(void);

/// Returns the frame count that follows `frames`, starting at 0. After the first window it cycles within the second one, so
/// that it identifies the first frame, the first window and the position in a window. A plain count would overflow after 248
/// days.
static inline int caec_next_frame(int frames, int window) {
    return frames < 2 * window ? frames + 1 : window + 1;
}

#ifdef __cplusplus
}
#endif
