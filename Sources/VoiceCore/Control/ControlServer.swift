internal import CLinux
internal import Glibc
package import Logging
internal import VoiceBase

/// The control socket: takes requests of local clients, one after another each, and answers them.
///
///     client --lines--> [ jv-control: poll ] --request--> task, handler --reply--> ControlOutbox --> client
///
/// A line is bounded, so are the number of clients and the time in which they ask nothing (`ControlSeats`); a client that does
/// not read what it is sent is dropped, so is one whose lines are no requests, and while a request of a client is under way
/// none of its next ones is read.
package final class ControlServer: Sendable {
    package struct Options: Sendable {
        package var path: String
        /// Of the program, for the greeting.
        package var version: String
        package var access = ControlAccess()
        package var maximumClients = 16
        /// Bytes that may wait for a client.
        package var longestOutput = 256 << 10
        /// Lines that are no requests, after which a client is dropped.
        package var maximumBadLines = 20
        /// Orders that are taken although all clients are at work.
        package var isUrgent: @Sendable (ControlRequest) -> Bool = { _ in false }
        /// Who may stay, and for how long; its seats are `maximumClients`.
        var rule = ControlSeats.Rule()
        var clock: @Sendable () -> Duration = Monotonic.now

        package init(path: String, version: String) {
            self.path = path
            self.version = version
        }
    }

    package typealias Handler =
        @Sendable (ControlRequest, ControlAccess.Peer) async -> Result<ControlOutcome, ControlProblem>

    private let options: Options
    private let handler: Handler
    private let logger: Logger
    private let listener: Int32
    private let outbox = ControlOutbox()

    /// Makes the socket, for its user and its group only.
    /// - Throws: errno, such as EADDRINUSE where another daemon answers there.
    package init(_ options: Options, logger: Logger, handler: @escaping Handler) throws(ControlServerError) {
        listener = clinux_local_listen(options.path, 0o660, 8)
        guard listener >= 0 else { throw ControlServerError(path: options.path, errno: errno) }
        self.options = options
        self.handler = handler
        self.logger = logger
    }

    deinit { close(listener) }

    /// Serves until `stop`; clients are cut off then, and the socket is gone.
    package func run() async {
        let (options, handler, logger, listener, outbox) = (options, handler, logger, listener, outbox)
        await OwnThread.run("jv-control") {
            var loop = ControlLoop(
                listener: listener,
                options: options,
                outbox: outbox,
                logger: logger,
                handler: handler
            )
            loop.run()
        }
        unlink(options.path)
    }

    package func stop() { outbox.stop() }
}

/// The control socket cannot be made.
package struct ControlServerError: Error, CustomStringConvertible {
    package let path: String
    package let errno: Int32

    package var description: String {
        let reason = errno == EADDRINUSE ? "another daemon answers there" : String(cString: strerror(errno))
        return "no control socket at \(path): \(reason)"
    }
}
