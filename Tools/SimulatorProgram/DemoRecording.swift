import Glibc

/// Where the demonstration's recording goes if no path was given.
enum DemoRecording {
    private static let name = "jarvis-demo.wav"

    /// A path in the current folder, else in the temporary one; nil if neither is writable. Prints what is missing.
    static func place() -> String? {
        if isWritable(name, in: ".") { return name }
        let temporary = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        let path = "\(temporary)/\(name)"
        guard isWritable(path, in: temporary) else {
            print("No write permission here or in \(temporary): what the loudspeaker plays is not recorded.")
            return nil
        }
        print("No write permission in this folder: the recording goes to \(path).")
        return path
    }

    /// An existing recording is overwritten, so that its own permissions count rather than the folder's.
    private static func isWritable(_ path: String, in folder: String) -> Bool {
        access(path, F_OK) == 0 ? access(path, W_OK) == 0 : access(folder, W_OK) == 0
    }
}
