internal import FoundationEssentials
internal import VoiceBase
internal import VoiceMedia

extension ControlCommand {
    static let media = ControlCommand(
        "media",
        arguments: [
            ControlArgument(
                "action",
                .choice(["status", "play", "enqueue"] + MediaOrder.allCases.map(\.rawValue)),
                isOptional: true,
                "what to do; default: status"
            ),
            ControlArgument(
                "what",
                .text(longest: 2000),
                isOptional: true,
                completes: ("action", ["play", "enqueue"]),
                "for play and enqueue: an address, the name of a radio station, or a handle such as media-1"
            ),
        ],
        "Music, radio and podcasts. Shows what plays."
    ) { (arguments, daemon) throws(ControlProblem) in
        let (what, player) = (arguments["what"] ?? "", daemon.media)
        let snapshot: MediaSnapshot
        do throws(MediaProblem) {
            switch arguments["action"] {
            case "play": snapshot = try await player.play(address: what, title: "", kind: nil)
            case "enqueue": snapshot = try await player.enqueue(address: what, title: "")
            case let action:
                let order = action.flatMap(MediaOrder.init)
                snapshot = if let order { await player.perform(order) } else { await player.snapshot() }
            }
        } catch {
            throw ControlProblem(.notAvailable, "\(error)")
        }
        if let problem = snapshot.problem { throw ControlProblem(.notAvailable, problem) }
        return .done(json(snapshot))
    }

    private static func json(_ snapshot: MediaSnapshot) -> [String: JSONValue] {
        let encoded = (try? JSONEncoder().encode(snapshot)).flatMap { ControlMessage.parse($0) }
        var result: [String: JSONValue] = [:]
        if case .object(let values) = encoded {
            result = values
        } else {
            result["problem"] = "the state of the media player cannot be written as JSON"
        }
        result["text"] = .string(
            [snapshot.status.rawValue, snapshot.what, snapshot.song].compactMap { $0 }.joined(separator: ": ")
        )
        return result
    }
}
