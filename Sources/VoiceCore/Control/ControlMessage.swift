package import VoiceBase

/// The protocol of the control socket: one JSON object per line, in both directions.
///
///     server   {"hello":"jarvis-voiced","protocol":2,"version":"0.1.0"}
///     client   {"id":1,"command":"volume","arguments":{"percent":"40"}}
///     server   {"id":1,"ok":true,"result":{...}}
///     server   {"id":2,"ok":false,"error":{"code":"bad_argument","message":"..."}}
package enum ControlMessage {
    package static let version = 2
    /// The oldest version that requests may ask for.
    static let oldest = 1
    /// Maximum length of a request in bytes, without the line feed.
    package static let longestRequest = 16 << 10
    /// Maximum length of a line that is parsed, in bytes; replies may be longer than requests.
    package static let longestLine = 4 << 20

    package static func hello(version program: String) -> JSONValue {
        ["hello": "jarvis-voiced", "protocol": .integer(version), "version": .string(program)]
    }

    package static func reply(id: JSONValue, _ outcome: Result<JSONValue, ControlProblem>) -> JSONValue {
        var reply: [String: JSONValue] = [:]
        if id != .null { reply["id"] = id }
        switch outcome {
        case .success(let result):
            reply["ok"] = true
            reply["result"] = result
        case .failure(let problem):
            reply["ok"] = false
            var error: [String: JSONValue] = [
                "code": .string(problem.code.rawValue), "message": .string(problem.message),
            ]
            if let cause = problem.cause { error["cause"] = .string(cause.rawValue) }
            reply["error"] = .object(error)
        }
        return .object(reply)
    }

    /// A part of the answer to a typed question; nil for its end.
    static func answer(_ text: String?) -> JSONValue {
        text.map { ["event": "answer", "text": .string($0)] } ?? ["event": "answer", "done": true]
    }

    package static func event(_ event: DaemonEvent) -> JSONValue {
        var values = event.values
        values["event"] = .string(event.name.rawValue)
        return .object(values)
    }

    /// The value as one line of JSON, with its line feed. Hidden characters are escaped, as clients print what they receive.
    package static func line(_ value: JSONValue) -> [UInt8] { Array(value.line.utf8) + [0x0A] }

    /// nil if the bytes are not JSON or are nested too deeply.
    package static func parse(_ line: some Collection<UInt8>) -> JSONValue? {
        OutsideJSON.decode(JSONValue.self, from: line, atMost: longestLine)
    }
}

/// A client's request.
package struct ControlRequest: Sendable, Equatable {
    /// Repeated in the reply: an integer, a text, or null for none.
    package var id: JSONValue
    package var command: String
    package var arguments: [String: JSONValue]
    /// It came over the network, through a program on this machine: that it is root's program gives it no rights.
    package var isRemote = false

    package init(id: JSONValue = .null, command: String, arguments: [String: JSONValue] = [:]) {
        self.id = id
        self.command = command
        self.arguments = arguments
    }

    /// - Throws: the problem, with the id if it could be read.
    package init(line: some Collection<UInt8>) throws(Refusal) {
        guard String(validating: line, as: UTF8.self) != nil else {
            throw Refusal(ControlProblem(.badRequest, "the request is not UTF-8"))
        }
        guard case .object(let members) = ControlMessage.parse(line) else {
            throw Refusal(ControlProblem(.badRequest, "a request is one JSON object on one line"))
        }
        switch members["id"] {
        case nil, .null: id = .null
        case .integer(let number): id = .integer(number)
        case .string(let text) where text.utf8.count <= 128: id = .string(text)
        default: throw Refusal(ControlProblem(.badRequest, "id must be an integer or a text of at most 128 bytes"))
        }
        if let version = members["protocol"],
            !(ControlMessage.oldest...ControlMessage.version).contains(version.intValue ?? 0)
        {
            throw Refusal(
                ControlProblem(
                    .unsupportedProtocol,
                    "this daemon speaks versions \(ControlMessage.oldest) to \(ControlMessage.version)"
                ),
                id: id
            )
        }
        guard let command = members["command"]?.stringValue else {
            throw Refusal(ControlProblem(.badRequest, "command must be a text"), id: id)
        }
        self.command = command
        isRemote = members["remote"].map { $0 != false && $0 != .null } ?? false
        switch members["arguments"] {
        case nil, .null: arguments = [:]
        case .object(let values): arguments = values
        default: throw Refusal(ControlProblem(.badRequest, "arguments must be a JSON object"), id: id)
        }
    }

    package struct Refusal: Error, Sendable, Equatable {
        package let problem: ControlProblem
        package let id: JSONValue

        init(_ problem: ControlProblem, id: JSONValue = .null) {
            self.problem = problem
            self.id = id
        }
    }

    package var json: JSONValue {
        var members: [String: JSONValue] = [
            "command": .string(command), "arguments": .object(arguments), "protocol": .integer(ControlMessage.version),
        ]
        if id != .null { members["id"] = id }
        if isRemote { members["remote"] = true }
        return .object(members)
    }
}
