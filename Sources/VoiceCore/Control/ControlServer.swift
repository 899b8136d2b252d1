internal import Glibc
package import Logging
internal import VoiceBase

/// The control socket: accepts requests of local clients and answers them, one at a time for each client.
///
///     client --lines--> [ jv-control: poll ] --request--> task, handler --reply--> ControlOutbox --> client
///
/// The length of a line, the number of clients and the time they may be idle are bounded. When all places are taken, orders
/// (`ControlOrders`) still get through. A client
/// that does not read its replies is disconnected, as is one that sends too many lines that are not requests. While a
/// request is under way, the client's next one is not read.
package final class ControlServer: Sendable {
    package struct Options: Sendable {
        package var path: String
        /// Version of the program, for the greeting.
        package var version: String
        package var access = ControlAccess()
        package var maximumClients = 32
        /// Places beyond those, for clients that send nothing but an order. If they are full too, the client that has waited
        /// longest without a request makes room.
        package var orderPlaces = 16
        /// Time without a request after which a client is disconnected, unless it follows events.
        package var longestIdle = Duration.seconds(60)
        /// Maximum number of bytes pending for a client.
        package var longestOutput = 256 << 10
        /// Number of lines that are not requests after which a client is disconnected.
        package var maximumBadLines = 20
        /// Removes secrets from a text. Every text that is sent passes it.
        var clean: @Sendable (String) -> String = Redaction.withoutKeys
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
    private let listener: ControlListener
    private let outbox = ControlOutbox()

    /// Creates the socket, accessible by its user and group only.
    /// - Throws: errno, such as EADDRINUSE if another daemon listens there.
    package init(_ options: Options, logger: Logger, handler: @escaping Handler) throws(ControlServerError) {
        listener = try ControlListener(path: options.path)
        self.options = options
        self.handler = handler
        self.logger = logger
    }

    /// Serves until `stop`; then disconnects all clients and removes the socket. A socket that is removed meanwhile comes back
    /// within two seconds.
    package func run() async {
        let (options, handler, logger, listener, outbox) = (options, handler, logger, listener, outbox)
        await OwnThread.run("jv-control") {
            var loop = ControlLoop(
                listener: listener, options: options, outbox: outbox, logger: logger, handler: handler
            )
            loop.run()
        }
        listener.remove()
    }

    package func stop() { outbox.stop() }
}

/// The control socket cannot be created.
package struct ControlServerError: Error, CustomStringConvertible {
    package let path: String
    package let errno: Int32

    package var description: String {
        let reason = errno == EADDRINUSE ? "another daemon answers there" : String(cString: strerror(errno))
        return "no control socket at \(path): \(reason)"
    }
}
