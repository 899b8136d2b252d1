package import VoiceBase

/// The browsers that have shown the token, each with its own value. A value; at most `most`: beyond that, the session
/// that was unused for longest is dropped.
///
/// No cookie: a browser sends those to every port of a host. The page keeps the value where only pages of its own origin can
/// read it, and here it counts for that host and port only.
package struct BridgeSessions: Sendable, Equatable {
    private struct Session: Sendable, Equatable {
        var value: String
        /// "host:port" that the browser asked for, in lower case.
        var host: String
        /// In Unix seconds.
        var since: Int
    }

    static let most = 256
    /// In seconds: a year.
    static let lifetime = 31_536_000

    /// Ordered by their last use, the latest at the end.
    private var sessions: [Session] = []

    package init() {}

    /// Reads what `text` wrote; lines that are not a session are left out.
    package init(parsing text: String) {
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count == 3, let since = Int(words[2]), BridgeSecrets.isToken(String(words[0])) else { continue }
            sessions.append(Session(value: String(words[0]), host: String(words[1]), since: since))
        }
        sessions = sessions.suffix(Self.most)
    }

    /// One line for each: value, host, beginning.
    package var text: String { sessions.map { "\($0.value) \($0.host) \($0.since)\n" }.joined() }

    package mutating func open(_ value: Secret, host: String, at now: Int) {
        sessions.append(Session(value: value.revealed, host: host, since: now))
        if sessions.count > Self.most { sessions.removeFirst() }
    }

    /// Whether the value was given to a browser at this host; it counts as used now.
    package mutating func accepts(_ value: String, host: String, at now: Int) -> Bool {
        guard let index = index(of: value), sessions[index].host == host, now < sessions[index].since + Self.lifetime
        else {
            return false
        }
        sessions.append(sessions.remove(at: index))
        return true
    }

    /// Returns whether there was such a session.
    @discardableResult package mutating func close(_ value: String) -> Bool {
        guard let index = index(of: value) else { return false }
        sessions.remove(at: index)
        return true
    }

    private func index(of value: String) -> Int? { sessions.firstIndex { BridgeGate.isEqual($0.value, value) } }
}
