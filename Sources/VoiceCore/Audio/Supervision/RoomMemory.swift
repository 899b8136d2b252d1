package import Logging
package import VoiceBase

/// Remembers the echo path from loudspeaker to microphone, so that a start need not learn it: a word during the very first
/// sound is then heard as well as one after minutes.
///
/// A remembered path is tried, not trusted: the canceller adopts it once it has proved right, and otherwise learns as though
/// nothing had been known. The present path is requested from the audio thread at quiet moments, at least ten minutes apart,
/// and at the end.
package actor RoomMemory {
    /// Least reduction by the linear stage, in dB, that makes a path worth keeping, and the half seconds of sound it must
    /// have processed since the start or the last request.
    static let leastERLE: Float = 15
    static let leastBlocks: UInt64 = 20
    static let spacing = Duration.seconds(600)

    private let microphone: DeviceSlot
    private let loudspeaker: DeviceSlot
    private let gauges: EngineGauges
    private let exchange: EchoPathExchange
    private let volumes: VolumeControls
    private let logger: Logger
    private let store: StateStore
    private var saved = SavedRooms()
    /// The beginning up to which a path was offered.
    private var served: UInt64 = 0
    private var isReported = false
    private var asked: Duration?
    private var blocksBefore: UInt64 = 0
    private var isAsking = false

    /// - Parameters:
    ///   - directory: the state folder.
    ///   - microphone: the microphone whose echo is remembered, together with `loudspeaker` and the volume of its card.
    ///   - exchange: connection to the canceller.
    package init(
        directory: String,
        microphone: DeviceSlot,
        loudspeaker: DeviceSlot,
        gauges: EngineGauges,
        exchange: EchoPathExchange,
        volumes: VolumeControls,
        logger: Logger,
        files: FileReader = .system
    ) {
        self.microphone = microphone
        self.loudspeaker = loudspeaker
        self.gauges = gauges
        self.exchange = exchange
        self.volumes = volumes
        self.logger = logger
        store = StateStore(directory + "/rooms.toml", limit: SavedRooms.limit, logger: logger, files: files)
    }

    /// Reads the saved rooms.
    package func start() {
        saved =
            store.load {
                try SavedRooms(parsing: $0)
            } lost: { _ in
                "the remembered echo is lost; learning it again"
            }.value ?? SavedRooms()
    }

    /// Runs until cancelled: looks when the bell rings, as for new devices, and once a second.
    func run(_ bell: Doorbell) async {
        var seen = bell.rings
        while !Task.isCancelled {
            step(at: Monotonic.now())
            await bell.wait(&seen, until: Doorbell.beat())
        }
    }

    /// Keeps the present path; the audio thread must still run. Takes 50 ms at most.
    func stop() async {
        guard isWorthKeeping else { return saveAnswer() }
        if !isAsking { ask(at: Monotonic.now()) }
        for _ in 0..<10 where isAsking {
            try? await Task.sleep(for: .milliseconds(5))
            saveAnswer()
        }
    }

    func step(at now: Duration) {
        // Changes of devices come first: a pending answer belongs to the earlier ones.
        offer()
        saveAnswer()
        logRecall()
        guard !isAsking, isWorthKeeping, !gauges.echo.isPlaying else { return }
        if let asked, now - asked < Self.spacing { return }
        ask(at: now)
    }

    private var pair: (microphone: String, loudspeaker: String)? {
        guard let microphone = microphone.device, let loudspeaker = loudspeaker.device else { return nil }
        return (microphone, loudspeaker)
    }

    private func offer() {
        let beginnings = gauges.echo.beginnings
        guard beginnings != served, let pair else { return }
        served = beginnings
        // A pending answer belongs to the earlier devices.
        exchange.dropAnswer()
        isAsking = false
        blocksBefore = gauges.echo.blocks
        let volume = volumes.cardPercent
        guard let room = saved.room(microphone: pair.microphone, loudspeaker: pair.loudspeaker, volume: volume) else {
            return
        }
        exchange.offer(room)
        isReported = false
    }

    private func logRecall() {
        guard !isReported, gauges.echo.isRecalled else { return }
        isReported = true
        logger.info("echo: the remembered room was recognised")
    }

    private var isWorthKeeping: Bool {
        let status = gauges.echo
        return status.state == .good && status.isAligned && !status.isLearningMove
            && status.figures.linearERLE.map { $0 >= Self.leastERLE } == true
            && status.blocks >= blocksBefore + Self.leastBlocks
            && status.beginnings == served
    }

    private func ask(at now: Duration) {
        asked = now
        blocksBefore = gauges.echo.blocks
        isAsking = true
        exchange.ask()
    }

    private func saveAnswer() {
        guard isAsking, gauges.echo.beginnings == served, let answer = exchange.takeAnswer() else { return }
        isAsking = false
        guard let pair else { return }
        saved.keep(
            RememberedRoom(
                microphone: pair.microphone, loudspeaker: pair.loudspeaker, volume: volumes.cardPercent,
                bias: answer.bias, path: answer.path
            )
        )
        store.save(Array(saved.text.utf8), failing: "the echo is not remembered")
    }
}
