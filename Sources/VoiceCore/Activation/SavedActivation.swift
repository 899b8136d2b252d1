package import VoiceBase
internal import VoiceConfiguration

/// What was said by hand about the microphone and the mode, as it outlives a restart.
///
///     [microphone]
///     muted = true
///     [mode]                    # where one was set by hand
///     set = "push"
///     configured = "always"     # what the configuration said at that time
///
/// A mode whose configuration has been edited since then starts from the configuration again: an edit is the later wish.
package struct SavedActivation: Sendable, Equatable {
    package struct Mode: Sendable, Equatable {
        package var set: ActivationMode
        package var configured: ActivationMode

        package init(set: ActivationMode, configured: ActivationMode) {
            self.set = set
            self.configured = configured
        }
    }

    package var isMuted = false
    package var mode: Mode?

    package init(isMuted: Bool = false, mode: Mode? = nil) {
        self.isMuted = isMuted
        self.mode = mode
    }

    /// Reads the text of the file. Unknown keys are passed over, since a newer version may have written them; so is a mode that
    /// this one does not know.
    package init(parsing bytes: [UInt8]) throws(Unreadable) {
        let document = try ConfigurationDocument(ofState: bytes)
        var isMuted: Bool?
        var modes: [String: ActivationMode] = [:]
        for entry in document.entries {
            switch (entry.path, entry.value) {
            case ("microphone.muted", .flag(let flag)): isMuted = flag
            case ("mode.set", .text(let text)), ("mode.configured", .text(let text)):
                modes[entry.path] = ActivationMode(rawValue: text)
            default: continue
            }
        }
        // A file without it, an empty one for instance, does not say that the microphone may be opened.
        guard let isMuted else { throw Unreadable("microphone.muted is missing") }
        self.isMuted = isMuted
        if let set = modes["mode.set"], let configured = modes["mode.configured"] {
            mode = Mode(set: set, configured: configured)
        }
    }

    package var text: String {
        let mode = mode.map {
            "\n[mode]\nset = \"\($0.set.rawValue)\"\nconfigured = \"\($0.configured.rawValue)\"\n"
        }
        return StateStore.header + "[microphone]\nmuted = \(isMuted)\n" + (mode ?? "")
    }

    /// The mode to start with, now that the configuration says `configured`; `wake` only where something hears words.
    package func effectiveMode(configured: ActivationMode, hearsWords: Bool) -> ActivationMode {
        guard let mode, mode.configured == configured, mode.set != .wake || hearsWords else { return configured }
        return mode.set
    }
}
