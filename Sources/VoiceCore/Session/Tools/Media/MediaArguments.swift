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

    /// A name as models write it: a string, a number, an object with one of the keys, or a list of these.
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

    /// A number or a text, and what some models add: `{"level": 40, "unit": "percent"}`.
    private struct Arguments: Decodable {
        private enum CodingKeys: String, CodingKey { case level, unit, units, scale }

        let level: Double?

        init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            let given = [CodingKeys.unit, .units, .scale].compactMap { try? values.decode(String.self, forKey: $0) }
            let unit = given.isEmpty ? "" : " " + given.joined(separator: " ")
            if let number = try? values.decode(Double.self, forKey: .level) {
                level = MediaLevel.read("\(number)" + unit)
            } else {
                level = MediaLevel.read(try values.decode(String.self, forKey: .level) + unit)
            }
        }
    }

    /// Returns the level from 0 to 1; nil if there is none, or if its unit is unclear.
    static func decode(_ arguments: String) -> Double? { ToolArguments.decode(Arguments.self, from: arguments)?.level }

    /// "0.4", "40" and "40 %" are the same. 5 may be 5 percent or 5 of 10, and a level that is misread must not be the loudest.
    private static func read(_ text: String) -> Double? {
        let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let unit = text[digits.endIndex...].filter { !$0.isWhitespace }.lowercased()
        guard let number = Double(digits), number.isFinite, 0...100 ~= number else { return nil }
        switch unit {
        case "": return number <= 1 ? number : number > 10 ? number / 100 : nil
        case "%", "percent", "%percent": return number / 100
        default: return nil
        }
    }
}
