package import VoiceBase

/// Radio stations by name, from a TOML file: `[stations]`, then one `"name" = "address"` per line.
package struct StationTable: Sendable, Equatable {
    package struct Station: Sendable, Equatable {
        package var name: String
        package var address: String
    }

    static let most = 500

    package private(set) var stations: [Station] = []

    package init() {}

    /// Returns the stations of a file; none if it is missing or invalid, which the media player reports.
    package static func known(in path: String, files: FileReader = .system) -> StationTable {
        guard !path.isEmpty, let bytes = try? files.read(path, 256 << 10).bytes else { return StationTable() }
        return (try? StationTable(parsing: bytes)) ?? StationTable()
    }

    /// - Throws: the error and its line number, as one sentence.
    package init(parsing bytes: [UInt8]) throws(MediaProblem) {
        let document: ConfigurationDocument
        do {
            document = try ConfigurationDocument(parsing: bytes)
        } catch {
            throw .failed("line \(error.line): \(error.message)")
        }
        for entry in document.entries {
            guard entry.path.hasPrefix("stations."), case .text(let address) = entry.value else { continue }
            let name = entry.path.dropFirst("stations.".count).filter { $0 != "\"" && $0 != "'" }
            stations.append(Station(name: name, address: address))
            if stations.count >= Self.most { break }
        }
    }

    /// Finds a station by its full name, or else the first whose name contains all the words.
    package func find(_ name: String) -> Station? {
        let wanted = Self.words(name)
        guard !wanted.isEmpty else { return nil }
        return stations.first { Self.words($0.name) == wanted }
            ?? stations.first { station in
                let words = Self.words(station.name)
                return wanted.allSatisfy(words.contains)
            }
    }

    private static func words(_ text: String) -> [String] {
        text.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
    }
}
