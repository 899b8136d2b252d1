import FoundationEssentials
internal import Glibc
import VoiceBase
import VoiceCore
import VoiceWyoming

/// The recogniser's texts, requested once and kept in a file, so that a second run needs no server and gives the same
/// result.
final class TurnTexts {
    private static let limit = Duration.seconds(60)
    /// A server that is starved of its processor, or has lost a connection, is asked again so often.
    private static let attempts = 10

    private let address: WyomingAddress?
    private let path: String
    private var known: [String: String] = [:]

    /// - Parameters:
    ///   - recogniser: host:port; nil if only the file is used.
    ///   - path: a JSON object with the texts.
    init(recogniser: String?, path: String) throws {
        address = try recogniser.map { try WyomingAddress($0, key: "--recogniser") }
        self.path = path
        if let bytes = try? Data(contentsOf: URL(filePath: path)) {
            guard let texts = OutsideJSON.decode([String: String].self, from: bytes, atMost: 16 << 20) else {
                throw BenchProblem("\(path) holds no texts")
            }
            known = texts
        }
    }

    /// - Parameters:
    ///   - words: a key for the words in the sound.
    ///   - sound: returns the audio at 16 kHz.
    func text(of words: String, _ sound: () -> [Int16]) async throws -> String {
        if let text = known[words] { return text }
        guard let address else { throw BenchProblem("\(path) knows no text for \"\(words)\"; name a --recogniser") }
        let sound = sound()
        var problem = BenchProblem("")
        for attempt in 1...Self.attempts {
            do throws(BenchProblem) {
                let text = try await Self.recognise(sound, at: address)
                known[words] = text
                return text
            } catch {
                problem = error
                var line = "turns: \(error); attempt \(attempt) of \(Self.attempts)\n"
                line.withUTF8 { _ = Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
                try? await Task.sleep(for: .seconds(1))
            }
        }
        // What is known is not recognised again.
        try write()
        throw problem
    }

    func write() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(known).write(to: URL(filePath: path))
    }

    private static func recognise(
        _ sound: [Int16],
        at address: WyomingAddress
    ) async throws(BenchProblem) -> String {
        let result = Promise<Result<String, BenchProblem>>()
        let sockets = WyomingSockets { _, event in
            switch event {
            case .message(.transcript(let text, _)): result.give(.success(text))
            case .message(.error(let text, _)): result.give(.failure(BenchProblem(text)))
            case .ended(let end): result.give(.failure(BenchProblem(end.description)))
            case .opened, .message: break
            }
        }
        guard sockets.start() else { throw BenchProblem("no thread can be started") }
        defer { sockets.stop() }
        sockets.open(1, to: address, allowsPublic: false, within: .seconds(5))
        sockets.send(.transcribe(language: "en"), on: 1)
        sockets.send(.audioStart(.microphone), on: 1)
        // Chunks of a tenth of a second.
        for request in WyomingRequest.sound(sound, chunk: 1600) { sockets.send(request, on: 1) }
        sockets.send(.audioStop(timestamp: sound.count / 16), on: 1)
        let text = await TimeLimit.run(limit) { await result.wait() }
        result.give(.failure(BenchProblem("late")))
        guard let text else { throw BenchProblem("the recogniser says nothing for a minute") }
        return try text.get().trimmingSpaces()
    }
}

extension String {
    fileprivate func trimmingSpaces() -> String {
        String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}
