internal import VoiceConversation
internal import VoiceReply

/// The arguments of the tools that play something.
struct MediaWish: Decodable {
    /// Handles, stations or addresses; at least one.
    let names: [String]
    let title: String
    let kind: MediaKind?

    static let what = "A handle such as media-1, the name of a radio station, or an address that the user named."
    /// Error for a model whose arguments name nothing.
    static let wanted =
        #"name what to play, for instance {"what": "media-1"}: a handle of ask_jarvis, a station or an address"#

    private enum CodingKeys: String, CodingKey, CaseIterable {
        // In the order in which they are tried.
        case what, handle, handles, media, item, items, url, address, station, name, names, id
        case title, type
    }

    /// What models write for a name: a string, a number, an object with one of the keys, or a list of these.
    private struct Name: Decodable {
        let all: [String]

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            if let text = try? value.decode(String.self) {
                all = MediaShelf.handles(in: text) ?? [text]
            } else if let number = try? value.decode(Int.self) {
                // "3" for "media-3".
                all = ["media-\(number)"]
            } else if let names = try? value.decode([Name].self) {
                all = names.flatMap(\.all)
            } else {
                all = (try? MediaWish(from: decoder))?.names ?? []
            }
        }
    }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        // Models write one item as a string and several as a list, under varying keys.
        var found: [String] = []
        for key in CodingKeys.allCases where found.isEmpty && key != .title && key != .type {
            let given = (try? values.decodeIfPresent(Name.self, forKey: key))?.all ?? []
            found = given.filter { !$0.allSatisfy(\.isWhitespace) }
        }
        names = found
        guard !names.isEmpty else {
            let context = DecodingError.Context(codingPath: [], debugDescription: "nothing is named")
            throw DecodingError.valueNotFound(String.self, context)
        }
        title = (try? values.decodeIfPresent(String.self, forKey: .title)) ?? ""
        kind = (try? values.decodeIfPresent(String.self, forKey: .type)).flatMap { $0 }.flatMap(MediaKind.init)
    }
}

/// The argument of the tools that set a level.
enum MediaLevel {
    package static let parameters = """
        {"type":"object","properties":{"level":{"type":"number","minimum":0,"maximum":1}},"required":["level"],\
        "additionalProperties":false}
        """

    private struct Arguments: Decodable {
        let level: Double
    }

    /// Returns the level, not yet clamped; nil if there is none.
    static func decode(_ arguments: String) -> Double? {
        guard let wish = ToolArguments.decode(Arguments.self, from: arguments), wish.level.isFinite else { return nil }
        return wish.level
    }
}
