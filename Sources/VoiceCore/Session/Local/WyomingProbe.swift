internal import VoiceBase
package import VoiceNetwork

/// Asks a Wyoming server to describe itself, for the doctor.
package enum WyomingProbe {
    package static func ask(
        _ address: WyomingAddress,
        allowsPublic: Bool,
        on network: NetworkThread
    ) async -> Result<WyomingInfo, WyomingEnd> {
        let answer = Promise<Result<WyomingInfo, WyomingEnd>>()
        let isAsked = network.enqueue {
            var line: WyomingConnection?
            line = WyomingConnection(to: address, allowsPublic: allowsPublic, on: network) { event in
                switch event {
                case .message(.info(let info)):
                    answer.give(.success(info))
                    // The server may serve one client at a time.
                    line?.close()
                case .ended(let end): answer.give(.failure(end))
                case .message: break
                }
            }
            line?.send(.describe)
        }
        guard isAsked else {
            return .failure(WyomingEnd(kind: .away, description: "no thread runs to ask \(address.text)"))
        }
        // The first limit is for the connection, the second for connection and answer together.
        let result = await TimeLimit.run(.seconds(7)) { await answer.wait() }
        let late = WyomingEnd(
            kind: .late, description: "\(address.key): the server at \(address.text) does not say what it is"
        )
        // Releases the caller that still waits for the promise.
        answer.give(.failure(late))
        return result ?? .failure(late)
    }
}
