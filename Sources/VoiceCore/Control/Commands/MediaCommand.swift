internal import FoundationEssentials
internal import VoiceBase
internal import VoiceMedia

extension ControlCommand {
    static let media = ControlCommand(
        "media",
        arguments: [
            ControlArgument(
                "action",
                .choice(MediaAction.allCases.map(\.rawValue)),
                isOptional: true,
                "what to do; default: status"
            ),
            ControlArgument(
                "what",
                .text(longest: 2000),
                isOptional: true,
                "for play and enqueue: an address, the name of a radio station, or a handle such as media-1"
            ),
        ],
        "Music, radio and podcasts. Shows what plays."
    ) { (arguments, daemon) throws(ControlProblem) in
        let action = arguments["action"].flatMap(MediaAction.init) ?? .status
        let snapshot: MediaSnapshot
        do throws(MediaProblem) {
            snapshot = try await action.perform(arguments["what"] ?? "", on: daemon.media)
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
        result["text"] = .string([snapshot.status.rawValue, snapshot.what].compactMap { $0 }.joined(separator: ": "))
        return result
    }
}

/// Actions of the `media` command.
private enum MediaAction: String, CaseIterable {
    case status, play, enqueue, pause, resume, skip, previous, stop, clear

    func perform(_ what: String, on player: any MediaControls) async throws(MediaProblem) -> MediaSnapshot {
        switch self {
        case .status: await player.snapshot()
        case .play: try await player.play(address: what, title: "", kind: nil)
        case .enqueue: try await player.enqueue(address: what, title: "")
        case .pause: await player.pause()
        case .resume: await player.resume()
        case .skip: await player.skip()
        case .previous: await player.previous()
        case .stop: await player.stop(after: nil)
        case .clear: await player.clearQueue()
        }
    }
}
