internal import Synchronization
import VoiceAudio
import VoiceBase
import VoiceConversation
import VoiceSimulator

/// The user in the room of a fault run.
final class FaultRoom: Sendable {
    /// Threshold of audible sound (-50 dBFS).
    private static let audible: Float = 0.003

    private struct State {
        var user: ScriptedUser
        var cuts = 0
        var isPresent = true
    }

    private let ledger: FaultLedger
    private let utterances: [[Float]]
    private let state: Mutex<State>

    init(seed: UInt64, options: FaultOptions, ledger: FaultLedger) {
        self.ledger = ledger
        // Where the daemon detects the turns itself, a syllable is not a turn.
        let texts =
            options.isRealtime
            ? ["Hey", "Tell me", "What else", "No wait"]
            : ["Tell everybody yesterday happened", "What else is there", "No wait a moment please"]
        utterances = texts.map { text in
            SpokenQuestion.samples48k(text, voice: .tones, leadMilliseconds: 0, tailMilliseconds: 20)
                .map { Float($0) / 32768 }
        }
        var manners = ScriptedUser.Manners()
        manners.pause = 50...500
        manners.interruptsAfter = 50...900
        manners.hearsOut = 55
        // The services take real time, while the room may run faster.
        let patience = Int(FaultLedger.patience.milliseconds)
        manners.patience = options.isRealtime ? max(4000, Int(400 * options.speed)) : patience
        if !options.isRealtime { manners.pause = 200...1500 }
        state = Mutex(
            State(user: ScriptedUser(utterances: utterances.map { $0.count / 48 }, manners: manners, seed: seed))
        )
    }

    var tally: ScriptedUser.Tally { state.withLock { $0.user.tally } }

    func note(_ effect: ConversationEffect) {
        if case .stopVoice = effect { state.withLock { $0.cuts += 1 } }
    }

    /// Makes the user silent from now on.
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
