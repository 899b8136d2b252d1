internal import NIOCore
internal import VoiceBase

/// Connects the daemon's conversations to Home Assistant's pipeline: carries out what `NativePipeline` decides. Lives
/// on the event loop.
final class NativeAssist {
    private let loop: any EventLoop
    private let socket: String
    /// Set by the server, which owns it.
    weak var server: NativeServer?
    private var pipeline = NativePipeline()
    private var lines: DaemonLines?
    /// How often the daemon was followed.
    private var followed = 0

    init(loop: any EventLoop, socket: String) { (self.loop, self.socket) = (loop, socket) }

    func wanted(_ isWanted: Bool) { handle(.wanted(isWanted)) }

    func left(_ connection: NativeConnection) { handle(.left(ObjectIdentifier(connection))) }

    func hear(_ message: NativeMessage, from connection: NativeConnection) {
        guard let kind = message.kind, let fields = message.fields else { return }
        let owner = ObjectIdentifier(connection)
        handle(kind == .subscribeAssistant ? .subscribed(owner, fields.flag(1)) : .message(owner, kind, fields))
    }

    func ask(from connection: NativeConnection, isDone: Bool) {
        handle(.question(ObjectIdentifier(connection), isDone: isDone))
    }

    private func handle(_ event: NativePipeline.Event) {
        guard server?.arePaired == true else { return }
        for effect in pipeline.handle(event) {
            switch effect {
            case .send(let owner, let message): server?.connection(owner)?.tell(message)
            case .tell(let run, let news, let text): lines?.send(Self.request(news, run: run, text))
            case .follow: follow()
            case .unfollow:
                let left = lines
                lines = nil
                left?.leave()
            case .wait:
                let bound = NIOLoopBound(self, eventLoop: loop)
                let pause = TimeAmount.milliseconds(Int64(NativePipeline.pause.wholeMilliseconds))
                loop.scheduleTask(in: pause) { bound.value.handle(.retry) }
            case .ask:
                HouseOrder("assist", ["action": "ask"]).give(socket, on: loop, isOwn: true) { [self] _, problem in
                    handle(.asked(problem: problem))
                }
            case .log(let line): server?.note(line)
            }
        }
    }

    private static func request(_ action: String, run: Int? = nil, _ text: String = "") -> JSONValue {
        var arguments: [String: JSONValue] = ["action": .string(action)]
        if let run { arguments["run"] = .integer(run) }
        if !text.isEmpty { arguments["text"] = .string(text) }
        return ["command": "assist", "arguments": .object(arguments)]
    }

    // MARK: - The daemon

    private func follow() {
        // Numbers the followers, so that a late line of an earlier one is ignored.
        followed += 1
        let number = followed
        lines = DaemonLines.open(
            socket,
            on: loop,
            sending: Self.request("follow"),
            patience: .seconds(10),
            mayBeSilent: true,
            onLine: { [self] line, _ in
                guard followed == number, lines != nil else { return "it is not wanted any more" }
                if line["event"] == "assist", line["do"] == "leave" { return "another program follows" }
                if let order = NativePipeline.Order(line) { handle(.order(order)) }
                // A refusal with "not_available" is about news of a run that is over, and is expected.
                guard line["ok"] == false, line["error"]?["code"]?.stringValue != "not_available" else { return nil }
                return line["error"]?["message"]?.stringValue ?? "the daemon refuses"
            },
            onEnd: { [self] _ in
                guard followed == number, lines != nil else { return }
                lines = nil
                handle(.unfollowed)
            }
        )
    }

}

extension NativePipeline.Order {
    /// nil for a line that is not an order.
    init?(_ line: JSONValue) {
        guard line["event"] == "assist", let run = line["run"]?.bounded else { return nil }
        switch line["do"]?.stringValue {
        case "start": self = .start(run: run, word: line["word"]?.stringValue ?? "")
        case "sound":
            var text = line["data"]?.stringValue ?? ""
            guard let bytes = text.withUTF8({ Base64.bytes(UnsafeRawBufferPointer($0)) }) else { return nil }
            self = .sound(run: run, bytes)
        case "sound_ends": self = .soundEnds(run: run)
        case "stop": self = .stop(run: run)
        case "played": self = .played(run: run)
        default: return nil
        }
    }
}
