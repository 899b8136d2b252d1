internal import VoiceBase

/// A version of this program, "1.2.10", as the packages have it: "1.2.10-1+deb12" is the same one. A value.
struct PackageVersion: Comparable {
    private let numbers: [Int]
    /// Without the revision of the package.
    let text: String

    init?(_ text: String) {
        let version = text.prefix { $0 != "-" && $0 != "+" && $0 != "~" }
        let parts = version.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
        guard version.utf8.count <= 32, !parts.contains(nil), parts.count <= 4 else { return nil }
        numbers = parts.compactMap(\.self)
        self.text = String(version)
    }

    static func < (one: Self, other: Self) -> Bool {
        let count = max(one.numbers.count, other.numbers.count)
        func padded(_ numbers: [Int]) -> [Int] { numbers + Array(repeating: 0, count: count - numbers.count) }
        return padded(one.numbers).lexicographicallyPrecedes(padded(other.numbers))
    }

    static func == (one: Self, other: Self) -> Bool { !(one < other) && !(other < one) }

    /// The newest version of a package that a list of packages has (deb822); nil if it has none.
    static func newest(of package: String, in list: String) -> PackageVersion? {
        var isWanted = false
        var newest: PackageVersion?
        for line in list.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.isEmpty { isWanted = false }
            if line.hasPrefix("Package: ") { isWanted = line.dropFirst(9) == package }
            guard isWanted, line.hasPrefix("Version: "), let found = PackageVersion(String(line.dropFirst(9))) else {
                continue
            }
            newest = max(newest ?? found, found)
        }
        return newest
    }

    /// The newest version in the lists that apt has fetched; nil if no list has one. Reads small lists only: the repository
    /// of this program has nothing else in it, and Debian's has 50 MB.
    static func newestOnOffer(folder: String = "/var/lib/apt/lists") -> PackageVersion? {
        Folder.names(in: folder).filter { $0.hasSuffix("_Packages") }.prefix(256).compactMap { name in
            (try? FileReader.system.read("\(folder)/\(name)", 256 << 10)).flatMap {
                newest(of: "jarvis-voiced", in: String(decoding: $0.bytes, as: UTF8.self))
            }
        }.max()
    }
}
