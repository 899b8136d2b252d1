package import Logging
internal import VoiceBase

extension VoiceDaemon {
    /// Creates the control socket of this daemon.
    package nonisolated func controlServer(
        _ options: ControlServer.Options,
        registry: ControlRegistry = .standard,
        logger: Logger
    ) throws(ControlServerError) -> ControlServer {
        var options = options
        options.clean = { [redactor] in redactor.clean($0) }
        return try ControlServer(options, logger: logger) { request, peer in
            do {
                let outcome = try await registry.run(request, isOfRoot: peer.user == 0 && !request.isRemote, on: self)
                if (try? registry.command(named: request.command))?.isQuestion == false {
                    logger.info(
                        "command",
                        metadata: .event(
                            .control,
                            ["command": "\(request.command)", "uid": .public(peer.user), "pid": .public(peer.process)]
                        )
                    )
                }
                return .success(outcome)
            } catch let problem as ControlProblem {
                // A mistake in the command only concerns the client.
                if [.notAvailable, .failed].contains(problem.code) {
                    logger.warning(
                        "refused: \(private: problem.message)",
                        metadata: .event(.commandRefused, ["command": "\(request.command)"])
                    )
                }
                return .failure(problem)
            } catch {
                return .failure(ControlProblem(.failed, "\(error)"))
            }
        }
    }
}
