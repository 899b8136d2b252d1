/// What our proxy says itself.
enum ProxyReply {
    case needsCredentials
    case refused
    case notUnderstood
    case unreachable

    var bytes: [UInt8] {
        let (status, field) =
            switch self {
            case .needsCredentials:
                ("407 Proxy Authentication Required", "Proxy-Authenticate: Basic realm=\"media\"\r\n")
            case .refused: ("403 Forbidden", "")
            case .notUnderstood: ("400 Bad Request", "")
            case .unreachable: ("502 Bad Gateway", "")
            }
        return Array("HTTP/1.1 \(status)\r\n\(field)Content-Length: 0\r\nConnection: close\r\n\r\n".utf8)
    }
}
