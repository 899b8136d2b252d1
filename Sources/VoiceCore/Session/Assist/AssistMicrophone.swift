internal import VoiceBase
internal import VoiceConversation

/// Finds the turns in the microphone's sound, and gives it out in the form that Home Assistant takes. Lives on the network thread.
final class AssistMicrophone {
    enum Event: Equatable {
        /// Times are in ms of the session's audio.
        case began(at: Int)
        case ended(at: Int)
        case dropped(at: Int)
    }

    /// Steps of 10 ms in a piece of sound.
    private static let piece = 4

    private let analyzer: MicrophoneAnalyzer
    private var turn: LocalTurn
    /// Steps so far, and the next one to give out.
    private(set) var steps = 0
    private var next = 0
    private var turnStart = 0
    private var gain: Float = 1
    /// Added to the times.
    private let offset: Int

    /// - Parameters:
    ///   - offset: ms of held sound that the session does not get.
    ///   - hangover: silence that ends a turn, in ms.
    init(hasVoiceDetector: Bool, hangover: Int, offset: Int) {
        analyzer = MicrophoneAnalyzer(hasVoiceDetector: hasVoiceDetector)
        var options = LocalTurn.Options()
        options.hangover = hangover / 10
        // Home Assistant reports the words too late for turn detection.
        options.hasWords = false
        turn = LocalTurn(options: options)
        self.offset = offset
    }

    var milliseconds: Int { steps * 10 + offset }

    /// Takes 10 ms.
    func consume(_ step: MicrophoneChunk) -> [Event] {
        let heard = analyzer.consume(step)
        steps += 1
        return turn.handle(.heard(heard)).compactMap { effect in
            switch effect {
            case .began(let from):
                turnStart = from
                return .began(at: from * 10 + offset)
            case .give:
                // Sound that was handed over cannot be taken back: speech that continues begins another turn.
                _ = turn.handle(.requestActs)
                return .ended(at: max(0, steps - turn.hangover) * 10 + offset)
            case .drop: return .dropped(at: milliseconds)
            // Words come too late for these effects, and the conversation itself handles an interruption.
            case .look, .goesOn, .supersede, .bargeIn, .resumeAnswer: return nil
            }
        }
    }

    func forgetTurn() { _ = turn.handle(.forgotten) }

    func answerBegan() { _ = turn.handle(.answerBegan) }

    func answerEnded() { _ = turn.handle(.answerEnded) }

    // MARK: Sound

    /// Sound is given out from the beginning of the turn.
    func openTurn() {
        next = max(next, turnStart)
        gain = analyzer.gain(of: turnStart..<steps)
    }

    /// Sound is given out from now on, whether anyone speaks or not.
    func open() { (next, gain) = (steps, 1) }

    /// The sound that has not been given out yet: whole pieces, or all of it at the end of the turn. At -23 dBFS during speech, as
    /// recognisers prefer.
    func sound(isWhole: Bool) -> (bytes: [UInt8], steps: Int)? {
        let count = steps - next
        guard count >= (isWhole ? 1 : Self.piece) else { return nil }
        let samples = analyzer.sound(of: next..<steps, gain: gain)
        next = steps
        return (samples.withUnsafeBytes { Array($0) }, count)
    }
}
