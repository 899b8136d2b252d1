internal import Glibc
internal import Synchronization
internal import VoiceBase

/// Runs a model in a separate process first, as a broken or malicious file could crash this one.
package struct ModelTrial: Sendable {
    /// The program's subcommand that tries a model.
    package static let command = ["wake", "try"]
    private static let limit = Duration.seconds(5)

    private let tries: @Sendable (_ library: String, _ model: String) throws(WakeWordError) -> Void

    /// No trial, for known models.
    package static let none = ModelTrial { (_, _) throws(WakeWordError) in }

    /// Runs this program itself as a child process. Other programs, which lack the subcommand, try nothing.
    ///
    /// - Parameter isEnding: whether the program is exiting, which ends a trial early.
    package static func child(isEnding: @escaping @Sendable () -> Bool = { false }) -> ModelTrial {
        ModelTrial { (library, model) throws(WakeWordError) in
            guard Self.isProgram else { return }
            try run("/proc/self/exe", command + [library, model], isEnding: isEnding)
        }
    }

    static func run(
        _ program: String,
        _ arguments: [String],
        within limit: Duration = limit,
        isEnding: () -> Bool
    ) throws(WakeWordError) {
        var errors = ErrorPipe(isOpen: true)
        let result = HookProcess.run(
            program, [], arguments: arguments, within: limit, isEnding: isEnding, errors: &errors
        )
        errors.drain()
        guard let problem = judge(result, reason: errors.reason) else { return }
        throw problem
    }

    /// The same trial, which runs each file once and remembers the result: for one round of checks.
    package func once() -> ModelTrial {
        let known = Memory()
        return ModelTrial { (library, model) throws(WakeWordError) in
            let key = [library, model]
            var result = known.results.withLock { $0[key] }
            if result == nil {
                do throws(WakeWordError) {
                    try tries(library, model)
                    result = .some(nil)
                } catch {
                    result = .some(error)
                }
                known.results.withLock { [result] in $0[key] = result }
            }
            if let problem = result ?? nil { throw problem }
        }
    }

    private final class Memory: Sendable {
        let results = Mutex<[[String]: WakeWordError?]>([:])
    }

    package init(_ tries: @escaping @Sendable (String, String) throws(WakeWordError) -> Void) {
        self.tries = tries
    }

    func run(library: String, model: String) throws(WakeWordError) {
        try tries(library, model)
    }

    /// The child ends with the exit code of its `WakeWordError`.
    ///
    /// - Parameter reason: the last error message of the child.
    static func judge(_ result: HookProcess.Result, reason: String? = nil) -> WakeWordError? {
        switch result {
        case .ended(0): nil
        // The system's own signal, when memory runs out.
        case .ended(128 + SIGKILL): WakeWordError("was killed in its trial: memory may be short", cause: .transient)
        case .ended(let status) where status > 128:
            WakeWordError("ends the program that runs it (signal \(status - 128)), so it is not run here")
        case .ended(ExitCode.unavailable.rawValue):
            WakeWordError(withoutName(reason) ?? "the library of TensorFlow Lite cannot be used", cause: .library)
        case .ended(let status): WakeWordError("cannot be run: \(withoutName(reason) ?? "status \(status)")")
        case .tookTooLong: WakeWordError("holds up the program that runs it, so it is not run here", cause: .timedOut)
        case .notStarted(let code):
            WakeWordError(
                "could not be tried: \(String(cString: strerror(code)))",
                cause: [EAGAIN, ENOMEM, EMFILE, ENFILE].contains(code) ? .transient : .other
            )
        }
    }

    private static func withoutName(_ reason: String?) -> String? {
        let name = "jarvis-voiced: "
        return reason.map { $0.hasPrefix(name) ? String($0.dropFirst(name.count)) : $0 }
    }

    /// The child's part: loads a model and runs it over a second of silence.
    package static func runHere(library: String, model: String) throws(WakeWordError) {
        let bytes: [UInt8]
        do { bytes = try FileReader.system.read(model, 4 << 20).bytes } catch { throw WakeWordError("\(error)") }
        let interpreter = try TFLiteInterpreter(library: library, model: bytes)
        try MicroWakeWordModel.check(interpreter.input, interpreter.output)
        let input = [Int8](repeating: -128, count: interpreter.input.bytes)
        var output: [UInt8] = [0]
        for _ in 0..<34 {
            let isRun = input.withUnsafeBytes { input in
                output.withUnsafeMutableBytes { interpreter.run(input, into: $0) }
            }
            guard isRun else { throw WakeWordError("the model fails") }
        }
        guard interpreter.restart() else { throw WakeWordError("the model does not start again") }
    }

    private static var isProgram: Bool {
        var path = [CChar](repeating: 0, count: 4096)
        let length = readlink("/proc/self/exe", &path, path.count)
        guard length > 0 else { return false }
        let name = path[..<length].map { UInt8(bitPattern: $0) }.split(separator: UInt8(ascii: "/")).last
        return name.map { String(decoding: $0, as: UTF8.self) }?.hasPrefix("jarvis-voiced") == true
    }
}

extension WakeModelFolder {
    /// Tries a word's model; returns why it does not work, nil if it does.
    package func problem(of word: String, trial: ModelTrial = .child()) -> WakeWordError? {
        do throws(WakeWordError) {
            let (manifest, _) = try model(of: word)
            try trial.run(library: library, model: path + "/" + manifest.model)
            return nil
        } catch {
            return error
        }
    }
}
