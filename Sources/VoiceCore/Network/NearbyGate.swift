import CCurl
import Glibc

/// Keeps a transfer within the local network: libcurl calls it for every socket, with the address it is about to connect
/// to.
///
/// The address is judged, not the name, so a name server that changes its answer in between cannot lead elsewhere. Confined
/// to the network thread.
final class NearbyGate {
    /// The last address refused, as long as none has been allowed.
    private(set) var exposed: NetworkAddress?
    private var hasOpened = false

    /// The gate must live as long as the handle.
    func guardSockets(of easy: UnsafeMutableRawPointer) {
        ccurl_set_open_socket(easy, nearbyGateOpen, Unmanaged.passUnretained(self).toOpaque())
        // An existing connection was judged for another request, or not at all.
        ccurl_set_long(easy, CURLOPT_FRESH_CONNECT, 1)
        // A proxy resolves the name and connects on its own.
        ccurl_set_string(easy, CURLOPT_PROXY, "")
    }

    fileprivate func mayOpen(_ address: NetworkAddress?) -> Bool {
        guard let address else { return false }
        guard TransportVerdict.nearness(of: address, ownLinks: NetworkPrefix.ownLinks()) != nil else {
            if !hasOpened { exposed = address }
            return false
        }
        (hasOpened, exposed) = (true, nil)
        return true
    }
}

private func nearbyGateOpen(
    _ context: UnsafeMutableRawPointer?,
    _ purpose: curlsocktype,
    _ target: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
    guard let context, let target, let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else { return -1 }
    // The structure is declared with the shortest address; the real one is as long as it states.
    let bytes = UnsafeRawBufferPointer(start: UnsafeRawPointer(target) + offset, count: Int(target.pointee.addrlen))
    let gate = Unmanaged<NearbyGate>.fromOpaque(context).takeUnretainedValue()
    guard gate.mayOpen(NetworkAddress(socketAddress: bytes)) else { return -1 }
    let closesOnExec = Int32(SOCK_CLOEXEC.rawValue)
    return socket(target.pointee.family, target.pointee.socktype | closesOnExec, target.pointee.protocol)
}
