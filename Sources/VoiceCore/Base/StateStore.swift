internal import Glibc
package import Logging
internal import Synchronization

/// One small file of the state directory: read defensively, written as a whole, its problems logged once.
///
/// An unusable file is kept beside it as `NAME.damaged`, one copy, for thirty days. The bytes last written are remembered,
/// so that nothing is written twice; a failed write is retried with the next `save`.
package final class StateStore: Sendable {
    /// The result of loading at startup.
    package enum Found<Value> {
        /// There is no file.
        case absent
        case known(Value)
        /// `isAgain`: another damaged file had been kept aside in the last thirty days.
        case damaged(isAgain: Bool)

        package var value: Value? { if case .known(let value) = self { value } else { nil } }
    }

    /// The header of each file of keys. A version that changes the meaning of an existing key increments the schema.
    package static let header = "# Written by jarvis-voiced.\nschema = \(schema)\n"
    private static let schema = 1
    /// How long a damaged file is kept, in seconds.
    static let keptFor = 30 * 86_400

    package let path: String
    private let limit: Int
    private let logger: Logger
    private let files: FileReader
    private let write: @Sendable ([UInt8], String) throws(StateFile.Fault) -> Void
    private let now: @Sendable () -> Int

    private struct State {
        var written: [UInt8]?
        var isFailing = false
    }
    /// Held while the file is written, so that writers take turns.
    private let state = Mutex(State())

    /// - Parameters:
    ///   - limit: the maximum size of the file, in bytes.
    ///   - write: writes bytes to a path, to disk.
    ///   - now: the time in Unix seconds.
    package init(
        _ path: String,
        limit: Int = 16 << 10,
        logger: Logger,
        files: FileReader = .system,
        write: @escaping @Sendable ([UInt8], String) throws(StateFile.Fault) -> Void = StateFile.write,
        now: @escaping @Sendable () -> Int = { Int(time(nil)) }
    ) {
        self.path = path
        self.limit = limit
        self.logger = logger
        self.files = files
        self.write = write
        self.now = now
    }

    /// Reads the file at startup. An unusable file is kept aside and logged in one line.
    ///
    /// - Parameter lost: describes the consequence for the user, given whether the file is damaged again.
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

    /// Reads the file and changes nothing; nil if there is none.
    package static func read<Value>(
        _ path: String,
        limit: Int = 16 << 10,
        files: FileReader = .system,
        _ parse: ([UInt8]) throws -> Value
    ) throws(Unreadable) -> Value? {
        do {
            let bytes = try files.read(path, limit).bytes
            if let schema = schema(of: bytes), schema > Self.schema {
                throw Unreadable("it was written by a newer version (schema \(schema))")
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

    /// Keeps aside a file that is unusable, in whole or in part, and logs it.
    /// - Returns: whether another one had been kept.
    @discardableResult
    package func reportDamage(_ problem: String, lost: (_ isAgain: Bool) -> String) -> Bool {
        let isAgain = StateFile.keepAside(path)
        logger.warning("\(lost(isAgain)): \(private: path): \(private: problem)")
        return isAgain
    }

    /// Writes the file unless it already holds these bytes. Logs the first of several failures, and the recovery.
    ///
    /// - Parameter failing: the consequence of a failure for the user, for instance "the volumes are not remembered".
    /// - Returns: whether the file now holds the bytes.
    @discardableResult
    package func save(_ bytes: [UInt8], failing: String) -> Bool {
        state.withLock { state in
            guard state.written != bytes else { return true }
            do throws(StateFile.Fault) {
                try write(bytes, path)
            } catch {
                if !state.isFailing { logger.warning("\(failing): \(private: error)") }
                state.isFailing = true
                return false
            }
            if state.isFailing { logger.notice("\(private: path) can be written again") }
            state.isFailing = false
            state.written = bytes
            return true
        }
    }

    /// The schema number at the start of a file of keys; nil if there is none, as in older files.
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

/// Why a state file is unusable.
package struct Unreadable: Error, Sendable, Equatable, CustomStringConvertible {
    /// One line.
    package var problem: String
    /// The path of the file; empty if unknown.
    package var path: String

    package init(_ problem: String, in path: String = "") {
        self.problem = problem
        self.path = path
    }

    package var description: String { path.isEmpty ? problem : "\(path): \(problem)" }
}

/// Writes a state file as soon as its content changes; of several quick changes, the latest.
///
/// An actor of its own, because a slow memory card must not block its callers.
package actor StateWriter {
    private let store: StateStore
    private let failing: String
    private let wanted = Mutex<[UInt8]?>(nil)

    /// - Parameter failing: the consequence of a failure for the user, for instance "the volumes are not remembered".
    package init(_ store: StateStore, failing: String) {
        self.store = store
        self.failing = failing
    }

    /// Schedules an immediate write, in another task.
    package nonisolated func remember(_ text: String) {
        wanted.withLock { $0 = Array(text.utf8) }
        Task { await flush() }
    }

    /// Writes pending changes.
    ///
    /// - Returns: whether the file holds the latest text.
    @discardableResult
    package func flush() -> Bool {
        guard let bytes = wanted.withLock({ $0 }) else { return true }
        return store.save(bytes, failing: failing)
    }
}
