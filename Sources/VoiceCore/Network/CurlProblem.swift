package import CCurl

/// The meaning of a libcurl result for the rest of the program.
package enum CurlProblem: Equatable {
    case badURL
    case cannotResolve
    case cannotConnect
    case tls
    case timedOut
    case reset
    case other

    package init(_ code: CURLcode) {
        switch code {
        case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL: self = .badURL
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: self = .cannotResolve
        case CURLE_COULDNT_CONNECT, CURLE_PROXY, CURLE_INTERFACE_FAILED: self = .cannotConnect
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE,
            CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS,
            CURLE_SSL_ENGINE_INITFAILED, CURLE_USE_SSL_FAILED, CURLE_SSL_PINNEDPUBKEYNOTMATCH:
            self = .tls
        case CURLE_OPERATION_TIMEDOUT: self = .timedOut
        case CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_HTTP2,
            CURLE_HTTP2_STREAM:
            self = .reset
        default: self = .other
        }
    }
}

extension CurlProblem {
    /// The host in a URL, for messages; never includes user information.
    static func host(of url: String) -> String {
        guard let scheme = url.range(ofASCII: "://") else { return url }
        let rest = url[scheme...]
        let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
        let place = rest[..<end]
        let name = place.lastIndex(of: "@").map { place[place.index(after: $0)...] } ?? place
        return String(name)
    }
}

extension String {
    /// The index after the first occurrence of `mark`.
    fileprivate func range(ofASCII mark: String) -> String.Index? {
        indices.first { self[$0...].hasPrefix(mark) }.map { index($0, offsetBy: mark.count) }
    }
}
