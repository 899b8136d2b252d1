internal import Synchronization

/// A room made of files, for demonstrations and tests on a machine without sound: what is said into its microphone, and
/// where its loudspeaker is recorded.
package final class FileRoom: Sendable {
    /// The way from the loudspeaker into the microphone.
    package struct Echo: Sendable, Equatable {
        /// 0 ... 250.
        package var delayMilliseconds: Int
        package var gainDecibels: Double

        package init(delayMilliseconds: Int, gainDecibels: Double) {
            self.delayMilliseconds = min(250, max(0, delayMilliseconds))
            self.gainDecibels = gainDecibels
        }
    }

    private struct Speech {
        /// Not spoken yet, in order; `spoken` counts what is done of the first.
        var queue: [[Float]] = []
        var spoken = 0
    }

    /// Ten minutes in all may wait to be said.
    private static let longest = AudioFormat.deviceRate * 600

    let recording: String?
    let echo: Echo?
    private let speech = Mutex(Speech())

    /// - Parameters:
    ///   - speech: a mono 16 bit WAV at 48 kHz that is said first, or nil.
    ///   - recording: the WAV to write what is played to, or nil.
    package init(speech path: String? = nil, recording: String? = nil, echo: Echo? = nil) throws(AudioDeviceError) {
        self.recording = recording
        self.echo = echo
        if let path { try say(file: path) }
    }

    /// Says a mono 16 bit WAV at 48 kHz after everything said so far. Any thread.
    package func say(file path: String) throws(AudioDeviceError) {
        say(try WaveFile.read(path))
    }

    /// Says samples at 48 kHz, full scale 1. Beyond ten minutes in waiting they are dropped. Returns whether they are said.
    @discardableResult
    package func say(_ samples: [Float]) -> Bool {
        speech.withLock { speech in
            let waiting = speech.queue.reduce(-speech.spoken) { $0 + $1.count }
            guard !samples.isEmpty, waiting + samples.count <= Self.longest else { return false }
            speech.queue.append(samples)
            return true
        }
    }

    /// Seconds of speech that are not said yet.
    package var secondsToSay: Double {
        let waiting = speech.withLock { speech in speech.queue.reduce(-speech.spoken) { $0 + $1.count } }
        return Double(waiting) / Double(AudioFormat.deviceRate)
    }

    /// The next frames at the microphone, silence where nothing is said.
    func speak(into frames: UnsafeMutablePointer<Float>, count: Int) {
        speech.withLock { speech in
            for index in 0..<count {
                guard let current = speech.queue.first else {
                    frames[index] = 0
                    continue
                }
                frames[index] = current[speech.spoken]
                speech.spoken += 1
                if speech.spoken == current.count {
                    speech.queue.removeFirst()
                    speech.spoken = 0
                }
            }
        }
    }
}
