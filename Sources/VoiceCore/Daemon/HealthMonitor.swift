package import VoiceBase

/// Decides the health of the box from faults that have lasted long enough. A pure value.
package struct HealthMonitor: Sendable {
    /// How long a passing trouble stays unmentioned.
    package static let patience = Duration.seconds(10)

    /// Since when each part has been in trouble.
    private var since: [Health.Part: Duration] = [:]

    package init() {}

    /// Call it about once a second.
    /// - Parameter now: monotonic.
    package mutating func step(_ signs: HealthSigns, at now: Duration) -> Health {
        let troubles = signs.troubles
        since = since.filter { part, _ in troubles.contains { $0.problem.part == part } }
        let lasting = troubles.filter { trouble in
            let began = since[trouble.problem.part] ?? now
            since[trouble.problem.part] = began
            return !trouble.mayPass || now - began >= Self.patience
        }
        return Health(lasting.map(\.problem))
    }
}

/// The state of the parts of the box at one moment.
package struct HealthSigns: Equatable, Sendable {
    /// State of the voice service. The reasons are for people.
    package enum Service: Equatable, Sendable {
        case unused, ready
        case connecting
        case unreachable(String)
        /// It answers, but serves no session for now: a quota or a rate is used up.
        case limited(String)
        case refused(String)
    }

    package struct Agent: Equatable, Sendable {
        package var text: String
        package var fix: String
        /// Seconds until it is tried again; nil: with the next question.
        package var retryIn: Int?

        package init(text: String, fix: String, retryIn: Int? = nil) {
            (self.text, self.fix, self.retryIn) = (text, fix, retryIn)
        }
    }

    package struct Device: Equatable, Sendable {
        package var problem: String
        package var fix = ""
        /// Whether the device worked before, and may be back in a moment.
        package var mayPass = false

        package init(problem: String, fix: String = "", mayPass: Bool = false) {
            (self.problem, self.fix, self.mayPass) = (problem, fix, mayPass)
        }
    }

    package var service = Service.unused
    /// Seconds until the next attempt.
    package var serviceRetryIn: Int?
    /// Whether the voice service runs in this house.
    package var isServiceLocal = false
    /// The service that stands in for the preferred one.
    package var substitute: String?
    package var agent: Agent?
    package var microphone: Device?
    package var loudspeaker: Device?
    /// Why no wake word is recognised although one is to open conversations.
    package var wordsUnheard: String?
    package var budgetSpentUntil: String?
    /// Whether a free service remains when the budget is spent.
    package var hasFreeService = false
    package var clockUnset: String?
    package var disk: String?
    /// The saved timers and alarms that were lost at the start.
    package var timersLost: String?

    package init() {}

    private static let withoutTalk = "timers, alarms and music still work"

    fileprivate var troubles: [(problem: Health.Problem, mayPass: Bool)] {
        var troubles: [(problem: Health.Problem, mayPass: Bool)] = []
        func add(_ problem: Health.Problem?, mayPass: Bool = false) {
            if let problem { troubles.append((problem, mayPass)) }
        }
        switch service {
        case .unused, .ready:
            add(
                substitute.map {
                    .init(.service, .limited, "the usual voice service is away", works: "\($0) answers in its place")
                }
            )
        case .connecting: add(unreachable("the voice service does not answer"), mayPass: true)
        case .unreachable(let reason):
            add(unreachable("the voice service cannot be reached (\(reason))"), mayPass: true)
        case .limited(let reason):
            // The reason names the fix, unless the only fix is to wait.
            add(
                .init(
                    .service, .notWorking, "the voice service has reached its limit (\(reason))",
                    works: Self.withoutTalk, retryIn: serviceRetryIn
                ),
                mayPass: true
            )
        case .refused(let reason):
            add(
                .init(
                    .service, .notWorking, "the voice service refuses the connection (\(reason))",
                    fix: Health.Problem.askDoctor, works: Self.withoutTalk, retryIn: serviceRetryIn
                )
            )
        }
        add(
            agent.map {
                .init(
                    .agent, .limited, $0.text, fix: $0.fix, works: "everything but the answers of Jarvis still works",
                    retryIn: $0.retryIn
                )
            },
            mayPass: true
        )
        add(
            microphone.map {
                .init(
                    .microphone, .limited, $0.problem, fix: $0.fix,
                    works: "typed questions, timers and music still work"
                )
            },
            mayPass: microphone?.mayPass ?? false
        )
        add(
            loudspeaker.map { .init(.loudspeaker, .notWorking, $0.problem, fix: $0.fix) },
            mayPass: loudspeaker?.mayPass ?? false
        )
        add(
            wordsUnheard.map {
                .init(
                    .words, .limited, "no wake word is recognised: \($0)",
                    works: "a button and the page still open a conversation"
                )
            }
        )
        add(
            budgetSpentUntil.map {
                .init(
                    .budget, hasFreeService ? .limited : .notWorking, "the budget is spent until \($0)",
                    fix: "wait, or raise it in the configuration",
                    works: hasFreeService ? "a service that costs nothing answers" : Self.withoutTalk
                )
            }
        )
        add(
            clockUnset.map {
                .init(
                    .clock, .limited, $0, fix: "timedatectl set-ntp true sets it",
                    works: "timers by length still work, alarms wait"
                )
            },
            mayPass: true
        )
        add(disk.map { .init(.disk, .limited, $0, works: "all works, but a restart forgets what was changed") })
        add(
            timersLost.map {
                .init(.timers, .limited, "earlier timers and alarms are lost: \($0)", works: "all else works")
            }
        )
        return troubles
    }

    private func unreachable(_ text: String) -> Health.Problem {
        .init(
            .service, .notWorking, text, fix: isServiceLocal ? "start its server" : "check the internet connection",
            works: Self.withoutTalk, retryIn: serviceRetryIn
        )
    }
}
