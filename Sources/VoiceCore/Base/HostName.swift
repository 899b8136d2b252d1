internal import CCurl
internal import FoundationEssentials
internal import Glibc

/// Converts host names with non-ASCII letters, "b\u{FC}cher.example", to the form used in DNS (RFC 5891).
package enum InternationalHost {
    /// A name has at most 253 bytes in ASCII; each of its letters may have taken four.
    private static let longest = 1024

    /// "xn--bcher-kva.example"; nil if it is not a host name, or libcurl was built without IDN support.
    package static func ascii(_ host: some StringProtocol) -> String? {
        guard host.utf8.count <= longest, host.unicodeScalars.allSatisfy(mayStand),
            let name = ccurl_ascii_host("https://\(host)/")
        else { return nil }
        defer { curl_free(name) }
        let ascii = String(cString: name)
        return !ascii.isEmpty && ascii.utf8.count <= 253 && ascii.utf8.allSatisfy({ $0 < 0x80 })
            ? ascii.lowercased() : nil
    }

    /// Rejects anything that would end the host within a URL. Accepts combining marks, which belong to decomposed letters.
    private static func mayStand(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII {
            return scalar.properties.isAlphabetic || scalar.properties.numericType != nil
                || "-._".unicodeScalars.contains(scalar)
        }
        return scalar.isOfWord
    }
}

extension Unicode.Scalar {
    /// Whether it is a letter or digit of any script, or a combining mark.
    package var isOfWord: Bool {
        if properties.isAlphabetic || properties.numericType != nil { return true }
        switch properties.generalCategory {
        case .nonspacingMark, .spacingMark: return true
        default: return false
        }
    }
}

/// Helpers for an address before it is parsed as a URL.
package enum AddressText {
    /// The address without its fragment, which is not part of a request (RFC 3986 section 3.5).
    package static func withoutFragment(_ text: String) -> String { String(text.prefix { $0 != "#" }) }

    /// The address with its scheme in lower case, and http for the schemes of old players and of podcast programs, whose
    /// servers speak HTTP.
    package static func ofWeb(_ text: String) -> String {
        guard let mark = text.firstRange(of: "://") else { return text }
        let scheme = text[..<mark.lowerBound].lowercased()
        let isOfWeb = ["icy", "icyx", "mms", "mmsh", "feed", "itpc", "pcast", "podcast"].contains(scheme)
        return (isOfWeb ? "http" : scheme) + text[mark.lowerBound...]
    }

    /// The address without user name and password, and those in the form of HTTP's basic authentication (RFC 7617).
    package static func withoutUser(_ text: String) -> (address: String, authorization: String?) {
        guard let mark = text.firstRange(of: "://") else { return (text, nil) }
        let authority = text[mark.upperBound...].prefix { !"/?#".contains($0) }
        guard let at = authority.lastIndex(of: "@") else { return (text, nil) }
        let user = PercentEncoding.decoded(authority[..<at])
        let pair = user.contains(":") ? user : user + ":"
        return (
            String(text[..<mark.upperBound] + text[authority.index(after: at)...]),
            "Basic " + Data(pair.utf8).base64EncodedString()
        )
    }

    /// The path of a file, given as a path or as file://; nil for anything else.
    package static func filePath(_ text: String) -> String? {
        if text.prefix(7).lowercased() == "file://" { return String(text.dropFirst(7)) }
        return text.hasPrefix("/") ? text : nil
    }
}
