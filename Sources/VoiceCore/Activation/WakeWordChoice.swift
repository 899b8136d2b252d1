package import Logging
internal import Synchronization
package import VoiceBase

/// Which wake words call the box: all but those that were switched off, which the state folder remembers in words.toml. A word that is no
/// longer a wake word is forgotten.
///
///     off = ["okay nabu"]
package final class WakeWordChoice: Sendable {
    /// In plain form, as configured.
    package let all: [String]
    private let state: Mutex<Set<String>>
    private let writer: StateWriter?

    /// - Parameters:
    ///   - directory: the state folder; nil without one.
    ///   - write: see `StateStore`.
    package init(
        _ words: WakeWords?,
        directory: String?,
        logger: Logger,
        files: FileReader = .system,
        write: @escaping @Sendable ([UInt8], String) throws(StateFile.Fault) -> Void = StateFile.write
    ) {
        all = words?.words.filter { !$0.isStop }.map { Configuration.Word.plain($0.text) } ?? []
        guard let directory else {
            state = Mutex([])
            writer = nil
            return
        }
        let store = StateStore(directory + "/words.toml", logger: logger, files: files, write: write)
        let saved = store.load(Self.parsed) { _ in "all wake words call, also those that were switched off" }
        state = Mutex((saved.value ?? []).intersection(all))
        writer = StateWriter(store, failing: "the choice of wake words is not remembered for the next start")
    }

    private static func parsed(_ bytes: [UInt8]) throws(Unreadable) -> Set<String> {
        for entry in try ConfigurationDocument(ofState: bytes).entries {
            if entry.path == "off", case .texts(let words) = entry.value { return Set(words) }
        }
        throw Unreadable("off is missing")
    }

    /// The wake words that are switched off.
    package var off: Set<String> { state.withLock { $0 } }

    package func calls(_ word: String) -> Bool {
        let word = Configuration.Word.plain(word)
        return state.withLock { !$0.contains(word) }
    }

    package func set(off words: Set<String>) {
        let words = words.intersection(all)
        state.withLock { $0 = words }
        let list = ConfigurationValue.texts(all.filter(words.contains))
        writer?.remember(StateStore.header + "off = \(list.toml)\n")
    }

    /// Waits until the latest choice is on disk.
    ///
    /// - Returns: false if it cannot be written, or if the disk needs longer than `limit`.
    package func isSaved(within limit: Duration) async -> Bool {
        guard let writer else { return true }
        return await TimeLimit.run(limit) { await writer.flush() } ?? false
    }
}
