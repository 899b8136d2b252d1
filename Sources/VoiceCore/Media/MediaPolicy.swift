internal import VoiceBase
internal import VoiceNetwork

/// What may be played: public http and https addresses, listed hosts, and files below listed folders.
package struct MediaPolicy: Sendable, Equatable {
    /// Hosts that may be in private networks: lower case, with or without ":port".
    package var hosts: Set<String>
    /// Absolute paths without a trailing slash.
    package var folders: [String]

    package init(hosts: Set<String> = [], folders: [String] = []) {
        self.hosts = hosts
        self.folders = folders
    }

    /// - Parameters:
    ///   - hosts: names or addresses, separated by spaces or commas.
    ///   - folders: absolute paths, separated by colons.
    package init(hosts: String, folders: String) {
        self.hosts = Set(hosts.split { $0 == " " || $0 == "," }.map { $0.lowercased() })
        self.folders = folders.split(separator: ":").map { path in
            var path = String(path)
            while path.count > 1, path.last == "/" { path.removeLast() }
            return path
        }
    }

    /// Returns a usable http(s) address, as far as its text shows.
    func network(_ text: String) throws(MediaProblem) -> ServerURL {
        guard let url = ServerURL(AddressText.withoutFragment(text)), url.scheme == "http" || url.scheme == "https"
        else { throw .notAnAddress }
        let isNumeric = NetworkAddress(text: url.host)
        let isLocal = url.host == "localhost" || url.host.hasSuffix(".localhost")
        if isLocal || isNumeric?.isPublic == false, !isListed(url) { throw .refusedHost(url.host) }
        return url
    }

    /// Whether the addresses of a host name may be connected to. Since any of them may be used, all must be public and
    /// outside the home network.
    func allows(_ addresses: [NetworkAddress], of url: ServerURL, home: HomeNetwork = .now()) -> Bool {
        isListed(url) || !addresses.isEmpty && addresses.allSatisfy { $0.isPublic && !home.contains($0) }
    }

    func isListed(_ url: ServerURL) -> Bool {
        hosts.contains(url.host) || hosts.contains("\(url.host):\(url.port)")
    }

    /// Returns the real path of a file below a listed folder.
    /// - Parameter resolve: returns the path without symbolic links; nil if there is no such file.
    func file(_ path: String, resolve: (String) -> String?) throws(MediaProblem) -> String {
        guard path.hasPrefix("/"), let real = resolve(path) else { throw .refusedFolder }
        for folder in folders {
            guard let folder = resolve(folder) else { continue }
            if real.hasPrefix(folder + "/") { return real }
        }
        throw .refusedFolder
    }
}
