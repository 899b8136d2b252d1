internal import CMosquitto
internal import Glibc
package import VoiceBase
internal import VoiceNetwork

/// Tries a broker once, before its settings are written.
package enum BrokerTrial {
    /// Time limit for a broker that does not even refuse.
    private static let patience = Duration.seconds(20)

    /// - Returns: why the broker cannot be used, in words for people; nil if it accepts the user and the password.
    package static func refusal(of settings: HouseSettings, password: Secret?) -> String? {
        let link: BrokerLink
        do {
            // A separate identity: with that of the box, the trial would take the place of the running bridge.
            link = try BrokerLink(
                settings, password: password, identity: "trial-\(UInt32.random(in: 0 ... .max))", isTrial: true,
                log: { _ in }, deliver: { _ in }
            )
        } catch {
            return "\(error)"
        }
        let done = Promise<String?>()
        // It may hang in a system call: the thread then ends with the program.
        guard OwnThread.start("jb-trial", { done.give(link.trial()) }) else { return "there is no thread for it" }
        let end = Monotonic.now() + patience
        while Monotonic.now() < end {
            if let result = done.value { return result }
            usleep(50_000)
        }
        return "it does not answer"
    }

    /// Whether this machine finds the host by its name.
    package static func resolves(_ host: String) -> Bool { !NetworkAddress.lookUp(host).isEmpty }
}
