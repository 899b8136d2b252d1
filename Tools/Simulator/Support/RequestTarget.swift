internal import VoiceBase

/// The target of an HTTP request in origin form (RFC 9112 section 3.2.1): path and query.
package struct RequestTarget: Sendable {
    package var path: String
    package var query: [String: String] = [:]

    package init(_ text: String) {
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = String(parts.first ?? "")
        guard parts.count == 2 else { return }
        for pair in parts[1].split(separator: "&") {
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let value = sides.count == 2 ? String(sides[1]) : ""
            query[String(sides[0])] = PercentEncoding.decoded(value)
        }
    }
}
