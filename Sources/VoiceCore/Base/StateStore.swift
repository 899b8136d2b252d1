internal import Glibc
package import Logging
internal import Synchronization

/// One small file of the state directory: read with care, written whole, and its troubles reported once.
///
/// What cannot be used is kept beside it as `NAME.damaged`, one copy, for thirty days. Of what is written the bytes are
/// remembered, so that nothing is written twice; what failed is tried again with the next `save`.
package final class StateStore: Sendable {
    /// What a start finds.
    package enum Found<Value> {
        /// There is none, or none any more.
        case absent
        case known(Value)
        /// - isAgain: another damaged file had been kept aside in the last thirty days.
        case damaged(isAgain: Bool)

        package var value: Value? { if case .known(let value) = self { value } else { nil } }
    }

    /// What each file of keys begins with. A version that means something else by a key of before counts on.
    package static let header = "# Written by jarvis-voiced.\nschema = \(schema)\n"
    private static let schema = 1
    /// How long a damaged file is kept, in seconds.
    static let keptFor = 30 * 86_400

    package let path: String
    private let limit: Int
    private let logger: Logger
    private let files: FileReader
    private let now: @Sendable () -> Int

    private struct State {
        var written: [UInt8]?
        var isFailing = false
    }
    /// Held while the file is written: writers follow each other, as they came.
    private let state = Mutex(State())

    /// - Parameters:
    ///   - limit: of the file, in bytes.
    ///   - now: Unix seconds.
    package init(
        _ path: String,
        limit: Int = 16 << 10,
        logger: Logger,
        files: FileReader = .system,
        now: @escaping @Sendable () -> Int = { Int(time(nil)) }
    ) {
        self.path = path
        self.limit = limit
        self.logger = logger
        self.files = files
        self.now = now
    }

    /// Reads the file at a start. What is no use is kept aside, and reported in one line.
    ///
    /// - Parameter lost: what that means for the user, given whether it is damaged again.
    package func load<Value>(
        _ parse: ([UInt8]) throws -> Value,
        lost: (_ isAgain: Bool) -> String
    ) -> Found<Value> {
        forgetOldDamage()
        do throws(Unreadable) {
            return try Self.read(path, limit: limit, files: files, parse).map { .known($0) } ?? .absent
        } catch {
            return .damaged(isAgain: reportDamage(error.problem, lost: lost))
        }
    }

    /// Reads the file and changes nothing; nil where there is none.
    package static func read<Value>(
        _ path: String,
        limit: Int = 16 << 10,
        files: FileReader = .system,
        _ parse: ([UInt8]) throws -> Value
    ) throws(Unreadable) -> Value? {
        do {
            let bytes = try files.read(path, limit).bytes
            if let schema = schema(of: bytes), schema > Self.schema {
                throw Unreadable("a newer version has written it (schema \(schema))")
            }
            return try parse(bytes)
        } catch FileReader.Fault.absent {
            return nil
        } catch let error as Unreadable {
            throw Unreadable(error.problem, in: path)
        } catch {
            throw Unreadable("\(error)", in: path)
        }
    }

    /// Keeps the file aside, since it is no use or not all of it is, and says so.
    /// - Returns: whether another one had been kept.
    @discardableResult
    package func reportDamage(_ problem: String, lost: (_ isAgain: Bool) -> String) -> Bool {
        let isAgain = StateFile.keepAside(path)
        logger.warning("\(lost(isAgain)): \(path): \(problem)")
        return isAgain
    }

    /// Writes the file, unless it holds that already. The first of several failures is logged, and the end of them.
    ///
    /// - Parameter failing: what a failure means for the user, "the volumes are not remembered".
    /// - Returns: whether the file holds it now.
    @discardableResult
    package func save(_ bytes: [UInt8], failing: String) -> Bool {
        state.withLock { state in
            guard state.written != bytes else { return true }
            do throws(StateFile.Fault) {
                try StateFile.write(bytes, to: path)
            } catch {
                if !state.isFailing { logger.warning("\(failing): \(error)") }
                state.isFailing = true
                return false
            }
            if state.isFailing { logger.notice("\(path) is written again") }
            state.isFailing = false
            state.written = bytes
            return true
        }
    }

    /// The number that a file of keys begins with; nil where there is none, as in files of before.
    private static func schema(of bytes: [UInt8]) -> Int? {
        for line in bytes.prefix(256).split(separator: UInt8(ascii: "\n")).prefix(4) {
            let text = String(decoding: line, as: UTF8.self)
            if text.hasPrefix("schema = ") { return Int(text.dropFirst("schema = ".count)) }
        }
        return nil
    }

    private func forgetOldDamage() {
        guard let since = StateFile.keptAside(path), now() - since > Self.keptFor else { return }
        StateFile.remove(path + StateFile.damaged)
    }
}

/// Why a state file is of no use.
package struct Unreadable: Error, Sendable, Equatable, CustomStringConvertible {
    /// In one line.
    package var problem: String
    /// The file; empty where it is not known.
    package var path: String

    package init(_ problem: String, in path: String = "") {
        self.problem = problem
        self.path = path
    }

    package var description: String { path.isEmpty ? problem : "\(path): \(problem)" }
}
