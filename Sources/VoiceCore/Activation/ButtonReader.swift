internal import CLinux
internal import Glibc
package import Logging
internal import Synchronization
internal import VoiceBase

/// Meaning of a key on a headset, a speakerphone or a remote control (codes of linux/input-event-codes.h).
package enum Button: Equatable, Sendable {
    case call
    case stop
    case mute
    case louder
    case quieter
    /// Acts on the media player, or calls if nothing plays.
    case playPause
    case next
    case previous

    /// - Parameter value: 1 for key down, 2 for repeat, 0 for key up.
    package init?(code: Int, value: Int) {
        switch code {
        case 582, 226: self = .call  // KEY_VOICECOMMAND, _MEDIA
        case 164, 200, 207, 119, 201: self = .playPause  // KEY_PLAYPAUSE, _PLAYCD, _PLAY, _PAUSE, _PAUSECD
        case 163, 407: self = .next  // KEY_NEXTSONG, _NEXT
        case 165, 412: self = .previous  // KEY_PREVIOUSSONG, _PREVIOUS
        case 128, 166, 169: self = .stop  // KEY_STOP, _STOPCD, _PHONE: the hook switch
        case 113, 248: self = .mute  // KEY_MUTE, _MICMUTE
        case 115: self = .louder
        case 114: self = .quieter
        default: return nil
        }
        let repeats = self == .louder || self == .quieter
        guard value == 1 || value == 2 && repeats else { return nil }
    }
}

/// Reads the keys of an input device on its own thread; a missing device is opened when it appears.
package final class ButtonReader: Sendable {
    private let path: String
    private let logger: Logger
    private let report: @Sendable (Button) -> Void
    private let isStopped = Atomic<Bool>(false)

    package init(path: String, logger: Logger, report: @escaping @Sendable (Button) -> Void) {
        self.path = path
        self.logger = logger
        self.report = report
    }

    package func run() async {
        await OwnThread.run("jv-keys") { self.work() }
    }

    package func stop() {
        isStopped.store(true, ordering: .releasing)
    }

    private func work() {
        var isReported = false
        while !isStopped.load(ordering: .acquiring) {
            let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
            if descriptor >= 0 {
                logger.info("listening to buttons", metadata: ["device": "\(path)"])
                isReported = false
                follow(descriptor)
                close(descriptor)
            } else if !isReported {
                isReported = true
                let reason = String(cString: strerror(errno))
                logger.warning("activation.buttons: \(private: path): \(private: reason); waiting for it")
            }
            for _ in 0..<10 where !isStopped.load(ordering: .acquiring) {
                clinux_sleep_until_ns(clinux_monotonic_ns() + 200_000_000)
            }
        }
    }

    /// Reads keys until the device disappears or the reader is stopped.
    private func follow(_ descriptor: Int32) {
        var code: Int32 = 0
        var value: Int32 = 0
        while !isStopped.load(ordering: .acquiring) {
            let result = clinux_read_key(descriptor, 250, &code, &value)
            if result < 0 { return }
            if result > 0, let button = Button(code: Int(code), value: Int(value)) { report(button) }
        }
    }
}
