internal import VoiceBase

/// Why pip could not download a package, if pip's last line does not say so: without a network that line is "No
/// matching distribution found", with a full disk the end of a stack trace. Pure.
enum PipFailure: Equatable {
    /// The index was not reached; with the reason, if there is one.
    case unreached(String?)
    /// The index was reached, and has no such package.
    case absent
    /// The disk of the folder for the download is full, or that of the temporary folder.
    case full(isTemporary: Bool)

    /// - Parameters:
    ///   - lines: the last lines of pip's standard error.
    ///   - folder: pip's target folder; before that, the file is in a temporary folder.
    /// - Returns: nil if pip's own words will do.
    init?(_ lines: [String], downloadingInto folder: String) {
        if let line = lines.last(where: { line in Self.marksOfFullDisk.contains { line.contains($0) } }) {
            self = .full(isTemporary: !line.contains(folder + "/"))
            return
        }
        let broken = lines.last { line in Self.marksOfBrokenConnection.contains { line.contains($0) } }
        // Only if pip gave up for that: after a successful retry it may fail for another reason.
        let found = lines.contains { $0.hasPrefix("ERROR: No matching distribution found") }
        let isException = ErrorPipe.reason(in: lines)?.hasPrefix("ERROR:") == false
        if let broken, found || isException {
            self = .unreached(Self.reason(in: broken))
        } else if found {
            self = .absent
        } else {
            return nil
        }
    }

    private static let marksOfFullDisk = [
        "No space left on device", "Disk quota exceeded", "No usable temporary directory",
    ]
    private static let marksOfBrokenConnection = [
        "connection broken by", "Connection broken", "Could not fetch URL", "Read timed out", "ReadTimeoutError",
        "ConnectionResetError",
    ]

    /// The readable part of the representation of a Python exception.
    private static func reason(in line: String) -> String? {
        if line.contains("timed out") || line.contains("TimeoutError") { return "it does not answer in time" }
        let proxy = line.contains("ProxyError") ? "through the proxy: " : ""
        if let verification = line.firstRange(of: "certificate verify failed") {
            return proxy + line[verification.lowerBound...].prefix { $0 != "(" && $0 != "'" }.trimmedOfSpaces
        }
        // "[Errno -3] Temporary failure in name resolution')': /simple/some-words/"
        guard let start = line.split(separator: "[Errno ").dropFirst().last else { return nil }
        let text = start.drop { $0 != "]" }.dropFirst().prefix { !"'\"()".contains($0) }.trimmedOfSpaces
        return text.isEmpty ? nil : proxy + text
    }

    var cause: WakeWordError.Cause {
        switch self {
        case .unreached, .absent: .index
        case .full: .other
        }
    }

    /// - Parameters:
    ///   - folder: the folder for the models.
    ///   - byHand: how to install them without pip.
    func text(folder: String, byHand: String) -> String {
        switch self {
        case .unreached(let reason):
            "the package index is not reached" + (reason.map { ": \($0)" } ?? "")
                + ". Try again when the network is there, or \(byHand)"
        case .absent:
            "the package index that pip uses does not have it (\"python3 -m pip config list\" names another than PyPI). "
                + "Take PyPI, or \(byHand)"
        case .full(isTemporary: true):
            "no space is left in the temporary folder: make room for 10 MB in /tmp, or name another folder in TMPDIR"
        case .full(isTemporary: false): "no space is left for \(folder): make room for 10 MB"
        }
    }
}

extension Substring {
    fileprivate var trimmedOfSpaces: String {
        split(separator: " ").joined(separator: " ")
    }
}
