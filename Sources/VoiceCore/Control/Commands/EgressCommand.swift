internal import VoiceBase

extension ControlCommand {
    static let egress = ControlCommand(
        "egress",
        isQuestion: true,
        """
        How much microphone audio has left this machine today, since midnight: `text` is one line for people; \
        `seconds` and `bytes` in all, `by_opener` by what opened the conversation, and `conversations`; `incomplete` \
        if what left earlier today is unknown.
        """
    ) { (_, daemon) throws(ControlProblem) in
        .done(json(egress: daemon.egress.today, isIncomplete: daemon.egress.isIncomplete))
    }

    static func json(
        egress conversations: [EgressBook.Conversation],
        isIncomplete: Bool = false
    ) -> [String: JSONValue] {
        var openers: [String: (seconds: Double, bytes: Int)] = [:]
        for conversation in conversations {
            openers[conversation.opener, default: (0, 0)].seconds += conversation.seconds
            openers[conversation.opener, default: (0, 0)].bytes += conversation.bytes
        }
        let seconds = conversations.reduce(0) { $0 + $1.seconds }
        let bytes = conversations.reduce(0) { $0 + $1.bytes }
        let parts = openers.sorted { $0.key < $1.key }.map { "\(rounded($0.value.seconds)) s by \($0.key)" }
        var result: [String: JSONValue] = [
            "text": .string(
                "\(rounded(seconds)) s, \(bytes) bytes of microphone audio sent today"
                    + (parts.isEmpty ? "" : ": " + parts.joined(separator: ", "))
                    + (isIncomplete ? "; earlier today is unknown" : "")
            ),
            "seconds": .number(rounded(seconds)),
            "bytes": .integer(bytes),
            "by_opener": .object(
                openers.mapValues { .object(["seconds": .number(rounded($0.seconds)), "bytes": .integer($0.bytes)]) }
            ),
            "conversations": .array(
                conversations.map { conversation in
                    var entry: [String: JSONValue] = [
                        "opener": .string(conversation.opener), "seconds": .number(rounded(conversation.seconds)),
                        "bytes": .integer(conversation.bytes),
                    ]
                    if let began = conversation.began { entry["began"] = .integer(began) }
                    return .object(entry)
                }
            ),
        ]
        if isIncomplete { result["incomplete"] = true }
        return result
    }

    private static func rounded(_ seconds: Double) -> Double { (seconds * 10).rounded() / 10 }
}
