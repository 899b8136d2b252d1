internal import Synchronization
internal import VoiceBase

/// A room made of files, for demonstrations and tests on a machine without audio: supplies the speech at its microphone and
/// the recording of its loudspeaker.
package final class FileRoom: Sendable {
    /// Echo path from the loudspeaker to the microphone.
    package struct Echo: Sendable, Equatable {
        /// 0 ... 250.
        package var delayMilliseconds: Int
        /// Gain of the direct path.
        package var gainDecibels: Double
        /// Time in which reflections decay by 60 dB, 0 ... 1000; 0 for a room without reflections.
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
        /// Speech in order; `spoken` counts the samples already spoken of the first entry.
        var queue: [[Float]] = []
        var spoken = 0
    }

    /// Most speech that may be queued: ten minutes.
    private static let longest = AudioFormat.deviceRate * 600

    /// A listener in the room: receives what the loudspeaker plays, one period at a time, on the card's thread.
    ///
    /// Speech that it queues during the call is heard from the same period on. While it blocks, the room's time stands still,
    /// and so does the daemon's microphone.
    package typealias Listener = @Sendable (FileRoom, UnsafeBufferPointer<Float>) -> Void

    let recording: String?
    /// Channels of the recording: 1 for the mean of the output, 2 for left and right.
    let channels: Int
    let echo: Echo?
    let speed: Double
    private let listener: Listener?
    private let speech = Mutex(Speech())

    /// - Parameters:
    ///   - speech: a mono 16 bit WAV at 48 kHz to speak first, or nil.
    ///   - recording: the WAV to record the output to, or nil.
    ///   - channels: of the recording: 1 for the mean of the output, 2 for left and right.
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

    /// Queues a mono 16 bit WAV at 48 kHz after all other speech. Any thread.
    package func say(file path: String) throws(AudioDeviceError) {
        say(try WaveFile.read(path))
    }

    /// Queues samples at 48 kHz, full scale 1. Drops them if more than ten minutes would be queued. Returns whether they are
    /// queued.
    @discardableResult
    package func say(_ samples: [Float]) -> Bool {
        speech.withLock { speech in
            let waiting = speech.queue.reduce(-speech.spoken) { $0 + $1.count }
            guard !samples.isEmpty, waiting + samples.count <= Self.longest else { return false }
            speech.queue.append(samples)
            return true
        }
    }

    /// Seconds of speech still to be spoken.
    package var secondsToSay: Double {
        let waiting = speech.withLock { speech in speech.queue.reduce(-speech.spoken) { $0 + $1.count } }
        return Double(waiting) / Double(AudioFormat.deviceRate)
    }

    /// Passes the next frames of the loudspeaker to the listener.
    func listen(_ frames: UnsafePointer<Float>, count: Int) {
        listener?(self, UnsafeBufferPointer(start: frames, count: count))
    }

    /// Writes the next frames at the microphone; silence if there is no speech.
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
