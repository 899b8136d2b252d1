internal import Synchronization
internal import VoiceBase

/// A room made of files, for demonstrations and tests on a machine without sound: what is said into its microphone, and
/// where its loudspeaker is recorded.
package final class FileRoom: Sendable {
    /// The way from the loudspeaker into the microphone.
    package struct Echo: Sendable, Equatable {
        /// 0 ... 250.
        package var delayMilliseconds: Int
        /// Of the direct path.
        package var gainDecibels: Double
        /// Time in which reflections fall by 60 dB, 0 ... 1000; 0 for a room without any.
        package var reverberationMilliseconds: Int
        /// Level of white noise at the microphone in dBFS; nil for none.
        package var noiseDecibels: Double?

        package init(
            delayMilliseconds: Int,
            gainDecibels: Double,
            reverberationMilliseconds: Int = 0,
            noiseDecibels: Double? = nil
        ) {
            self.delayMilliseconds = min(250, max(0, delayMilliseconds))
            self.gainDecibels = gainDecibels
            self.reverberationMilliseconds = min(1000, max(0, reverberationMilliseconds))
            self.noiseDecibels = noiseDecibels
        }
    }

    private struct Speech {
        /// Not spoken yet, in order; `spoken` counts what is done of the first.
        var queue: [[Float]] = []
        var spoken = 0
    }

    /// Ten minutes in all may wait to be said.
    private static let longest = AudioFormat.deviceRate * 600

    /// Somebody in the room: gets what the loudspeaker plays, a period at a time, on the card's thread.
    ///
    /// What it has the room say in the call is heard from the same period on. While it waits, the room's time stands
    /// still, and the daemon's microphone with it.
    package typealias Listener = @Sendable (FileRoom, UnsafeBufferPointer<Float>) -> Void

    let recording: String?
    /// Of the recording: 1 for the mean of what is played, 2 for left and right.
    let channels: Int
    let echo: Echo?
    let speed: Double
    private let listener: Listener?
    private let speech = Mutex(Speech())

    /// - Parameters:
    ///   - speech: a mono 16 bit WAV at 48 kHz that is said first, or nil.
    ///   - recording: the WAV to write what is played to, or nil.
    ///   - channels: of the recording: 1, the mean of what is played, or 2, left and right.
    ///   - speed: how many times faster than real time the card runs, 1 ... 100, as far as the machine keeps up.
    package init(
        speech path: String? = nil,
        recording: String? = nil,
        channels: Int = 1,
        echo: Echo? = nil,
        speed: Double = 1,
        listener: Listener? = nil
    ) throws(AudioDeviceError) {
        self.recording = recording
        self.channels = min(2, max(1, channels))
        self.echo = echo
        self.speed = min(100, max(1, speed))
        self.listener = listener
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

    /// Lets the listener hear the next frames of the loudspeaker.
    func listen(_ frames: UnsafePointer<Float>, count: Int) {
        listener?(self, UnsafeBufferPointer(start: frames, count: count))
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
