/// One event of an event stream.
package struct ServerSentEvent: Sendable, Equatable {
    /// The last `id` the server sent up to this event; empty if there was none.
    package var id: String = ""
    /// The event type; "message" unless the server named it.
    package var name: String = "message"
    /// The data lines, joined by line feeds.
    package var data: String
}

/// Parses an event stream in pieces of any size (WHATWG HTML, section 9.2.6).
///
/// A line ends with LF, CR or both; an empty line ends an event. An event cut off by the end of the stream is dropped, as
/// is one without data. Comments are only counted: servers send them as a heartbeat.
package struct ServerSentEventParser: Sendable {
    package struct Limits: Sendable, Equatable {
        package var lineBytes = 1 << 20
        /// Limit for all data of one event.
        package var eventBytes = 4 << 20

        package init(lineBytes: Int = 1 << 20, eventBytes: Int = 4 << 20) {
            self.lineBytes = lineBytes
            self.eventBytes = eventBytes
        }
    }

    /// A line or an event exceeded its limit. Nothing is read after it.
    package struct TooLong: Error, Sendable, Equatable {}

    package private(set) var lastEventID = ""

    private let limits: Limits
    private var line: [UInt8] = []
    private var name = ""
    private var data: [UInt8] = []
    private var hasData = false
    private var isFirstLine = true
    private var skipsLineFeed = false
    private var hasFailed = false

    package init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// Takes the next bytes and returns the events they complete.
    package mutating func feed(_ bytes: some Sequence<UInt8>) throws(TooLong) -> [ServerSentEvent] {
        guard !hasFailed else { throw TooLong() }
        var events: [ServerSentEvent] = []
        for byte in bytes {
            if skipsLineFeed {
                skipsLineFeed = false
                if byte == UInt8(ascii: "\n") { continue }
            }
            guard byte != UInt8(ascii: "\n"), byte != UInt8(ascii: "\r") else {
                skipsLineFeed = byte == UInt8(ascii: "\r")
                if let event = try endLine() { events.append(event) }
                continue
            }
            guard line.count < limits.lineBytes else { throw fail() }
            line.append(byte)
        }
        return events
    }

    private mutating func endLine() throws(TooLong) -> ServerSentEvent? {
        defer { line.removeAll(keepingCapacity: line.capacity <= 64 << 10) }
        var text = line[...]
        if isFirstLine, text.starts(with: [0xEF, 0xBB, 0xBF]) { text = text.dropFirst(3) }
        isFirstLine = false
        guard !text.isEmpty else { return dispatch() }
        // A comment.
        guard text.first != UInt8(ascii: ":") else { return nil }
        let field = text.prefix { $0 != UInt8(ascii: ":") }
        var value = text.dropFirst(field.count + 1)
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        switch String(decoding: field, as: UTF8.self) {
        case "data":
            guard data.count + value.count < limits.eventBytes else { throw fail() }
            if hasData { data.append(UInt8(ascii: "\n")) }
            data.append(contentsOf: value)
            hasData = true
        case "event": name = String(decoding: value, as: UTF8.self)
        case "id":
            if !value.contains(0) { lastEventID = String(decoding: value, as: UTF8.self) }
        default: break
        }
        return nil
    }

    private mutating func dispatch() -> ServerSentEvent? {
        defer {
            name = ""
            data = []
            hasData = false
        }
        // An event whose data is the empty string is dropped too.
        guard hasData, !data.isEmpty else { return nil }
        let kind = name.isEmpty ? "message" : name
        return ServerSentEvent(id: lastEventID, name: kind, data: String(decoding: data, as: UTF8.self))
    }

    private mutating func fail() -> TooLong {
        hasFailed = true
        line = []
        data = []
        return TooLong()
    }
}
