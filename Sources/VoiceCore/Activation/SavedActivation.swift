package import VoiceBase

/// Mute and mode as set by hand, kept across restarts.
///
///     [microphone]
///     muted = true
///     [mode]                    # where one was set by hand
///     set = "push"
///     configured = "always"     # what the configuration said at that time
///
/// A mode whose configured value was edited since starts from the configuration again: the edit is the later decision.
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

    /// Reads the text of the file. Unknown keys and unknown modes are ignored, as a newer version may have written
    /// them.
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
        // A file without the key, such as an empty one, does not permit opening the microphone.
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

    /// Returns the mode to start with. A saved `wake` without an engine that recognises words becomes `push`, so that
    /// missing models do not open a microphone that the user closed by hand.
    package func effectiveMode(configured: ActivationMode, hearsWords: Bool) -> ActivationMode {
        guard let mode, mode.configured == configured else { return configured }
        return mode.set == .wake && !hearsWords ? .push : mode.set
    }
}
