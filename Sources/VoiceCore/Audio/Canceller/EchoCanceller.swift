internal import CAEC
internal import VoiceBase

/// The echo canceller and voice detector.
///
/// Input is 48 kHz and output 32 kHz: at 48 kHz the WebRTC library's filter bank notches the voice around 8 kHz.
///
///     reference, aligned by ReferenceLine --+--> linear canceller --+--> library ----- echo only --+--> 32 kHz
///     microphone ---------------------------+                       +--> suppressor -- talker -----+
///
/// Once nothing has sounded for 15 s, the microphone passes a high-pass filter alone, until something sounds.
package struct EchoCanceller: ~Copyable {
    /// Samples per period that `process` writes.
    package static var outputFrames: Int { Int(CAEC_OUTPUT_FRAMES) }
    /// Name and version of the library, such as "webrtc-audio-processing 0.3".
    package static var libraryVersion: String { String(cString: caec_library_version()) }

    /// Wanted lead of the reference over the echo, in frames at 48 kHz.
    package static var referenceLead: Int { Int(caec_reference_lead_ms()) * AudioFormat.deviceRate / 1000 }

    private let handle: OpaquePointer
    /// Measurements of the last period.
    package private(set) var reading = EchoReading()

    /// Allocates everything; not for the audio thread.
    package init(options: EchoCancellerOptions) throws(EchoCancellerError) {
        var settings = caec_options()
        settings.echo_cancellation = options.echoCancellation
        // Over a talker; echo alone gets the high one. Without effect in version 1.3 of the library.
        settings.suppression = CAEC_SUPPRESSION_LOW
        // `NoiseSuppressor` does that, at the end of the path.
        settings.noise_suppression = CAEC_NOISE_OFF
        settings.high_pass = options.highPass
        settings.voice_detection = options.voiceDetection
        settings.linear_stage = options.linearStage
        settings.double_talk_path = options.doubleTalkPath
        settings.rests = options.rests
        var message = [CChar](repeating: 0, count: 200)
        guard let handle = caec_create(&settings, &message, message.count) else {
            let text = message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            throw EchoCancellerError(description: "echo canceller: " + String(decoding: text, as: UTF8.self))
        }
        self.handle = handle
    }

    deinit { caec_destroy(handle) }

    /// Processes one period of 10 ms, full scale 1. Never allocates, locks or waits.
    ///
    /// `microphone` and `reference` hold `AudioFormat.periodFrames`. The reference is what the loudspeaker plays, delayed so
    /// that it leads its echo in `microphone` by `streamDelayMilliseconds`. Returns false if the period was lost; `output` is
    /// then silence.
    package mutating func process(
        microphone: UnsafePointer<Float>,
        reference: UnsafePointer<Float>,
        streamDelayMilliseconds: Int,
        into output: UnsafeMutablePointer<Float>
    ) -> Bool {
        var latest = caec_reading()
        let delay = Int32(clamping: streamDelayMilliseconds)
        let status = caec_process(handle, reference, microphone, delay, output, &latest)
        reading.microphone = latest.microphone
        reading.reference = latest.reference
        reading.echo = latest.echo
        reading.residual = latest.residual
        reading.output = latest.output
        reading.hasVoice = latest.has_voice
        reading.isClipped = latest.is_clipped
        reading.hasTalker = latest.has_talker
        reading.isShapedLikeEcho = latest.is_shaped_like_echo
        reading.hasPathChanged = latest.has_path_changed
        reading.hasRecalled = latest.has_recalled
        return status == 0
    }

    /// Notes that from the next period on the reference leads its echo by `shift` more frames than before, while the echo
    /// path through the room is unchanged.
    ///
    /// 0 means that something changed by an unknown amount. Safe on the audio thread.
    package mutating func realign(shift: Int) {
        caec_realign(handle, Int32(clamping: shift))
    }

    /// Notes whether the delay of the echo is confirmed by the echo itself; at first it is not. Safe on the audio thread.
    package mutating func setConfirmed(_ isConfirmed: Bool) {
        caec_set_confirmed(handle, isConfirmed)
    }

    /// Forgets the echo path. Safe on the audio thread.
    package mutating func reset() {
        caec_reset(handle)
    }

    /// Writes the present echo path: `RememberedRoom.pathFrames` samples. Safe on the audio thread.
    func copyPath(into path: UnsafeMutablePointer<Float>) {
        caec_copy_path(handle, path)
    }

    /// Puts an earlier echo path on trial: it is adopted if it proves better than what is learned meanwhile, within half a
    /// second of sound. `path` holds `RememberedRoom.pathFrames` finite samples. Safe on the audio thread.
    package mutating func recall(_ path: UnsafePointer<Float>) {
        caec_recall(handle, path)
    }

    /// For tests: continues as though `periods` periods had been processed.
    mutating func pretendAge(periods: Int32) { caec_pretend_age(handle, periods) }
}

/// The library failed to start; `description` is one line with its name and error number.
package struct EchoCancellerError: Error, CustomStringConvertible {
    package let description: String
}
