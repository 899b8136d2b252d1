internal import NIOCore
internal import VoiceBase

/// A report about the daemon.
enum StatusLook {
    /// The daemon is there; its status follows.
    case came
    /// A line, as received, with the whole status after it.
    ///
    /// - Parameter changed: the members that the line has; nil for a snapshot.
    case line(ByteBuffer, changed: JSONValue?, values: [String: JSONValue])
    /// The daemon is gone. Repeated every second while it is.
    case gone
}

/// A part that follows the daemon, on the event loop.
protocol StatusObserver: AnyObject {
    func see(_ look: StatusLook)
}

/// The metrics, which learn from every line.
final class MeasuredStatus: StatusObserver {
    var metrics = BridgeMetrics()

    func see(_ look: StatusLook) {
        switch look {
        case .came: metrics.connections += 1
        case .line(_, let changed, let values):
            // A snapshot, or a list with possibly new entries.
            guard changed.map({ ($0["turn_list"] ?? $0["wake_list"]) != nil }) ?? true else { return }
            metrics.learn(values)
        case .gone: break
        }
    }
}

/// A browser that follows the status.
protocol Tab: AnyObject {
    /// Sends bytes of the event stream, or notes that a change was missed if the browser does not read.
    func send(_ event: ByteBuffer)
    /// The browser has signed out.
    func end()
}

/// The browsers that follow the status, each of which gets every line.
final class Tabs: StatusObserver {
    /// Most tabs; another is refused.
    private static let most = 64

    private var tabs: [ObjectIdentifier: (tab: any Tab, session: String)] = [:]

    var count: Int { tabs.count }

    /// Returns false if there are too many.
    func open(_ tab: any Tab, session: String) -> Bool {
        guard tabs.count < Self.most else { return false }
        tabs[ObjectIdentifier(tab)] = (tab, session)
        return true
    }

    /// Returns false if the tab was not open.
    func close(_ tab: any Tab) -> Bool { tabs.removeValue(forKey: ObjectIdentifier(tab)) != nil }

    /// Ends the tabs of a browser that has signed out.
    func end(session ended: String) {
        for (tab, session) in tabs.values where session == ended { tab.end() }
    }

    func see(_ look: StatusLook) {
        let event: ByteBuffer =
            switch look {
            case .came: Self.event(["event": "bridge", "connected": true])
            case .line(let bytes, _, _): Self.event(bytes)
            // Repeated while the daemon is gone, so that browsers hear something, and lost browsers are noticed.
            case .gone: Self.event(Self.away)
            }
        for (tab, _) in tabs.values { tab.send(event) }
    }

    /// The message that a tab gets in place of a status.
    static let away: JSONValue = ["event": "bridge", "connected": false]

    static func event(_ value: JSONValue) -> ByteBuffer { event(ByteBuffer(string: value.line)) }

    private static func event(_ line: ByteBuffer) -> ByteBuffer {
        var buffer = ByteBuffer(string: "data: ")
        buffer.writeImmutableBuffer(line)
        buffer.writeStaticString("\n\n")
        return buffer
    }
}
