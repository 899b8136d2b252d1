internal import VoiceBase
internal import VoiceConversation
internal import VoiceNetwork

/// The sound of an answer as it arrives: a WAV file of any length. A value.
struct AssistSound {
    enum Problem: Error, Equatable {
        case otherForm
    }

    /// A header is shorter.
    private static let longestHeader = 4096

    private var header: [UInt8]? = []
    /// In Hz; nil before the header is complete.
    private(set) var rate: Int?
    /// The first half of a sample.
    private var odd: UInt8?

    /// - Returns: samples at `rate`.
    mutating func consume(_ bytes: [UInt8]) throws(Problem) -> [Int16] {
        guard let known = header else { return samples(bytes[...]) }
        let all = known + bytes
        guard let wave = WaveBytes(all) else {
            guard all.count < Self.longestHeader, all.starts(with: "RIFF".utf8.prefix(all.count)) else {
                throw .otherForm
            }
            header = all
            return []
        }
        header = nil
        rate = wave.rate
        return samples(wave.sound)
    }

    private mutating func samples(_ bytes: ArraySlice<UInt8>) -> [Int16] {
        let all = (odd.map { [$0] } ?? []) + bytes
        odd = all.count % 2 == 1 ? all.last : nil
        return WaveBytes.samples(all[...])
    }
}

extension HTTPRequest {
    /// The sound of an answer. It comes as it is spoken, so only its silence is limited, by the reader.
    ///
    /// - Returns: nil for an address that is not fetched.
    static func assistSound(_ address: String) -> HTTPRequest? {
        guard let url = ServerURL(address), ["http", "https"].contains(url.scheme) else { return nil }
        return HTTPRequest(
            url: address, connectTimeout: .seconds(5), totalTimeout: .seconds(600),
            // Ten minutes at 48 kHz.
            maximumReplyBytes: 58 << 20, staysNear: url.scheme == "http"
        )
    }
}
