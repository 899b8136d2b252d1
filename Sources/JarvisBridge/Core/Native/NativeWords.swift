internal import VoiceBase

/// The wake words of the box as Home Assistant shows and chooses them. A value.
struct NativeWords: Equatable, Sendable {
    /// The name of the order that switches them.
    static let order = "words"

    /// In plain form.
    var all: [String] = []
    var off: Set<String> = []

    init() {}

    /// - Parameter values: of the daemon.
    init(_ values: [String: JSONValue]) {
        all = values["wake_words"].items.compactMap { $0.stringValue.map(Configuration.Word.plain) }
        off = Set(values["wake_words_off"].items.compactMap(\.stringValue))
    }

    var active: [String] { all.filter { !off.contains($0) } }

    static func id(_ word: String) -> String { String(word.map { $0 == " " ? "_" : $0 }) }

    /// The word as Home Assistant shows it, and as a run names it: "Hey Jarvis".
    static func shown(_ word: String) -> String {
        word.split(separator: " ").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined(separator: " ")
    }

    /// The answer to the question for the words.
    func message(active: [String]) -> NativeMessage {
        NativeMessage(
            .voiceConfigurationResponse,
            all.map { word in
                ProtoField(1, .message([ProtoField(1, .text(Self.id(word))), ProtoField(2, .text(Self.shown(word)))]))
            } + active.map { ProtoField(2, .text(Self.id($0))) } + [ProtoField(3, .number(UInt32(all.count)))]
        )
    }
}
