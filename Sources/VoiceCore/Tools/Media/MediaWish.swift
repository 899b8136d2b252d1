/// The arguments of the tools that play something.
struct MediaWish: Decodable {
    /// Handles, stations or addresses; at least one, at most 20.
    let names: [String]
    let title: String
    let kind: MediaKind?

    static let what = "A handle such as media-1, the name of a radio station, or an address that the user named."

    private enum CodingKeys: String, CodingKey {
        case what, url, title, type
    }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        // Models write one thing as a text, several as a list, and an address under its usual name.
        let key = values.contains(.what) ? CodingKeys.what : .url
        let list = try? values.decode([String].self, forKey: key)
        let given = try list ?? [values.decode(String.self, forKey: key)]
        names = given.filter { !$0.allSatisfy(\.isWhitespace) }.prefix(MediaInReply.mostItems).map { $0 }
        guard !names.isEmpty else {
            throw DecodingError.dataCorruptedError(forKey: key, in: values, debugDescription: "nothing is named")
        }
        title = try values.decodeIfPresent(String.self, forKey: .title) ?? ""
        kind = try values.decodeIfPresent(String.self, forKey: .type).flatMap(MediaKind.init)
    }
}
