import FoundationEssentials
import Glibc

@testable import TestSupport
@testable import VoiceAgent
@testable import VoiceBase
@testable import VoiceNetwork

/// The real agent server with a scripted model: the rig `term-llm` of the shared folder, in a separate process.
///
/// Ends with the last reference to it. The binary is unpacked once, below `.build`.
final class RealAgent {
    private static let program = "\(SharedFiles.root)/rig/term-llm/serve"

    /// False if the rig is missing or cannot run: the packed server is for x86-64.
    static let isAtHand: Bool = {
        #if arch(x86_64)
        let isThere = access(program, X_OK) == 0
        #else
        let isThere = false
        #endif
        if !isThere {
            print("SKIPPED: the tests against the real agent server need \(program) (VOICE_SHARED) and x86-64")
        }
        return isThere
    }()

    struct Problem: Error, CustomStringConvertible {
        var description: String
    }

    struct Facts: Decodable {
        var url: String
        var token: String
        var dir: String
        var effects: String
        var model_log: String
    }

    let facts: Facts
    private let child: pid_t
    /// Carries orders to the rig and its lines back.
    private let pipe: Int32

    /// - Parameter options: options of the rig.
    init(_ options: [String] = []) throws {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw Problem(description: "no pipe: errno \(errno)")
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor: Int32 in [0, 1] { posix_spawn_file_actions_adddup2(&actions, ends[1], descriptor) }
        var variables = ProcessInfo.processInfo.environment
        if variables["TERM_LLM_HOME"] == nil { variables["TERM_LLM_HOME"] = ".build/term-llm" }
        var argv: [UnsafeMutablePointer<CChar>?] = ([Self.program] + options).map { strdup($0) } + [nil]
        var envp: [UnsafeMutablePointer<CChar>?] = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for pointer in argv + envp { free(pointer) } }
        var child: pid_t = 0
        let problem = posix_spawn(&child, Self.program, &actions, nil, &argv, &envp)
        close(ends[1])
        guard problem == 0 else {
            close(ends[0])
            throw Problem(description: "\(Self.program) does not start: errno \(problem)")
        }
        let line = Self.line(from: ends[0])
        guard let facts = try? JSONDecoder().decode(Facts.self, from: Data(line.utf8)) else {
            kill(child, SIGTERM)
            waitpid(child, nil, 0)
            close(ends[0])
            throw Problem(description: "\(Self.program) says: \(line)")
        }
        self.facts = facts
        self.child = child
        pipe = ends[0]
    }

    deinit {
        kill(child, SIGTERM)
        close(pipe)
        waitpid(child, nil, 0)
    }

    /// Gives an order to the rig ("kill", "start", "effects") and returns its answer.
    @discardableResult
    func order(_ words: String) throws -> String {
        let line = Array((words + "\n").utf8)
        guard write(pipe, line, line.count) == line.count else { throw Problem(description: "the rig has ended") }
        let answer = Self.line(from: pipe)
        if answer.isEmpty || answer.hasPrefix("error") { throw Problem(description: "\(words): \(answer)") }
        return answer
    }

    /// Number of tool executions with an effect.
    var effects: Int {
        get throws { Int(try order("effects")) ?? -1 }
    }

    /// Restarts the server with these additional lines in the agent's agent.yaml.
    func restart(with lines: String) throws {
        try order("kill")
        let own = "name: jarvis\ndescription: the agent of the house\ntools:\n  enabled: [shell]\n"
        let file = facts.dir + "/../config/term-llm/agents/jarvis/agent.yaml"
        try Data((own + lines).utf8).write(to: URL(filePath: file))
        try order("start")
    }

    /// The requests to the model: the texts of their messages.
    func modelRequests() throws -> [[String]] {
        let log = String(decoding: try Data(contentsOf: URL(filePath: facts.model_log)), as: UTF8.self)
        return log.split(separator: "\n").compactMap { line in
            guard let entry = try? JSONDecoder().decode(JSONValue.self, from: Data(line.utf8)),
                entry["event"]?.stringValue == "request", case .array(let messages)? = entry["messages"]
            else { return nil }
            return messages.map { message in
                if case .array(let parts)? = message["content"] {
                    return parts.compactMap { $0["text"]?.stringValue }.joined()
                }
                return message["content"]?.stringValue ?? ""
            }
        }
    }

    /// Makes a client of this server over a network thread.
    func client(
        _ api: Configuration.Jarvis.API,
        on network: NetworkThread,
        store: JarvisSessionStore = .none,
        log: LineLog = LineLog()
    ) throws -> JarvisClient {
        guard let base = ServerURL(facts.url) else { throw Problem(description: "no address: \(facts.url)") }
        var settings = Configuration().jarvis
        settings.api = api
        return JarvisClient(
            base: base, token: Secret(facts.token), settings: settings, transport: network, store: store,
            logger: log.logger
        )
    }

    private static func line(from descriptor: Int32) -> String {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while true {
            let count = read(descriptor, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1, byte != UInt8(ascii: "\n") else { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(byte)
        }
    }
}
