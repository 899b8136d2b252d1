internal import VoiceBase
package import VoiceNetwork

/// Asks a Wyoming server to describe itself, for the doctor.
package enum WyomingProbe {
    package static func describe(_ address: WyomingAddress, allowsPublic: Bool) async -> Result<WyomingInfo, WyomingEnd>
    {
        let answer = Promise<Result<WyomingInfo, WyomingEnd>>()
        let sockets = WyomingSockets { _, event in
            switch event {
            case .message(.info(let info)): answer.give(.success(info))
            case .ended(let end): answer.give(.failure(end))
            case .opened, .message: break
            }
        }
        guard sockets.start() else {
            return .failure(WyomingEnd(kind: .away, description: "no thread can be started to ask \(address.text)"))
        }
        // The first limit is for the connection, the second for connection and answer together.
        let number = sockets.open(to: address, allowsPublic: allowsPublic, within: .seconds(2))
        sockets.send(.describe, on: number)
        let result = await TimeLimit.run(.seconds(7)) { await answer.wait() }
        let late = WyomingEnd(
            kind: .late,
            description: "\(address.key): the server at \(address.text) does not say what it is"
        )
        // Releases whoever still waits for the promise.
        answer.give(.failure(late))
        sockets.stop()
        return result ?? .failure(late)
    }
}
