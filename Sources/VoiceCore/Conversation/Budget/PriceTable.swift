internal import VoiceBase

/// Prices of a model, in US dollars.
package struct PriceTable: Equatable, Sendable {
    /// Per million tokens.
    package var audioIn = 0.0
    package var cachedAudioIn = 0.0
    package var audioOut = 0.0
    package var textIn = 0.0
    package var cachedTextIn = 0.0
    package var textOut = 0.0
    /// Per minute of an open session, for services that charge by time.
    package var sessionMinute = 0.0
    /// Per minute of transcribed user speech.
    package var transcriptionMinute = 0.0
    /// Whether the model is unknown, so that these are the highest known prices.
    package private(set) var isAssumed = false

    package init() {}

    private init(_ audio: (Double, Double, Double), text: (Double, Double, Double)) {
        (audioIn, cachedAudioIn, audioOut) = audio
        (textIn, cachedTextIn, textOut) = text
    }

    private static let full = PriceTable((32, 0.4, 64), text: (4, 0.4, 24))
    private static let mini = PriceTable((10, 0.3, 20), text: (0.6, 0.06, 2.4))

    /// Published prices of 2026-08, by model name prefix.
    private static let known: [(prefix: String, table: PriceTable)] = [
        ("gpt-realtime-2.1-mini", mini), ("gpt-realtime-mini", mini), ("gpt-realtime-2", full),
        ("gpt-realtime-1.5", PriceTable((32, 0.4, 64), text: (4, 0.4, 16))),
        ("gpt-realtime", PriceTable((32, 0.4, 64), text: (4, 0.4, 16))),
    ]

    /// Returns the published prices of a model; nil if it is not in the table.
    package static func published(model: String) -> PriceTable? {
        // Only a version or a date may follow the prefix: "gpt-realtime-2025-08-28" is not a "gpt-realtime-2".
        known.filter { model.hasPrefix($0.prefix) && ["-", ".", nil].contains(model.dropFirst($0.prefix.count).first) }
            .max { $0.prefix.count < $1.prefix.count }?.table
    }

    /// Assumed prices of an unknown model: the dearest known ones.
    package static let dearest = full

    /// The published prices of a service: per token, per minute, or none for the user's own.
    package init(_ charge: ServiceCharge, model: String) {
        switch charge {
        case .tokens:
            let published = Self.published(model: model)
            self = published ?? Self.dearest
            isAssumed = published == nil
            transcriptionMinute = 0.0045
        case .time: sessionMinute = 0.05
        case .nothing: break
        }
    }

    /// Cost in millionths of a dollar, rounded up. Cached tokens are part of the input.
    package func cost(of usage: Usage) -> Int {
        let audio = Double(usage.audioIn - usage.cachedAudioIn) * audioIn + Double(usage.cachedAudioIn) * cachedAudioIn
        let text = Double(usage.textIn - usage.cachedTextIn) * textIn + Double(usage.cachedTextIn) * cachedTextIn
        let out = Double(usage.audioOut) * audioOut + Double(usage.textOut) * textOut
        return Self.micros(audio + text + out)
    }

    /// Cost in millionths of a dollar, rounded up. User audio is 10 tokens per second.
    package func cost(of usage: TranscriptionUsage) -> Int {
        let seconds =
            switch usage {
            case .seconds(let seconds): seconds
            case .tokens(let audioIn, _, _): Double(audioIn) / 10
            }
        return Self.micros(seconds / 60 * transcriptionMinute * 1e6)
    }

    /// Cost in millionths of a dollar, not rounded because it is added up in small pieces.
    func cost(ofSession time: Duration) -> Double {
        time.fractionalMilliseconds / 60_000 * sessionMinute * 1e6
    }

    private static func micros(_ value: Double) -> Int {
        // With the arguments in this order, `max` turns NaN into 0.
        Int(min(max(0, value), 1e12).rounded(.up))
    }
}
