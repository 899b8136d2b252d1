internal import Glibc
package import VoiceBase
internal import VoiceNetwork
internal import VoiceReply

/// The media that may be played: public http and https addresses, listed hosts, and files below listed folders.
package struct MediaPolicy: Sendable, Equatable {
    /// Hosts that may be in private networks.
    package var hosts: Set<ListedHost>
    /// Absolute paths without a trailing slash.
    package var folders: [String]
    /// Programs whose sound is played.
    package var inputs: [SoundInput] = []
    /// The paired home's address, which may be in a private network.
    private var home: NetworkAddress?

    /// - Parameters:
    ///   - hosts: names or addresses, separated by spaces or commas.
    ///   - folders: absolute paths, separated by colons.
    package init(hosts: String = "", folders: String = "") {
        self.hosts = Set(ListedHost.list(hosts))
        self.folders = folders.split(separator: ":").map { path in
            var path = String(path)
            while path.count > 1, path.last == "/" { path.removeLast() }
            return path
        }
    }

    /// The policy for items that the paired home has ordered: they may be played from that home, too.
    func allowing(_ home: NetworkAddress?) -> MediaPolicy {
        var policy = self
        policy.home = home
        return policy
    }

    /// The input of an item; nil for an item of another kind, or an input that is not listed.
    func input(_ item: MediaItem) -> SoundInput? {
        item.inputName.flatMap { name in inputs.first { $0.name == name } }
    }

    /// Returns a usable http(s) address, as far as its text shows; without user name and password.
    func network(_ text: String) throws(MediaProblem) -> ServerURL {
        let plain = AddressText.withoutUser(AddressText.withoutFragment(text)).address
        guard let url = ServerURL(plain), url.scheme == "http" || url.scheme == "https"
        else { throw .notAnAddress }
        let isNumeric = NetworkAddress(text: url.host)
        let isLocal = url.host == "localhost" || url.host.hasSuffix(".localhost")
        let isHome = isNumeric.map(isHome) ?? false
        if isLocal || isNumeric?.isPublic == false, !isHome, !isListed(url) { throw .refusedHost(url.host) }
        return url
    }

    /// Whether the addresses of a host name may be connected to. Since any of them may be used, all must be public and
    /// outside the home network.
    func allows(_ addresses: [NetworkAddress], of url: ServerURL, home: HomeNetwork = .now()) -> Bool {
        isListed(url) || !addresses.isEmpty && addresses.allSatisfy { isHome($0) || $0.isPublic && !home.contains($0) }
    }

    private func isHome(_ address: NetworkAddress) -> Bool { address.bytes == home?.bytes }

    func isListed(_ url: ServerURL) -> Bool {
        hosts.contains(ListedHost(host: url.host, port: nil))
            || hosts.contains(ListedHost(host: url.host, port: url.port))
    }

    /// Returns the real path of a file below a listed folder. Its name may be percent-encoded, or in another form of Unicode
    /// than on the disk.
    func file(_ path: String, in disk: MediaDisk = .system) throws(MediaProblem) -> String {
        let folders = folders.compactMap { folder in disk.realPath(folder).map { (written: folder, real: $0) } }
        func isInside(_ path: String) -> Bool {
            folders.contains { path.hasPrefix($0.real + "/") || path.hasPrefix($0.written + "/") }
        }
        for name in [path, PercentEncoding.decoded(path)] where name.hasPrefix("/") {
            guard let real = disk.realPath(name) ?? (isInside(name) ? disk.realPath(disk.spelled(name)) : nil) else {
                continue
            }
            guard folders.contains(where: { real.hasPrefix($0.real + "/") }) else { throw .refusedFolder }
            return real
        }
        guard isInside(path) || isInside(PercentEncoding.decoded(path)), !path.contains("/../") else {
            throw .refusedFolder
        }
        throw .failed("there is no file \(ForeignText.title(path.split(separator: "/").last ?? ""))")
    }
}

/// The file system, as the search for a file sees it.
struct MediaDisk: Sendable {
    /// Longest folder whose names are compared.
    private static let mostNames = 50_000

    /// The path without symbolic links; nil if there is no such file.
    var realPath: @Sendable (String) -> String?
    var names: @Sendable (_ folder: String) -> [String]

    /// The path with each name as the disk spells it: Swift compares names by their characters, the disk by their bytes.
    func spelled(_ path: String) -> String {
        path.split(separator: "/").reduce("") { folder, name in
            let plain = folder + "/" + name
            guard realPath(plain) == nil else { return plain }
            return folder + "/" + (names(folder).first { $0 == name } ?? String(name))
        }
    }

    static let system = MediaDisk(
        realPath: { path in
            guard !path.utf8.contains(0), let real = realpath(path, nil) else { return nil }
            defer { free(real) }
            return String(cString: real)
        },
        names: { folder in
            guard let handle = opendir(folder) else { return [] }
            defer { closedir(handle) }
            var names: [String] = []
            while names.count < mostNames, let entry = readdir(handle) {
                names.append(
                    withUnsafePointer(to: &entry.pointee.d_name) {
                        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                    }
                )
            }
            return names
        }
    )
}
