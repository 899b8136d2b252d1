package import VoiceBase

/// The changes in a reloaded configuration: those that take effect immediately, and those that need a restart.
package struct ConfigurationChange: Sendable, Equatable {
    /// Paths in the order of the schema; secrets as "API key" and "agent token".
    package var inForce: [String] = []
    package var afterRestart: [String] = []

    package init(from old: Configuration, to new: Configuration) {
        for key in ConfigurationSchema.keys where key.value(in: old) != key.value(in: new) {
            if key.isLive { inForce.append(key.path) } else { afterRestart.append(key.path) }
        }
        let tables = Dictionary((old.assistants + new.assistants).map { ($0.word, $0.table) }) { first, _ in first }
        for word in Set(old.words.keys).union(new.words.keys).sorted() where old.words[word] != new.words[word] {
            afterRestart.append(tables[word] ?? word)
        }
    }

    package init(from old: Configuration, secrets before: Secrets, to new: Configuration, secrets after: Secrets) {
        self.init(from: old, to: new)
        if !before.hasSameKeys(as: after) { inForce.append("API key") }
        if !before.hasSameTokens(as: after) { inForce.append("agent token") }
    }

    /// Returns the configuration in force: `old` with the live keys of `new`.
    package func applied(_ new: Configuration, to old: Configuration) -> Configuration {
        var result = old
        for key in ConfigurationSchema.keys where key.isLive { _ = key.set(key.value(in: new), in: &result) }
        return result
    }

    package var isEmpty: Bool { inForce.isEmpty && afterRestart.isEmpty }
}
