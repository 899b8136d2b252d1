internal import VoiceBase
package import VoiceConversation

/// What a model costs, in US dollars.
package struct PriceTable: Equatable, Sendable {
    /// For a million tokens.
    package var audioIn = 0.0
    package var cachedAudioIn = 0.0
    package var audioOut = 0.0
    package var textIn = 0.0
    package var cachedTextIn = 0.0
    package var textOut = 0.0
    /// For a minute of an open session, with services that charge by time.
    package var sessionMinute = 0.0
    /// For a minute of the user's speech that is written down.
    package var transcriptionMinute = 0.0

    package init() {}

    private init(_ audio: (Double, Double, Double), text: (Double, Double, Double)) {
        (audioIn, cachedAudioIn, audioOut) = audio
        (textIn, cachedTextIn, textOut) = text
    }

    private static let full = PriceTable((32, 0.4, 64), text: (4, 0.4, 24))
    private static let mini = PriceTable((10, 0.3, 20), text: (0.6, 0.06, 2.4))

    /// Published prices of 2026-08, by the beginning of the model's name.
    private static let known: [(prefix: String, table: PriceTable)] = [
        ("gpt-realtime-2.1-mini", mini), ("gpt-realtime-mini", mini), ("gpt-realtime-2", full),
        ("gpt-realtime-1.5", PriceTable((32, 0.4, 64), text: (4, 0.4, 16))),
        ("gpt-realtime", PriceTable((32, 0.4, 64), text: (4, 0.4, 16))),
    ]

    /// The published prices of a model; nil for one that is not in the table.
    package static func published(model: String) -> PriceTable? {
        // A name goes on with a version or a date: "gpt-realtime-2025-08-28" is no "gpt-realtime-2".
        known.filter { model.hasPrefix($0.prefix) && ["-", ".", nil].contains(model.dropFirst($0.prefix.count).first) }
            .max { $0.prefix.count < $1.prefix.count }?.table
    }

    /// What a model that is not known is taken to cost: the dearest that is.
    package static let dearest = full

    /// The published prices of a service: by the token, by the minute, or none at all for one of the user's own.
    package init(_ charge: ServiceCharge, model: String) {
        switch charge {
        case .tokens:
            self = Self.published(model: model) ?? Self.dearest
            transcriptionMinute = 0.0045
        case .time: sessionMinute = 0.05
        case .nothing: break
        }
    }

    /// In millionths of a dollar, rounded up. Cached tokens are part of the input.
    package func cost(of usage: Usage) -> Int {
        let audio = Double(usage.audioIn - usage.cachedAudioIn) * audioIn + Double(usage.cachedAudioIn) * cachedAudioIn
        let text = Double(usage.textIn - usage.cachedTextIn) * textIn + Double(usage.cachedTextIn) * cachedTextIn
        let out = Double(usage.audioOut) * audioOut + Double(usage.textOut) * textOut
        return Self.micros(audio + text + out)
    }

    /// In millionths of a dollar. Sound of the user is 10 tokens a second.
    package func cost(of usage: TranscriptionUsage) -> Int {
        let seconds =
            switch usage {
            case .seconds(let seconds): seconds
            case .tokens(let audioIn, _, _): Double(audioIn) / 10
            }
        return Self.micros(seconds / 60 * transcriptionMinute * 1e6)
    }

    /// In millionths of a dollar, not rounded: it is asked for in small pieces.
    func cost(ofSession time: Duration) -> Double {
        time.fractionalMilliseconds / 60_000 * sessionMinute * 1e6
    }

    private static func micros(_ value: Double) -> Int {
        // In this order what is no number counts as nothing.
        Int(min(max(0, value), 1e12).rounded(.up))
    }
}
