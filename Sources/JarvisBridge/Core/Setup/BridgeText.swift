package import VoiceBase

/// The text of bridge.toml. Changing a key of a table leaves every other line as it is.
package struct BridgeText: Sendable {
    private var lines: [String]
    private let name: String

    /// - Parameter name: of the file, for messages.
    package init(_ bytes: [UInt8], name: String) {
        let text = String(decoding: bytes, as: UTF8.self)
        lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        self.name = name
    }

    package var bytes: [UInt8] { Array(lines.joined(separator: "\n").utf8) }

    /// Sets the key in its table, which is added if it is missing.
    ///
    /// - Throws: if the change would alter more than this key.
    package mutating func set(
        _ table: String,
        _ key: String,
        to value: ConfigurationValue
    ) throws(BridgeConfiguration.Problem) {
        var wanted = try values()
        wanted[table] = .table
        wanted["\(table).\(key)"] = value
        var changed = self
        changed.write(table, key, "\(key) = \(value.toml)")
        guard changed.means(wanted) else {
            let problem = "\(table).\(key) is written in a way that cannot be changed"
            throw .init("\(name): \(problem): set it to \(value.toml) yourself")
        }
        self = changed
    }

    /// Removes the line of the key, if there is one.
    ///
    /// - Throws: if the change would alter more than this key.
    package mutating func remove(_ table: String, _ key: String) throws(BridgeConfiguration.Problem) {
        var wanted = try values()
        guard wanted.removeValue(forKey: "\(table).\(key)") != nil else { return }
        var changed = self
        if let header = changed.header(of: table), let place = changed.line(of: key, below: header) {
            changed.lines.remove(at: place)
        }
        guard changed.means(wanted) else {
            let problem = "\(table).\(key) is written in a way that cannot be changed"
            throw .init("\(name): \(problem): remove it yourself")
        }
        self = changed
    }

    private func values() throws(BridgeConfiguration.Problem) -> [String: ConfigurationValue] {
        do {
            return try ConfigurationDocument(parsing: bytes).values
        } catch {
            throw .init("\(name), line \(error.line): \(error.message)")
        }
    }

    private func means(_ wanted: [String: ConfigurationValue]) -> Bool {
        (try? ConfigurationDocument(parsing: bytes))?.values == wanted
    }

    private mutating func write(_ table: String, _ key: String, _ setting: String) {
        guard let header = header(of: table) else {
            while lines.last?.isEmpty == true { lines.removeLast() }
            lines += (lines.isEmpty ? [] : [""]) + ["[\(table)]", setting, ""]
            return
        }
        if let place = line(of: key, below: header) {
            lines[place] = setting
        } else {
            lines.insert(setting, at: header + 1)
        }
    }

    private func line(of key: String, below header: Int) -> Int? {
        let end = lines[(header + 1)...].firstIndex { Self.code($0).hasPrefix("[") } ?? lines.endIndex
        return lines[(header + 1)..<end].firstIndex { Self.code($0).hasPrefix(key + "=") }
    }

    /// The line of the table's header; a header commented out in the sample is activated.
    private mutating func header(of table: String) -> Int? {
        if let place = lines.firstIndex(where: { Self.code($0) == "[\(table)]" }) { return place }
        guard let sample = lines.firstIndex(where: { $0.trimmingBlanks == "#[\(table)]" }) else { return nil }
        lines[sample] = "[\(table)]"
        return sample
    }

    /// A line without blanks, up to a comment; text in quotes does not matter here.
    private static func code(_ line: String) -> String { String(line.prefix { $0 != "#" }.filter { !$0.isWhitespace }) }
}

extension String {
    fileprivate var trimmingBlanks: String { filter { !$0.isWhitespace } }
}
