internal import FoundationEssentials
internal import VoiceBase
internal import VoiceMedia
internal import VoiceNetwork

extension ControlCommand {
    static let media = ControlCommand(
        "media",
        arguments: [
            ControlArgument(
                "home", .text(longest: 45), isOption: true,
                "for play, enqueue and interject: the numeric address of a home that has shown its key to jarvis-bridge, which "
                    + "may be in a private network"
            ),
            ControlArgument(
                "action",
                .choice(
                    ["status", "play", "enqueue", "interject", "seek", "remove"] + MediaOrder.allCases.map(\.rawValue)
                ),
                isOptional: true, "what to do; default: status"
            ),
            ControlArgument(
                "what",
                .text(longest: 2000),
                isOptional: true,
                completes: ("action", ["play", "enqueue", "interject", "seek", "remove"]),
                "for play and enqueue: an address, the name of a radio station, or a handle such as media-1; for interject: "
                    + "addresses, which play one after the other, before what they interrupt continues; for seek: a place "
                    + "(1:30) or a step (+30, -10); for remove: the number of what waits, from 1, and to be sure its title"
            ),
        ],
        "Music, radio and podcasts. Shows what plays."
    ) { (arguments, daemon) throws(ControlProblem) in
        let (what, player) = (arguments["what"] ?? "", daemon.media)
        let home = arguments["home"].flatMap { NetworkAddress(text: $0) }
        if arguments["home"] != nil, home == nil { throw ControlProblem(.badArgument, "home is a numeric address") }
        let snapshot: MediaSnapshot
        do throws(MediaProblem) {
            switch arguments["action"] {
            case "play": snapshot = try await player.play(address: what, title: "", kind: nil, home: home)
            case "enqueue": snapshot = try await player.enqueue(address: what, title: "", home: home)
            case "interject":
                let addresses = what.split(separator: " ").map(String.init)
                guard !addresses.isEmpty else { throw MediaProblem.notAnAddress }
                snapshot = try await player.interject(addresses: addresses, title: "announcement", home: home)
            case "seek":
                guard let place = MediaPlace(what) else {
                    throw MediaProblem.failed("say where to: 1:30, 90, +30 or -10")
                }
                snapshot = try await player.seek { place.second(from: $0) }
            case "remove":
                let words = what.split(separator: " ", maxSplits: 1)
                guard let number = words.first.flatMap({ Int($0) }) else {
                    throw MediaProblem.failed("say which: the number of what waits, from 1")
                }
                snapshot = try await player.remove(number, named: words.count > 1 ? String(words[1]) : nil)
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

/// A place in what plays: "90", "1:30", "1:02:30"; or a step from the present one: "+30", "-10".
struct MediaPlace: Equatable {
    private let seconds: Double
    private let isStep: Bool

    init?(_ text: String) {
        let sign = text.hasPrefix("-") ? -1.0 : 1
        isStep = text.hasPrefix("+") || text.hasPrefix("-")
        let parts = text.dropFirst(isStep ? 1 : 0).split(separator: ":", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { part in part.allSatisfy(\.isASCII) ? UInt16(part).map(Double.init) : nil }
        guard 1...3 ~= parts.count, numbers.count == parts.count, numbers.dropFirst().allSatisfy({ $0 < 60 }) else {
            return nil
        }
        seconds = sign * numbers.reduce(0) { 60 * $0 + $1 }
    }

    func second(from present: Double) -> Double { max(0, isStep ? present + seconds : seconds) }
}
