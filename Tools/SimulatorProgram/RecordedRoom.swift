import Glibc
import Synchronization
import VoiceAudio
import VoiceBase
import VoiceSimulator

/// A room of files that records both sides of a conversation, and how long the user waits for the first sample of the
/// answer.
///
/// Times are counted in samples. The daemon hears what is said in a period of the card from that period on.
final class RecordedRoom: Sendable {
    fileprivate struct Line {
        var samples: [Float]
        var isMeasured: Bool
    }

    fileprivate struct State {
        var line: Line?
        var said = 0
        /// Number of frames so far.
        var now = 0
        /// The frame after the last word of a line; nil if its answer is not measured.
        var askedAt: Int?
        var wait: Duration?
        /// The mix of both sides, at 48 kHz.
        var recording: [Int16] = []
        var isRecorded: Bool
    }

    /// Longest recording, in frames: twenty minutes.
    private static let longest = 20 * 60 * AudioFormat.deviceRate
    /// Threshold of an audible answer, full scale 1.
    private static let audible: Float = 0.01

    private let state: Mutex<State>

    /// - Parameter isRecorded: whether to keep the audio for `write`.
    init(isRecorded: Bool) { state = Mutex(State(isRecorded: isRecorded)) }

    func room(echo: FileRoom.Echo) throws(AudioDeviceError) -> FileRoom {
        try FileRoom(echo: echo) { [self] room, played in hear(played, in: room) }
    }

    /// Says samples at 48 kHz. Drops the rest of a line that is still being said.
    /// - Parameter isMeasured: whether the box is silent, so that the next sound is its answer.
    func say(_ samples: [Float], isMeasured: Bool) {
        state.withLock { state in
            (state.line, state.said) = (Line(samples: samples, isMeasured: isMeasured), 0)
            (state.askedAt, state.wait) = (nil, nil)
        }
    }

    /// Time from the last word of the last line to the first sample of the answer; nil if none was heard.
    var wait: Duration? { state.withLock { $0.wait } }

    private func hear(_ played: UnsafeBufferPointer<Float>, in room: FileRoom) {
        let said = state.withLock { state in
            var said: [Float] = []
            for sample in played {
                if let asked = state.askedAt, state.wait == nil, abs(sample) > Self.audible {
                    state.wait = .microseconds((state.now - asked) * 1_000_000 / AudioFormat.deviceRate)
                }
                let word = state.next()
                if let word { said.append(word) }
                if state.isRecorded, state.recording.count < Self.longest {
                    state.recording.append(Int16(max(-1, min(1, sample + (word ?? 0))) * 32_767))
                }
                state.now += 1
            }
            return said
        }
        room.say(said)
    }

    /// Begins a new recording.
    func record() { state.withLock { ($0.recording, $0.isRecorded) = ([], true) } }

    /// Writes the recording as a WAV file, and ends it; false if that fails.
    func write(to path: String) -> Bool {
        let samples = state.withLock { state in
            defer { (state.recording, state.isRecorded) = ([], false) }
            return state.recording
        }
        let bytes = MonoWave.bytes(samples: samples, rate: AudioFormat.deviceRate)
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard file >= 0 else { return false }
        defer { close(file) }
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.write(file, $0.baseAddress.map { $0 + written }, bytes.count - written)
            }
            guard count > 0 else { return false }
            written += count
        }
        return true
    }
}

extension RecordedRoom.State {
    /// The next sample of the line; nil if no line is being said.
    fileprivate mutating func next() -> Float? {
        guard let line, said < line.samples.count else { return nil }
        defer {
            said += 1
            if said == line.samples.count {
                askedAt = line.isMeasured ? now + 1 : nil
                self.line = nil
            }
        }
        return line.samples[said]
    }
}
