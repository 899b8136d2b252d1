import CAlsa

@testable import VoiceAudio

/// ALSA's own `plug` over a card without sound that has so many channels and no other number.
struct PluggedCard {
    /// To be passed to `ALSAStream`, which closes it.
    let pcm: OpaquePointer

    struct Refusal: Error { var code: Int32 }

    init(channels: Int, direction: AudioDirection) throws {
        let text = "pcm.plugged { type plug slave { pcm { type null } channels \(channels) } }"
        var top: OpaquePointer?
        var input: OpaquePointer?
        try Self.check(snd_config_top(&top))
        defer { snd_config_delete(top) }
        try Self.check(snd_input_buffer_open(&input, text, -1))
        defer { snd_input_close(input) }
        try Self.check(snd_config_load(top, input))
        let stream = direction == .capture ? SND_PCM_STREAM_CAPTURE : SND_PCM_STREAM_PLAYBACK
        var pcm: OpaquePointer?
        try Self.check(snd_pcm_open_lconf(&pcm, "plugged", stream, Int32(SND_PCM_NONBLOCK), top))
        guard let pcm else { throw Refusal(code: 0) }
        self.pcm = pcm
    }

    private static func check(_ code: Int32) throws {
        if code < 0 { throw Refusal(code: code) }
    }
}
