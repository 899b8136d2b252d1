internal import VoiceBase
internal import VoiceConfiguration

/// One stream or file to be decoded.
struct DecoderJob: Sendable, Equatable {
    /// Tells its reports from those of others.
    var id: Int
    /// Absolute path of ffmpeg.
    var program: String
    var source: MediaSource
    /// Where to begin, in seconds.
    var start: Double = 0
    /// 2, or 1 where there is a single loudspeaker.
    var channels = 2
    /// So long without sound, and it is given up.
    var patience: Duration = .seconds(Configuration.Media().stallS)
    /// PEM file with the certificates to trust instead of the system's.
    var caFile: String?
    /// A live station: it may play for days, whatever it brings.
    var isLive = false

    /// What carries sound. Others could name further addresses in ways that pass by our proxy (tcp://), or are large
    /// parsers that nobody needs for music. HLS, which names addresses too, is for the network alone.
    private static let formats = [
        "aac", "ac3", "aiff", "amr", "ape", "asf", "au", "caf", "dsf", "dts", "eac3", "flac", "flv", "latm", "loas",
        "matroska", "mov", "mp3", "mpc", "mpc8", "mpeg", "mpegts", "oga", "ogg", "tak", "tta", "w64", "wav",
        "webm", "webvtt", "wv",
    ]

    /// What makes two channels, or one, of any number: those that a source has not are left out, and the weights of the others
    /// make 1 ("<"). So one channel is heard in the middle at its level, and nothing is clipped; with -ac ffmpeg takes 3 dB
    /// off a single channel, and adds up several to more than full scale.
    private static let stereo =
        "pan=stereo|FL<FL+DL+0.707*FC+0.5*BL+0.5*SL+0.5*BC|FR<FR+DR+0.707*FC+0.5*BR+0.5*SR+0.5*BC"
    private static let mono = "pan=mono|FC<FL+FR+DL+DR+1.414*FC+0.5*BL+0.5*BR+0.5*SL+0.5*SR+BC"

    /// What the decoder has to read besides its libraries.
    var files: [String] {
        if case .file(let path) = source { [path] } else { [] }
    }

    /// What ffmpeg is told: one source in, floats at 48 kHz out.
    var arguments: [String] {
        var list = ["-nostdin", "-hide_banner", "-nostats", "-loglevel", "level+verbose"]
        // Enough to know any format by; the usual 5 MB would be a long wait with a slow server.
        list += ["-probesize", "1000000", "-analyzeduration", "3000000"]
        switch source {
        case .network(let url):
            list += ["-format_whitelist", (Self.formats + ["hls"]).joined(separator: ",")]
            // Neither tls nor httpproxy: TLS is the proxy's, and httpproxy:// would connect to any port of any host.
            list += ["-protocol_whitelist", "http,tcp,crypto"]
            list += ["-rw_timeout", "\(patience.components.seconds * 1_000_000)"]
            list += ["-user_agent", "jarvis-voiced"]
            if start > 0 { list += ["-ss", "\(start)"] }
            list += ["-i", SecureAddress.plain(url)]
        case .file(let path):
            list += ["-format_whitelist", Self.formats.joined(separator: ",")]
            list += ["-protocol_whitelist", "file"]
            if start > 0 { list += ["-ss", "\(start)"] }
            list += ["-i", "file:" + path]
        }
        list += ["-map", "0:a:0", "-vn", "-sn", "-dn"]
        list += ["-af", channels == 2 ? Self.stereo : Self.mono, "-ar", "\(AudioFormat.deviceRate)"]
        return list + ["-threads", "1", "-f", "f32le", "-c:a", "pcm_f32le", "pipe:1"]
    }
}

/// Where sound comes from, after all checks.
package enum MediaSource: Sendable, Equatable {
    /// http:// or https://, redirects followed.
    case network(String)
    /// Absolute path.
    case file(String)
}

/// What the decoder has to say.
enum DecoderReport: Sendable, Equatable {
    /// The first sound of a job stands at this position of the ring.
    case began(id: Int, position: UInt64)
    case tag(id: Int, DecoderTag)
    /// Nothing more comes of it. `failure` is nil where it was read to its end.
    case ended(id: Int, frames: Int, failure: String?)
}
