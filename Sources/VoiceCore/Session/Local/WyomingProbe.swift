internal import VoiceBase
internal import VoiceWyoming

/// Asks a Wyoming server what it is, for the doctor.
enum WyomingProbe {
    static func describe(_ address: WyomingAddress, allowsPublic: Bool) async -> Result<WyomingInfo, WyomingEnd> {
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
        // It stands within the first limit, and answers within the second.
        sockets.open(1, to: address, allowsPublic: allowsPublic, within: .seconds(2))
        sockets.send(.describe, on: 1)
        let result = await TimeLimit.run(.seconds(7)) { await answer.wait() }
        let late = WyomingEnd(
            kind: .late,
            description: "\(address.key): the server at \(address.text) does not say what it is"
        )
        // Whoever still waits for the promise is let go.
        answer.give(.failure(late))
        sockets.stop()
        return result ?? .failure(late)
    }
}
