internal import Glibc
package import Synchronization

/// Microphone or loudspeaker, as the audio thread (T1) and whoever opens it (the keeper) share it.
///
///     keeper --offer--> T1      an open stream; T1 takes it between two cycles
///     keeper <--return- T1      a stream that failed or was recalled; the keeper closes it
///
/// Opening and closing may block and allocate, so T1 does neither. At most one stream is under way: the keeper offers
/// the next one only after it has got the last one back.
package final class AudioSide: @unchecked Sendable {
    // Invariant behind @unchecked: a pointer in one of the two slots has no owner but the slot, and who exchanges it out
    // (acquiring) is its only owner from then on.

    /// Frames that went through the device since the start; one that stands still is the sign of a dead device.
    package let frames = Atomic<UInt64>(0)
    /// Periods in a row in which every sample was the same: digital silence, or a constant.
    package let stillPeriods = Atomic<Int>(0)
    /// Of the device that was opened last; until then a loudspeaker is taken to have two. The keeper writes.
    package let channels = Atomic<Int>(2)
    /// How the microphone that was opened last is listened to: `CapturePlan.packed`. The keeper writes.
    let plan = Atomic<Int>(0)
    /// Streams that were given up, and streams that were opened.
    package let losses = Atomic<UInt64>(0)
    package let openings = Atomic<UInt64>(0)

    private let offered = Atomic<UnsafeMutablePointer<ALSAStream>?>(nil)
    private let returned = Atomic<UnsafeMutablePointer<ALSAStream>?>(nil)
    private let reason = Atomic<Int>(0)
    private let recalled = Atomic<Bool>(false)
    private let grantedByDevice = Mutex<Granted?>(nil)
    private let choiceOfKeeper = Mutex<CaptureChoice?>(nil)
    private let nameOfDevice = Mutex<String?>(nil)
    private let stateOfKeeper = Mutex(DeviceState.waiting(reason: "not opened yet"))

    package init() {}

    /// What is known of the device; T1 never touches it.
    package internal(set) var state: DeviceState {
        get { stateOfKeeper.withLock { $0 } }
        set { stateOfKeeper.withLock { $0 = newValue } }
    }

    /// The ALSA name of the device that was opened last; nil until there was one. T1 never touches it.
    var device: String? {
        get { nameOfDevice.withLock { $0 } }
        set { nameOfDevice.withLock { $0 = newValue } }
    }

    /// How the device that was opened last runs, and what its buffer is to be filled to, in frames at 48 kHz.
    struct Granted: Sendable {
        var plan: StreamPlan
        var fill: Int
    }

    /// T1 never touches it.
    var granted: Granted? {
        get { grantedByDevice.withLock { $0 } }
        set { grantedByDevice.withLock { $0 = newValue } }
    }

    /// How the microphone that was opened last is listened to, and why; T1 takes `plan`.
    package internal(set) var choice: CaptureChoice? {
        get { choiceOfKeeper.withLock { $0 } }
        set { choiceOfKeeper.withLock { $0 = newValue } }
    }

    // MARK: Keeper

    func offer(_ stream: UnsafeMutablePointer<ALSAStream>) {
        recalled.store(false, ordering: .relaxed)
        stillPeriods.store(0, ordering: .relaxed)
        channels.store(stream.pointee.parameters.channels, ordering: .relaxed)
        openings.wrappingAdd(1, ordering: .relaxed)
        offered.store(stream, ordering: .releasing)
    }

    /// Takes back an offer that T1 has not taken.
    func withdraw() -> UnsafeMutablePointer<ALSAStream>? {
        offered.exchange(nil, ordering: .acquiringAndReleasing)
    }

    /// Asks T1 to return the stream.
    func recall() { recalled.store(true, ordering: .releasing) }

    /// The stream that T1 has given back, with the errno of its end.
    func takeReturned() -> (stream: UnsafeMutablePointer<ALSAStream>, errno: Int32)? {
        guard let stream = returned.exchange(nil, ordering: .acquiringAndReleasing) else { return nil }
        return (stream, Int32(truncatingIfNeeded: reason.load(ordering: .relaxed)))
    }

    // MARK: T1

    func takeOffered() -> UnsafeMutablePointer<ALSAStream>? {
        guard offered.load(ordering: .relaxed) != nil else { return nil }
        return offered.exchange(nil, ordering: .acquiringAndReleasing)
    }

    func takeRecall() -> Bool {
        guard recalled.load(ordering: .relaxed) else { return false }
        return recalled.exchange(false, ordering: .acquiring)
    }

    /// Hands a stream to the keeper to be closed. `errno` 0: it was not lost, the audio thread ends.
    func giveBack(_ stream: UnsafeMutablePointer<ALSAStream>, errno: Int32) {
        if errno != 0 { losses.wrappingAdd(1, ordering: .relaxed) }
        reason.store(Int(errno), ordering: .relaxed)
        returned.store(stream, ordering: .releasing)
    }
}

/// How one device fares; `reason` is a line for people.
package enum DeviceState: Sendable, Equatable {
    /// It cannot be opened; tried again and again.
    case waiting(reason: String)
    case running
    /// It was open, and is being opened again.
    case lost(reason: String)
    /// It runs, but delivers the same value for ever: muted by a switch of its own, or broken.
    case silent
}
