@testable import VoiceAudio
@testable import VoiceBase
@testable import VoiceNetwork
@testable import VoiceSession

extension VoiceService {
    /// Opens a session, retires it immediately, and waits for the last that holds its memory.
    ///
    /// - Returns: whether all of it was released.
    func releasesAnEndedSession() async throws -> Bool {
        let isGone = Promise<Bool>()
        return try await NetworkThread.with { network in
            let pump = NetworkConfined(VoicePump(AudioPorts(), options: .init(chunk: 10)) { _, _ in }, on: network)
            do {
                let held = Held(isGone)
                let connection = connect(on: network, pump: pump) { _, _ in _ = held }
                connection?.perform { $0.retire() }
            }
            let answer = await TimeLimit.run(.seconds(10)) { await isGone.wait() }
            isGone.give(false)
            return answer == true
        }
    }
}

/// Tells when the last one that holds it is gone.
private final class Held: Sendable {
    private let isGone: Promise<Bool>

    init(_ isGone: Promise<Bool>) { self.isGone = isGone }

    deinit { isGone.give(true) }
}
