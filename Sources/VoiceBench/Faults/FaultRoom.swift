internal import Synchronization
import VoiceAudio
import VoiceConversation
import VoiceSimulator

/// The user in the room of a run of faults.
final class FaultRoom: Sendable {
    /// What is louder is heard (-50 dBFS).
    private static let audible: Float = 0.003

    private struct State {
        var user: ScriptedUser
        var cuts = 0
        var isPresent = true
    }

    private let ledger: FaultLedger
    private let utterances: [[Float]]
    private let state: Mutex<State>

    init(seed: UInt64, speed: Double, ledger: FaultLedger) {
        self.ledger = ledger
        utterances = ["Hey", "Tell me", "What else", "No wait"].map { text in
            SpokenQuestion.samples48k(text, voice: .tones, leadMilliseconds: 0, tailMilliseconds: 20)
                .map { Float($0) / 32768 }
        }
        var manners = ScriptedUser.Manners()
        manners.pause = 50...500
        manners.interruptsAfter = 50...900
        manners.hearsOut = 55
        // What the services take is real time.
        manners.patience = max(4000, Int(400 * speed))
        state = Mutex(
            State(user: ScriptedUser(utterances: utterances.map { $0.count / 48 }, manners: manners, seed: seed))
        )
    }

    var tally: ScriptedUser.Tally { state.withLock { $0.user.tally } }

    func note(_ effect: ConversationEffect) {
        if case .stopVoice = effect { state.withLock { $0.cuts += 1 } }
    }

    /// The user says nothing any more.
    func leave() {
        state.withLock { $0.isPresent = false }
    }

    /// One period of the room: see `FileRoom.Listener`.
    func listen(_ room: FileRoom, _ played: UnsafeBufferPointer<Float>) {
        let isSounding = played.contains { abs($0) > Self.audible }
        let isReady = ledger.isReady
        let said: Int? = state.withLock { state in
            guard state.isPresent else { return nil }
            return state.user.step(.init(isSounding: isSounding, cuts: state.cuts, isReady: isReady))
        }
        if let said { room.say(utterances[said]) }
    }
}
