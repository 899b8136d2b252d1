internal import VoiceBase
internal import VoiceReply

/// The media player's decisions: queue, pause, the order of items. No input or output, no clock, no task.
///
/// One job at a time is decoded into one ring. When a recording is decoded to its end, seconds before it is heard to
/// its end, the next item is decoded after it, so that there is no gap. A live stream that breaks is reconnected with
/// growing pauses; a recording resumes where it broke, a few times.
package struct MediaMachine: Sendable, Equatable {
    package struct Options: Sendable, Equatable {
        /// Maximum number of waiting items; more are refused.
        package var longestQueue = 200
        /// Attempts in a row to resume a recording that broke.
        package var mends = 3
        /// Attempts in a row to reconnect a live stream.
        package var reconnects = 8
        package var reconnectFirst = Duration.seconds(1)
        package var reconnectLongest = Duration.seconds(30)
        /// The voice may comment each time after this many items; 0 for never.
        package var interludeEvery = Configuration.Media().interludeEvery

        package init() {}
    }

    /// An item being decoded or played.
    struct Running: Sendable, Equatable {
        var item: MediaItem
        var job: Int
        /// The second of the item that is at `position` of the ring; `position` is nil until something is decoded.
        var start: Double
        var position: UInt64?
        /// The same for its latest job, which differs once the item was resumed after a break.
        var jobStart: Double
        var jobPosition: UInt64?
        /// The position after its last frame, once it is completely decoded.
        var end: UInt64?
        /// Failures in a row; a job that decoded more than half a minute resets the count.
        var failures = 0
        /// Whether anything of it was decoded.
        var hasBegun = false
        /// How its job broke while the item before it was still heard; nil if it did not.
        var broken: Broken?
        var duration: Double?
        var nowPlaying: String?
        /// The second that was remembered last.
        var remembered: Double

        init(_ item: MediaItem, job: Int, from second: Double) {
            (self.item, self.job, start, jobStart, remembered) = (item, job, second, second, second)
        }
    }

    struct Broken: Sendable, Equatable {
        var frames: Int
        var failure: String
    }

    static let rate = Double(AudioFormat.deviceRate)
    private static let mostBefore = 50
    /// After this many seconds of an item, "previous" restarts it.
    private static let restartsAfter = 3.0
    /// The place in a podcast is remembered once per this many seconds: each time, the whole history is written.
    static let placeEvery = 300.0

    let options: Options
    /// The item that is heard, or about to be.
    var current: Running?
    /// The item that is decoded after it.
    var next: Running?
    package internal(set) var queue: [MediaItem] = []
    /// The interrupted item and queue; nil while there is no interjection.
    var interrupted: Interrupted?
    /// The last interjection was not heard to its end, or was stopped just after it.
    package internal(set) var interjectionWasCut = false
    /// Items heard earlier, the latest last.
    private var before: [MediaItem] = []
    package internal(set) var isPaused = false
    var isReconnecting = false
    /// All frames before this position have been played.
    var heard: UInt64 = 0
    var jobs = 0
    var sinceInterlude = 0
    var sleepAsked = false
    var effects: [MediaEffect] = []

    package init(options: Options = Options()) { self.options = options }

    package mutating func handle(_ event: MediaEvent) -> [MediaEffect] {
        effects = []
        defer { effects = [] }
        switch event {
        case .play, .order(.stop): dropInterjection()
        case .order(.skip), .order(.clear), .seek, .remove:
            if interrupted != nil { return changeInterrupted(event) }
        case .order: restore()
        default: break
        }
        switch event {
        case .play(let item, let second): play(item, from: second)
        case .enqueue(let items): enqueue(items)
        case .interject(let items): interject(items)
        case .order(.pause): pause()
        case .order(.resume): resume()
        case .order(.skip): skip()
        case .order(.previous): previous()
        case .order(.stop):
            // Often said on its last word, and noticed after it.
            interjectionWasCut = true
            stop()
        case .order(.clear): clear()
        case .seek(let second): seek(second)
        case .remove(let place): remove(place)
        case .sleep(let after): sleep(after)
        case .resolved(let job, let item, let second, let more): resolved(job, item, second, more)
        case .began(let job, let position): began(job, at: position)
        case .title(let job, let text): change(job) { if $0.item.title.isEmpty { $0.item.title = text } }
        case .artist(let job, let text): change(job) { if $0.item.artist == nil { $0.item.artist = text } }
        case .nowPlaying(let job, let text): change(job) { $0.nowPlaying = text.isEmpty ? nil : text }
        case .duration(let job, let seconds): change(job) { $0.duration = seconds }
        case .ended(let job, let frames, let failure): ended(job, frames, failure)
        case .played(let position): played(position)
        case .timer(.reconnect): reconnect()
        case .timer(.sleep): slept()
        case .timer(.interjection): restore()
        }
        assert(next == nil || current != nil, "an item is prepared to follow none")
        return effects
    }

    /// Whether a report of this job still matters.
    package func knows(_ job: Int) -> Bool { current?.job == job || next?.job == job }

    /// The second of the current item that is heard now.
    var second: Double { current.map(second(of:)) ?? 0 }

    private func second(of running: Running) -> Double {
        let last = running.end.map { min($0, heard) } ?? heard
        guard let position = running.position, last > position else { return running.start }
        return running.start + Double(last - position) / Self.rate
    }

    private mutating func change(_ job: Int, _ body: (inout Running) -> Void) {
        if current?.job == job {
            if var running = current {
                body(&running)
                current = running
            }
        } else if next?.job == job, var running = next {
            body(&running)
            next = running
        }
    }

    // MARK: Requests

    private mutating func play(_ item: MediaItem, from second: Double) {
        leave(isDone: false)
        cut()
        begin(item, from: second)
    }

    private mutating func enqueue(_ items: [MediaItem]) {
        if interrupted != nil { return enqueueBehind(items) }
        queue += items.prefix(max(0, options.longestQueue - queue.count))
        if current == nil { advance() } else { decodeAhead() }
    }

    mutating func pause() {
        guard current != nil, !isPaused else { return }
        isPaused = true
        effects.append(.pause(true))
        // The server would cut off a live stream that is not read, and its sound would be old when it resumes.
        if current?.item.kind == .radio {
            cancelReconnect()
            current?.position = nil
            effects.append(.cut)
        }
        rememberPlace()
    }

    private mutating func resume() {
        guard let running = current else { return advance() }
        guard isPaused else { return }
        isPaused = false
        effects.append(.pause(false))
        guard running.item.kind == .radio else { return }
        cancelReconnect()
        again(from: 0)
    }

    private mutating func skip() {
        guard current != nil || !queue.isEmpty else { return }
        leave(isDone: false)
        unpause()
        if let position = next?.position {
            effects.append(.skip(to: position))
            takeNext()
        } else if let following = next {
            cut()
            begin(following.item, from: following.start)
        } else {
            cut()
            advance()
        }
    }

    private mutating func previous() {
        let isUnderWay = current.map { $0.item.kind != .radio && second > Self.restartsAfter } ?? false
        var earlier = before
        guard let item = isUnderWay ? current?.item : earlier.popLast() else { return }
        // The user did not choose the sound of another program.
        let interrupted = isUnderWay ? nil : current.flatMap { $0.item.inputName == nil ? $0.item : nil }
        let following = next?.item
        leave(isDone: false)
        // `leave` may have added the current item, but it was not heard before the one that begins now.
        before = earlier
        // Replaces the place where a podcast would be resumed.
        if isUnderWay, item.kind == .podcast { effects.append(.remember(item, second: 1, isDone: false)) }
        queue.insert(contentsOf: [interrupted, following].compactMap { $0 }, at: 0)
        cut()
        begin(item, from: 0)
    }

    private mutating func stop() {
        leave(isDone: false)
        if let following = next { queue.insert(following.item, at: 0) }
        cut()
        unpause()
        sleep(nil)
    }

    /// All waiting items, also one that is decoded already.
    package var waiting: [MediaItem] { interrupted?.queue ?? (next.map { [$0.item] } ?? []) + queue }

    /// Whether an interjection is heard.
    package var interjects: Bool { interrupted != nil }

    private mutating func clear() {
        queue = []
        if next != nil { restart(from: second) }
    }

    private mutating func remove(_ place: Int) {
        guard waiting.indices.contains(place) else { return }
        guard next != nil else {
            _ = queue.remove(at: place)
            return
        }
        if place > 0 { queue.remove(at: place - 1) } else { restart(from: second) }
    }

    private mutating func seek(_ second: Double) {
        guard let running = current, running.item.kind != .radio, second.isFinite else { return }
        if let following = next { queue.insert(following.item, at: 0) }
        restart(from: min(max(0, second), running.duration ?? .greatestFiniteMagnitude))
    }

    /// Decodes the current item again from here; sound that is decoded of this item and of the next one is dropped.
    private mutating func restart(from second: Double) {
        guard var running = current else { return }
        cut()
        (running.position, running.start, running.failures) = (nil, second, 0)
        current = running
        again(from: second)
    }

    private mutating func sleep(_ after: Duration?) {
        if let after {
            sleepAsked = true
            effects.append(.startTimer(.sleep, after))
        } else if sleepAsked {
            sleepAsked = false
            effects.append(.cancelTimer(.sleep))
        }
    }

    private mutating func slept() {
        guard sleepAsked else { return }
        sleepAsked = false
        guard current != nil else { return }
        dropInterjection()
        stop()
        effects.append(.report(.slept))
    }

    // MARK: Reports

    private mutating func resolved(_ job: Int, _ item: MediaItem, _ second: Double, _ more: [MediaItem]) {
        guard knows(job) else { return }
        change(job) {
            $0.item = item
            $0.jobStart = second
            if $0.position == nil { $0.start = second }
        }
        queue.insert(contentsOf: more.prefix(max(0, options.longestQueue - queue.count)), at: 0)
    }

    private mutating func began(_ job: Int, at position: UInt64) {
        change(job) {
            $0.jobPosition = position
            $0.hasBegun = true
            if $0.position == nil { ($0.position, $0.start, $0.remembered) = (position, $0.jobStart, $0.jobStart) }
        }
    }

    private mutating func played(_ position: UInt64) {
        heard = max(heard, position)
        while let running = current, let end = running.end, heard >= end {
            leave(isDone: true)
            if let following = next {
                interlude(after: running.item, before: following.item)
                takeNext()
            } else if queue.isEmpty, interrupted != nil {
                restore()
            } else if queue.isEmpty {
                effects.append(.report(.queueEnded(last: running.item.title)))
            } else {
                interlude(after: running.item, before: queue[0])
                advance()
            }
        }
        if let running = current, second(of: running) >= running.remembered + Self.placeEvery { rememberPlace() }
    }

    private mutating func interlude(after ended: MediaItem, before next: MediaItem) {
        guard interrupted == nil else { return }
        sinceInterlude += 1
        guard options.interludeEvery > 0, sinceInterlude >= options.interludeEvery else {
            return effects.append(.report(.itemEnded(ended.title, next: next.title)))
        }
        sinceInterlude = 0
        effects.append(.report(.interlude(ended: ended.title, next: next.title)))
    }

    // MARK: Steps

    mutating func begin(_ item: MediaItem, from second: Double) {
        unpause()
        jobs += 1
        current = Running(item, job: jobs, from: second)
        effects.append(.prepare(job: jobs, item, from: second))
    }

    /// Plays the next item of the queue; after an interjection, the interrupted item.
    mutating func advance() {
        guard current == nil else { return }
        guard !queue.isEmpty else { return restore() }
        begin(queue.removeFirst(), from: 0)
    }

    /// Decodes the next item after one that is completely decoded.
    mutating func decodeAhead() {
        guard let running = current, running.end != nil, next == nil, !queue.isEmpty else { return }
        jobs += 1
        let item = queue.removeFirst()
        next = Running(item, job: jobs, from: 0)
        effects.append(.prepare(job: jobs, item, from: 0))
    }

    /// Ends the current item, finished or not, and adds it to the history.
    mutating func leave(isDone: Bool) {
        guard let running = current else { return }
        // The user did not choose the sound of another program, or an interjection.
        if running.item.inputName == nil, interrupted == nil {
            noteLeft(running.item, second: second(of: running), isDone: isDone)
        }
        current = nil
        cancelReconnect()
    }

    /// Adds an item that is over to the history.
    mutating func noteLeft(_ item: MediaItem, second: Double, isDone: Bool) {
        effects.append(.remember(item, second: second, isDone: isDone))
        before.append(item)
        if before.count > Self.mostBefore { before.removeFirst() }
    }

    mutating func rememberPlace() {
        guard let running = current, running.item.kind == .podcast, interrupted == nil else { return }
        let second = second(of: running)
        current?.remembered = second
        effects.append(.remember(running.item, second: second, isDone: false))
    }

    mutating func cut() {
        next = nil
        cancelReconnect()
        effects.append(.cut)
    }

    mutating func unpause() {
        guard isPaused else { return }
        isPaused = false
        effects.append(.pause(false))
    }
}
