internal import VoiceBase

/// The last step before the microphone ring: passes periods on, or holds back the newest 480 ms and sends silence.
///
/// Nothing is sent for the first 480 ms after the gate has shut; from then on each new period pushes the oldest one out as
/// silence. When the gate opens, everything held goes out together: silence up to the talker's beginning, then the talker.
/// Every captured period is therefore sent once, in its place: the uplink neither grows nor shrinks, and a ring position
/// means the same instant whatever the gate does.
///
/// Owned by the audio thread. Allocates in `init` only.
package struct UplinkLine: ~Copyable {
    /// Capacity in periods. Longer than the gate's window and lead, and the longest silence that can delay a talker.
    package static let capacity = 48
    private static let period = AudioFormat.wirePeriodSamples

    private let samples: UnsafeMutablePointer<Int16>
    private let silence: UnsafeMutablePointer<Int16>
    private var first = 0
    /// Periods held back at present.
    private(set) var held = 0

    init() {
        samples = .allocate(capacity: Self.capacity * Self.period)
        samples.initialize(repeating: 0, count: Self.capacity * Self.period)
        silence = .allocate(capacity: Self.period)
        silence.initialize(repeating: 0, count: Self.period)
    }

    deinit {
        samples.deallocate()
        silence.deallocate()
    }

    /// Takes one period. Returns false if the ring had no room: the newest period is then lost.
    mutating func consume(
        _ new: UnsafePointer<Int16>,
        _ step: BargeInGate.Step,
        into ring: borrowing SampleRing<Int16>
    ) -> Bool {
        switch step {
        case .hold:
            if held == Self.capacity {
                guard ring.availableToWrite >= Self.period else { return false }
                ring.write(silence, count: Self.period)
                first = (first + 1) % Self.capacity
                held -= 1
            }
            slot(held).update(from: new, count: Self.period)
            held += 1
            return true
        case .pass, .release:
            guard ring.availableToWrite >= (held + 1) * Self.period else { return false }
            var kept = held
            if case .release(let count) = step { kept = min(held, count) }
            for index in 0..<held {
                ring.write(
                    index < held - kept ? UnsafePointer(silence) : UnsafePointer(slot(index)), count: Self.period
                )
            }
            held = 0
            first = 0
            ring.write(new, count: Self.period)
            return true
        }
    }

    private func slot(_ index: Int) -> UnsafeMutablePointer<Int16> {
        samples + (first + index) % Self.capacity * Self.period
    }
}
