internal import VoiceBase
package import VoiceNetwork
package import VoiceReply

/// Something to play.
package struct MediaItem: Sendable, Equatable {
    /// As requested: http, https, a file, or the name of a station.
    package var address: String
    /// Outside text, cleaned and bounded (`ForeignText.title`), like the artist.
    package var title: String
    package var kind: MediaKind
    package var artist: String?
    /// The feed's identifier of an episode, which stays when the address changes.
    package var id: String?
    /// Whether a list has other addresses for it, and how many of them could not be played.
    package var hasOthers = false
    package var tried = 0
    /// The address of the home that ordered the item, if that home has shown its key: the item may be played from there, although
    /// the address is in a private network. For this order only: an item that is played again later has none.
    package var home: NetworkAddress?

    package init(address: String, title: String, kind: MediaKind, artist: String? = nil, id: String? = nil) {
        self.address = address
        self.title = ForeignText.title(title)
        self.kind = kind
        self.artist = artist.map { ForeignText.title($0) }
        self.id = id
    }

    /// An item that is the sound of another program.
    package init(input: SoundInput) {
        self.init(address: Self.inputScheme + input.name, title: input.name, kind: .radio)
    }

    private static let inputScheme = "input:"

    /// The name of the input; nil for anything else.
    package var inputName: String? {
        address.hasPrefix(Self.inputScheme) ? String(address.dropFirst(Self.inputScheme.utf8.count)) : nil
    }

    /// The title; without one the name of the file, or else of the server.
    package var name: String {
        guard title.isEmpty else { return title }
        let path =
            AddressText.filePath(address) ?? ServerURL(address).map { String($0.target.prefix { $0 != "?" }) } ?? ""
        let file = PercentEncoding.decoded(path.split(separator: "/").last.map(String.init) ?? "")
        let name = ForeignText.title(file.lastIndex(of: ".").map { file[..<$0] } ?? file[...])
        return name.isEmpty ? ForeignText.title(ServerURL(address)?.host ?? "") : name
    }
}

/// Why something is not played; each case is a sentence that can be spoken.
package enum MediaProblem: Error, Equatable, Sendable, CustomStringConvertible {
    case noDecoder(String)
    case notAnAddress
    /// The host name has letters that cannot be converted to ASCII.
    case unknownLetters
    case refusedHost(String)
    case refusedFolder
    case unknownStation(String)
    case unknownHandle(String)
    case failed(String)

    package var description: String {
        switch self {
        case .noDecoder(let program):
            "media cannot be played: \(program) is not installed; on Debian and Ubuntu: apt install ffmpeg"
        case .notAnAddress: "only http:// and https:// addresses, known stations and configured folders can be played"
        case .unknownLetters:
            "the host of the address has letters outside of ASCII that cannot be converted: write it as xn--..."
        case .refusedHost(let host):
            "\(host) is in a private network; allow it with media.allow_hosts in the configuration"
        case .refusedFolder: "that file is not in a folder of media.folders"
        case .unknownStation(let name): "there is no station named \(ForeignText.title(name))"
        case .unknownHandle(let name):
            "\(ForeignText.title(name)) is unknown or has expired: ask Jarvis for it with ask_jarvis"
        case .failed(let reason): reason
        }
    }
}
