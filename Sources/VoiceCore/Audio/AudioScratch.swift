internal import VoiceBase

/// The buffers of a cycle, one period each, allocated once.
struct AudioScratch: ~Copyable {
    let microphone: UnsafeMutablePointer<Float>
    let reference: UnsafeMutablePointer<Float>
    /// The voice at the card's rate.
    let speech: UnsafeMutablePointer<Float>
    let output: UnsafeMutablePointer<StereoFrame>
    let silence: UnsafeMutablePointer<StereoFrame>
    let voice: UnsafeMutablePointer<Int16>
    let clean: UnsafeMutablePointer<Int16>
    /// The signal in which words are recognised.
    let unsuppressed: UnsafeMutablePointer<Int16>

    init() {
        func floats() -> UnsafeMutablePointer<Float> {
            let pointer = UnsafeMutablePointer<Float>.allocate(capacity: AudioFormat.periodFrames)
            pointer.initialize(repeating: 0, count: AudioFormat.periodFrames)
            return pointer
        }
        func frames() -> UnsafeMutablePointer<StereoFrame> {
            let pointer = UnsafeMutablePointer<StereoFrame>.allocate(capacity: AudioFormat.periodFrames)
            pointer.initialize(repeating: .silence, count: AudioFormat.periodFrames)
            return pointer
        }
        func integers() -> UnsafeMutablePointer<Int16> {
            let pointer = UnsafeMutablePointer<Int16>.allocate(capacity: AudioFormat.wirePeriodSamples)
            pointer.initialize(repeating: 0, count: AudioFormat.wirePeriodSamples)
            return pointer
        }
        microphone = floats()
        reference = floats()
        speech = floats()
        output = frames()
        silence = frames()
        voice = integers()
        clean = integers()
        unsuppressed = integers()
    }

    deinit {
        microphone.deallocate()
        reference.deallocate()
        speech.deallocate()
        output.deallocate()
        silence.deallocate()
        voice.deallocate()
        clean.deallocate()
        unsuppressed.deallocate()
    }
}
