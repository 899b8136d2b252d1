/// Where the daemon keeps what it must remember.
package enum StateDirectory {
    /// `$STATE_DIRECTORY` (systemd, the first of several), else `$XDG_STATE_HOME/jarvis-voiced`, else
    /// `~/.local/state/jarvis-voiced`; nil where none of them is an absolute path.
    package static func path(environment: [String: String]) -> String? {
        if let given = environment["STATE_DIRECTORY"]?.split(separator: ":").first, given.hasPrefix("/") {
            return String(given)
        }
        if let base = environment["XDG_STATE_HOME"], base.hasPrefix("/") { return base + "/jarvis-voiced" }
        if let home = environment["HOME"], home.hasPrefix("/"), home != "/" {
            return home + "/.local/state/jarvis-voiced"
        }
        return nil
    }
}
