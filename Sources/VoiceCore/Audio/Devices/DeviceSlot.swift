internal import Glibc
internal import Synchronization

/// The microphone or the loudspeaker, shared by the audio thread (T1) and its `DeviceSupervisor`.
///
///     supervisor --offer--> T1      an open stream; T1 takes it between two cycles
///     supervisor <--return- T1      a stream that failed or was recalled; the supervisor closes it
///
/// | field | writes | reads |
/// |---|---|---|
/// | `frames`, `stillPeriods` | T1 | the supervisor, observers |
/// | `isSame` | the supervisor | T1 |
/// | `mayRest` | the daemon | T1, the supervisor |
/// | `isResting`, `isWanted` | T1; the supervisor clears them if the device cannot be opened | T1, the supervisor |
/// | `notes` | the supervisor | all but T1: it takes a lock |
///
/// Opening and closing may block and allocate, so T1 does neither. At most one stream is in transit: the supervisor offers
/// the next one only after the last one has come back.
@dynamicMemberLookup
package final class DeviceSlot: @unchecked Sendable {
    // Invariant behind @unchecked: the slot alone owns a pointer stored in it, and the thread that exchanges the pointer out
    // (acquiring) is its only owner from then on.

    private let passed = Atomic<UInt64>(0)
    private let still = Atomic<Int>(0)
    private let resting = Atomic<Bool>(false)
    private let restAllowed = Atomic<Bool>(false)
    private let wanted = Atomic<Bool>(false)
    private let same = Atomic<Bool>(false)

    private let offered = Atomic<UnsafeMutablePointer<ALSAStream>?>(nil)
    private let returned = Atomic<UnsafeMutablePointer<ALSAStream>?>(nil)
    private let recalled = Atomic<Bool>(false)
    private let notes = Mutex(Notes())
    /// Rings when the supervisor has something to do.
    let bell: Doorbell
    private let waker: AudioWaker

    init(bell: Doorbell = Doorbell(), waker: AudioWaker = AudioWaker()) {
        self.bell = bell
        self.waker = waker
    }

    /// Frames that passed the device since the start; a count that stands still means a dead device.
    package internal(set) var frames: UInt64 {
        get { passed.load(ordering: .relaxed) }
        set { passed.store(newValue, ordering: .relaxed) }
    }

    /// Consecutive periods in which every sample was the same: digital silence, or a constant.
    package internal(set) var stillPeriods: Int {
        get { still.load(ordering: .relaxed) }
        set { still.store(newValue, ordering: .relaxed) }
    }

    /// Whether the microphone delivered the same value for half a second and more, until now or until it was given up:
    /// a working microphone does so only while its own key mutes it.
    package var deliversOneValue: Bool { stillPeriods >= 50 }

    /// Whether the device may be given back while there is no sound to play.
    package internal(set) var mayRest: Bool {
        get { restAllowed.load(ordering: .acquiring) }
        set {
            guard restAllowed.exchange(newValue, ordering: .acquiringAndReleasing) != newValue else { return }
            bell.ring()
            waker.wake()
        }
    }

    /// Whether it was given back for lack of sound, until it is open again or cannot be opened.
    var isResting: Bool {
        get { resting.load(ordering: .acquiring) }
        set { resting.store(newValue, ordering: .releasing) }
    }

    /// Whether sound waits for it.
    var isWanted: Bool {
        get { wanted.load(ordering: .acquiring) }
        set { wanted.store(newValue, ordering: .releasing) }
    }

    /// Whether the stream offered is of the same device, with the same parameters, as the one before.
    var isSame: Bool {
        get { same.load(ordering: .acquiring) }
        set { same.store(newValue, ordering: .releasing) }
    }

    /// Whether sound passes the device.
    package var isOpen: Bool { self.state.isOpen }

    /// The supervisor's facts about the device.
    package struct Notes: Sendable {
        package internal(set) var state = DeviceState.waiting(reason: "not opened yet")
        /// ALSA name of the device opened last; nil before the first.
        var device: String?
        /// The parameters of the device opened last and the fill level for its buffer, in frames at 48 kHz.
        var granted: (plan: StreamPlan, fill: Int)?
        /// Use of the microphone opened last, and the reason.
        package internal(set) var choice: CaptureChoice?
        /// Channels of the device opened last; a loudspeaker is assumed to have two until then.
        package internal(set) var channels = 2
        /// Streams that were opened, and streams that were given up.
        package internal(set) var openings: UInt64 = 0
        package internal(set) var losses: UInt64 = 0
    }

    /// Each of the notes.
    package subscript<Member>(dynamicMember member: KeyPath<Notes, Member>) -> Member {
        notes.withLock { $0 }[keyPath: member]
    }

    subscript<Member: Sendable>(dynamicMember member: WritableKeyPath<Notes, Member>) -> Member {
        get { notes.withLock { $0 }[keyPath: member] }
        set { notes.withLock { $0[keyPath: member] = newValue } }
    }

    // MARK: Supervisor

    func offer(_ stream: UnsafeMutablePointer<ALSAStream>) {
        recalled.store(false, ordering: .relaxed)
        stillPeriods = 0
        self.channels = stream.pointee.parameters.channels
        self.openings += 1
        offered.store(stream, ordering: .releasing)
        waker.wake()
    }

    /// Takes back an offer that T1 has not accepted.
    func withdraw() -> UnsafeMutablePointer<ALSAStream>? {
        offered.exchange(nil, ordering: .acquiringAndReleasing)
    }

    /// Asks T1 to return the stream.
    func recall() {
        recalled.store(true, ordering: .releasing)
        waker.wake()
    }

    /// Takes the stream that T1 has given back, with the errno that ended it.
    func takeReturned() -> (stream: UnsafeMutablePointer<ALSAStream>, errno: Int32)? {
        guard let stream = returned.exchange(nil, ordering: .acquiringAndReleasing) else { return nil }
        return (stream, stream.pointee.endedBy)
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

    /// Returns a stream to the supervisor to be closed. `errno` 0: it was not lost, the audio thread ends.
    func giveBack(_ stream: UnsafeMutablePointer<ALSAStream>, errno: Int32) {
        stream.pointee.endedBy = errno
        returned.store(stream, ordering: .releasing)
        bell.ring()
    }
}

/// State of one device; `reason` is a line for people.
package enum DeviceState: Sendable, Equatable {
    /// The device cannot be opened; attempts continue.
    case waiting(reason: String)
    case running
    /// The device was open, and is being reopened.
    case lost(reason: String)
    /// The device runs, but delivers the same value forever: muted by a switch of its own, or broken.
    case silent
    /// The loudspeaker was closed for lack of sound, and is opened again for the next sound.
    case resting

    /// Whether sound passes the device, silence included, or will once there is any.
    package var isOpen: Bool {
        switch self {
        case .running, .silent, .resting: true
        case .waiting, .lost: false
        }
    }

    /// Whether it delivers the same value forever, or did until it was reopened for that.
    package var isConstant: Bool { self == .silent || self == .lost(reason: DeviceHealth.constant) }

    /// Returns the reason why no sound passes, with its usual cause; nil if sound passes, silence included.
    package func hint(_ direction: AudioDirection) -> String? {
        switch self {
        case .running, .silent, .resting, .lost(DeviceHealth.constant): nil
        case .lost(DeviceHealth.nothing) where direction == .capture:
            DeviceHealth.nothing + "; muted by a key of its own, or stuck"
        case .waiting(let reason), .lost(let reason): reason
        }
    }
}
