internal import VoiceAudio
internal import VoiceBase
internal import VoiceNetwork

/// One stream or file to decode.
struct DecoderJob: Sendable, Equatable {
    /// Distinguishes the reports of this job from those of others.
    var id: Int
    /// Absolute path of ffmpeg.
    var program: String
    var source: MediaSource
    /// Start position, in seconds.
    var start: Double = 0
    /// 2, or 1 with a single loudspeaker.
    var channels = 2
    /// Time without sound after which the job is given up.
    var patience: Duration = .seconds(Configuration.Media().stallS)
    /// PEM file with the certificates to trust instead of the system's.
    var caFile: String?
    /// Options of this ffmpeg's HLS demuxer that let it play segments whatever their names end with. It refuses unknown
    /// ones to keep local files safe; here the proxy decides what is requested.
    var segmentOptions: [String] = []
    /// Whether this is a live station. It may play for days, so its bytes are not limited.
    var isLive = false
    /// The paired home's address, which may be in a private network; see `MediaItem.home`.
    var home: NetworkAddress?
    /// The format of a device's sound, which comes by standard input.
    var piped: RawFormat?

    /// Formats that carry sound. Others could name addresses that bypass the proxy (tcp://), or are large parsers not
    /// needed for music. HLS, which also names addresses, is added for network sources only.
    private static let formats = [
        "aac", "ac3", "aiff", "amr", "ape", "asf", "au", "caf", "dsf", "dts", "eac3", "flac", "flv", "latm", "loas",
        "matroska", "mov", "mp3", "mpc", "mpc8", "mpeg", "mpegts", "oga", "ogg", "tak", "tta", "w64", "wav",
        "webm", "webvtt", "wv",
    ]

    /// Mixes any number of channels to two, or to one. Channels that the source lacks are left out, and "<" normalises
    /// the remaining weights to a sum of 1. A single channel is thus heard in the middle at its own level, and nothing
    /// clips; with -ac, ffmpeg attenuates a single channel by 3 dB and adds several up to more than full scale.
    private static let stereo =
        "pan=stereo|FL<FL+DL+0.707*FC+0.5*BL+0.5*SL+0.5*BC|FR<FR+DR+0.707*FC+0.5*BR+0.5*SR+0.5*BC"
    private static let mono = "pan=mono|FC<FL+FR+DL+DR+1.414*FC+0.5*BL+0.5*BR+0.5*SL+0.5*SR+BC"

    /// - Parameter help: what `ffmpeg -h demuxer=hls` prints. An option that it does not know would end it.
    static func segmentOptions(help: String) -> [String] {
        [("extension_picky", "0"), ("allowed_extensions", "ALL"), ("allowed_segment_extensions", "ALL")]
            .filter { help.contains("-\($0.0) ") }.flatMap { ["-\($0.0)", $0.1] }
    }

    /// The input, if its sound comes from a device.
    var device: SoundInput? { if case .input(let input) = source, input.isDevice { input } else { nil } }

    var isInput: Bool { if case .input = source { true } else { false } }

    /// Files that the decoder has to read in addition to its libraries.
    var files: [String] {
        switch source {
        case .file(let path): [path]
        case .input(let input): if case .fifo(let path, _) = input.source { [path] } else { [] }
        case .network: []
        }
    }

    /// The arguments of ffmpeg: one source in, floats at 48 kHz out.
    var arguments: [String] {
        var list = ["-nostdin", "-hide_banner", "-nostats", "-loglevel", "level+verbose"]
        // Enough to recognise any format; the default of 5 MB would be a long wait with a slow server.
        list += ["-probesize", "1000000", "-analyzeduration", "3000000"]
        switch source {
        case .network(let place):
            list += ["-format_whitelist", (Self.formats + ["hls"]).joined(separator: ",")]
            // Neither tls nor httpproxy: TLS is handled by the proxy, and httpproxy:// would connect to any port of any
            // host.
            list += ["-protocol_whitelist", "http,tcp,crypto"]
            list += ["-rw_timeout", "\(patience.components.seconds * 1_000_000)"]
            list += ["-user_agent", ProgramVersion.userAgent]
            if place.isSegmented { list += segmentOptions + ["-f", "hls"] }
            if start > 0 { list += ["-ss", "\(start)"] }
            list += ["-i", MediaProxy.startAddress(of: place.address)]
        case .file(let path):
            list += ["-format_whitelist", Self.formats.joined(separator: ",")]
            list += ["-protocol_whitelist", "file"]
            if start > 0 { list += ["-ss", "\(start)"] }
            list += ["-i", "file:" + path]
        case .input(let input):
            list += ["-protocol_whitelist", "file,pipe", "-fflags", "nobuffer"]
            switch input.source {
            case .fifo(let path, let rate):
                list += ["-f", "s16le", "-ar", "\(rate)", "-ac", "2", "-i", "file:" + path]
            case .device:
                let form = piped ?? RawFormat(rate: AudioFormat.deviceRate, channels: 2, sampleBytes: 2)
                list += ["-f", form.sampleBytes == 4 ? "s32le" : "s16le", "-ar", "\(form.rate)"]
                list += ["-ac", "\(form.channels)", "-i", "pipe:0"]
            }
        }
        list += ["-map", "0:a:0", "-vn", "-sn", "-dn"]
        list += ["-af", channels == 2 ? Self.stereo : Self.mono, "-ar", "\(AudioFormat.deviceRate)"]
        return list + ["-threads", "1", "-f", "f32le", "-c:a", "pcm_f32le", "pipe:1"]
    }
}

/// The source of the sound, after all checks.
package enum MediaSource: Sendable, Equatable {
    case network(Place)
    /// Absolute path.
    case file(String)
    /// Ends when it has been silent for the patience of its job.
    case input(SoundInput)

    package struct Place: Sendable, Equatable {
        /// http:// or https://, with redirects already followed; without user name and password.
        package var address: String
        /// Cookies and passwords from the search that led here.
        package var secrets = ServerSecrets()
        /// Whether it is an HLS playlist.
        package var isSegmented = false
    }
}

enum DecoderReport: Sendable, Equatable {
    /// The first sound of a job is at this position of the ring.
    case began(id: Int, position: UInt64)
    case tag(id: Int, DecoderTag)
    /// The job is over. `failure` is nil if it was read to its end.
    case ended(id: Int, frames: Int, failure: String?)
}
