import CLinux
import Glibc
import Testing

@testable import TestSupport
@testable import VoiceAgent
@testable import VoiceAudio
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceCore
@testable import VoiceNetwork
@testable import VoiceSession

/// The verdicts of the checks: each problem comes with its fix, and what works is reported as working.
struct DoctorJudgementTests {
    private func verdicts(_ findings: [DoctorFinding]) -> [String: DoctorFinding.Verdict] {
        Dictionary(findings.map { ($0.check, $0.verdict) }, uniquingKeysWith: { first, _ in first })
    }

    @Test func failedStepToTheServiceIsNamed() {
        func judge(_ failure: HTTPFailure) -> [String: DoctorFinding.Verdict] {
            verdicts(ReachCheck.judge(host: "api.example", isSecure: true, reply: .failure(failure)))
        }
        #expect(judge(.cannotResolve(host: "api.example")) == ["service-dns": .fail])
        #expect(judge(.cannotConnect("refused")) == ["service-dns": .ok, "service-tcp": .fail])
        #expect(judge(.timedOut(.connecting)) == ["service-tcp": .fail])
        #expect(judge(.tls("expired")) == ["service-dns": .ok, "service-tcp": .ok, "service-tls": .fail])
        let working: [String: DoctorFinding.Verdict] = [
            "service-dns": .ok, "service-tcp": .ok, "service-tls": .ok,
        ]
        // A service that only speaks WebSocket closes the connection on a plain request.
        #expect(judge(.reset("empty reply")) == working)
        #expect(verdicts(ReachCheck.judge(host: "api.example", isSecure: true, reply: .success(80))) == working)
    }

    @Test func doctorDoesNotSendToTheDoctor() {
        let findings = HealthCheck.judge(
            Health([
                .init(.service, .notWorking, "the service refuses", fix: Health.Problem.askDoctor),
                .init(.microphone, .limited, "no microphone", fix: "connect one, or \(Health.Problem.askDoctor)"),
                .init(.agent, .limited, "Jarvis does not answer", fix: "see that its server runs"),
            ])
        )
        #expect(findings.map(\.advice) == [nil, "connect one", "see that its server runs"])
    }

    @Test func everyFailureNamesTheFix() {
        let failures: [[DoctorFinding]] = [
            ReachCheck.judge(host: "h", isSecure: true, reply: .failure(.cannotResolve(host: "h"))),
            ReachCheck.judge(host: "h", isSecure: true, reply: .failure(.cannotConnect("no"))),
            ReachCheck.judge(host: "h", isSecure: true, reply: .failure(.tls("no"))),
            [SessionCheck.judge(.ended(.failed(.badURL)), model: "m")],
            AgentCheck.judge(.failure(.authentication), hasToken: true),
            AgentCheck.judge(.failure(.offline(detail: "no")), hasToken: true),
            AgentCheck.judge(.failure(.wrongBasePath(hint: "a web page")), hasToken: true),
            [PermissionCheck.judge([], isRoot: false)],
            [StateCheck.judge(path: "/x", isThere: true, problem: 13)],
            [StateCheck.judge(free: 5 << 20, at: "/x")],
            [ClockCheck.judge(serverDate: "Sun, 06 Nov 1994 08:49:37 GMT", now: 0)],
        ]
        for finding in failures.flatMap({ $0 }) where finding.verdict >= .warn {
            #expect(finding.advice?.isEmpty == false, "\(finding.message)")
        }
        #expect(failures.allSatisfy { $0.contains { $0.verdict >= .warn } })
    }

    @Test func agentOfAWakeWordIsNamedWithItsKeys() {
        var nabu = AgentName()
        (nabu.name, nabu.table) = ("Nabu", "words.okay_nabu")
        let away = AgentCheck.judge(.failure(.offline(detail: "no")), hasToken: true, agent: nabu)[0].of(nabu)
        #expect(away.message.hasPrefix("agent of Nabu: Nabu cannot be reached (no): check words.okay_nabu.url"))
        let refused = AgentCheck.judge(.failure(.authentication), hasToken: true, agent: nabu).last
        #expect(refused?.advice?.contains("words.okay_nabu.token_file") == true)
    }

    /// A server on another machine can only be reached if it listens on the network.
    @Test func adviceForARemoteAgentNamesTheHostOption() {
        func advice(isElsewhere: Bool) -> String {
            AgentCheck.judge(.failure(.offline(detail: "no")), hasToken: true, isElsewhere: isElsewhere)
                .compactMap(\.advice).joined()
        }
        for part in ["TERM_LLM_SERVE_TOKEN", "--agent NAME"] {
            #expect(advice(isElsewhere: true).contains(part) && advice(isElsewhere: false).contains(part))
        }
        #expect(advice(isElsewhere: true).contains("--host 0.0.0.0"))
        #expect(!advice(isElsewhere: false).contains("--host"))
        #expect(!advice(isElsewhere: true).contains("--token"), "ps shows it")
    }

    @Test func aServerWithoutAnAgentIsNotWellEquipped() {
        func verdicts(_ agent: String?) -> [DoctorFinding.Verdict] {
            let health = JarvisHealth(version: "v0.0.403", agent: agent)
            return AgentCheck.judge(.success(health), hasToken: true).map(\.verdict)
        }
        #expect(verdicts("").contains(.warn))
        #expect(!verdicts("jarvis").contains(.warn) && !verdicts(nil).contains(.warn))
    }

    @Test func missingVoiceCapabilityIsAdvised() {
        let knowing = JarvisHealth(version: "1", agent: "a", capabilities: [AgentBriefing.capability])
        #expect(AgentCheck.briefing(knowing, .auto).advice == nil)
        let other = JarvisHealth(version: "1", agent: "a", capabilities: ["api"])
        for setting in [Configuration.Jarvis.Preamble.auto, .off] {
            #expect(AgentCheck.briefing(other, setting).advice?.contains("examples/agent-prompt.txt") == true)
        }
    }

    @Test(arguments: [
        ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
        ("Thu, 29 Feb 2024 12:00:00 GMT", 1_709_208_000), ("Wed, 31 Dec 2025 23:59:60 GMT", 1_767_225_600),
    ])
    func aDateHeaderIsRead(text: String, seconds: Int) {
        #expect(HTTPDate.seconds(text) == seconds)
    }

    @Test(arguments: ["", "today", "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nev 1994 08:49:37 GMT", "a b c d e GMT"])
    func malformedDateIsRefused(text: String) {
        #expect(HTTPDate.seconds(text) == nil)
    }

    @Test func theClockIsComparedWithTheService() {
        let noon = "Thu, 29 Feb 2024 12:00:00 GMT"
        #expect(ClockCheck.judge(serverDate: noon, now: 1_709_208_003).verdict == .ok)
        #expect(ClockCheck.judge(serverDate: noon, now: 1_709_208_120).verdict == .warn)
        let late = ClockCheck.judge(serverDate: noon, now: 1_709_200_000)
        #expect(late.verdict == .fail)
        #expect(late.message.contains("behind"))
        #expect(ClockCheck.judge(serverDate: nil, now: 0).verdict == .skipped)
    }

    @Test func refusedKeyDiffersFromAWrongModel() {
        let key = SessionCheck.judge(
            .error(ServiceError(.account, name: "invalid_api_key", text: "bad sk-abc123"), afterSettings: false),
            model: "m"
        )
        #expect(key.verdict == .fail)
        #expect(key.advice?.contains("key") == true)
        #expect(!key.message.contains("sk-abc123"))
        let model = SessionCheck.judge(
            .error(ServiceError(.configuration, name: "model_not_found", text: "no such model"), afterSettings: false),
            model: "gpt-nine"
        )
        #expect(model.advice?.contains("gpt-nine") == true)
        let refused = SessionCheck.judge(
            .ended(.refused(WebSocketRefusal(status: 401, reason: "Unauthorized", retryAfter: nil, body: ""))),
            model: "m"
        )
        #expect(refused.advice?.contains("key") == true)
        #expect(SessionCheck.judge(.ready(confirmed: true), model: "m").verdict == .ok)
        #expect(SessionCheck.judge(.silent, model: "m").verdict == .warn)
    }

    /// Advice names the settings of the service in use, and no others.
    @Test(arguments: ServiceRegistry.all.filter { $0.key != nil && $0.name != .openAI }.map { $0.name.rawValue })
    func adviceNamesTheServicesOwnSettings(name: String) {
        let found: (any VoiceService.Type)? = ServiceRegistry.all.first { $0.name.rawValue == name }
        guard let service = found, let address = service.address(Configuration()), let key = service.key else {
            Issue.record("no such service with an address and a key")
            return
        }
        let section = String(address.key.prefix { $0 != "." })
        let keys = SessionCheck.Keys(service, url: address.key)
        func refused(_ status: Int) -> SessionOutcome {
            .ended(.refused(WebSocketRefusal(status: status, reason: "no", retryAfter: nil, body: "")))
        }
        func error(_ meaning: ErrorClass, _ name: String, afterSettings: Bool = false) -> SessionOutcome {
            .error(ServiceError(meaning, name: name, text: "no"), afterSettings: afterSettings)
        }
        let outcomes: [SessionOutcome] = [
            refused(401), refused(403), refused(404), refused(500), .silent, .ready(confirmed: true),
            .ready(confirmed: false), .ended(.failed(.badURL)), .ended(.closed(code: 1006, reason: "")),
            error(.account, "AUTHENTICATION_ERROR"), error(.account, "credit_balance_exhausted"),
            error(.configuration, "model_not_found"), error(.other, "invalid_value", afterSettings: true),
        ]
        var findings = outcomes.map { SessionCheck.judge($0, model: service.model(Configuration()), keys: keys) }
        findings += ReachCheck.judge(
            host: "h", isSecure: true, key: address.key, reply: .failure(.cannotResolve(host: "h"))
        )
        findings += ReachCheck.judge(host: "h", isSecure: true, key: address.key, reply: .failure(.tls("no")))
        for finding in findings {
            var text = finding.message + " " + (finding.advice ?? "")
            // GPT-Live shares the key of its provider.
            text = text.replacing(key.setting, with: "")
            for other in ServiceRegistry.all.map({ $0.section.name + "." }) where other != section + "." {
                #expect(!text.contains(other), "\(text)")
            }
            // Settings that the section does not have.
            for word in text.split(whereSeparator: { !($0.isLetter || $0.isNumber || $0 == "." || $0 == "_") })
            where word.hasPrefix(section + ".") {
                #expect(ConfigurationSchema.key(String(word)) != nil, "\(word) in \(text)")
            }
        }
        let advice = SessionCheck.judge(refused(401), model: "m", keys: keys).advice ?? ""
        #expect(advice.contains(key.setting) && advice.contains(key.credential) && advice.contains(key.variable))
    }

    @Test func deviceHeldByTheDaemonIsNotAFault() {
        func judge(_ holder: String?, daemon: Int?) -> DoctorFinding {
            let error = AudioDeviceError.busy(device: "hw:0", direction: .capture, holder: holder)
            return DevicesCheck.judge(.failure(error), direction: .capture, daemon: daemon)
        }
        #expect(judge("jarvis-voiced (42)", daemon: 42).verdict == .ok)
        #expect(judge("jarvis-voiced (42)", daemon: nil).verdict == .ok)
        #expect(judge("jarvis-voiced (43)", daemon: 42).verdict == .fail)
        let other = judge("pipewire (7)", daemon: 42)
        #expect(other.verdict == .fail)
        #expect(other.message.contains("pipewire (7)"))
        // The owner is hidden from users other than root.
        #expect(judge(nil, daemon: 42).verdict == .ok)
        #expect(judge(nil, daemon: nil).advice?.contains("fuser") == true)
    }

    @Test func abilitiesOfADeviceAreReported() {
        let facts = DeviceFacts(
            device: "hw:CARD=Device,DEV=0",
            abilities: DeviceAbilities(rates: [8000, 96_000], formats: ["S16_LE"], channels: 1...1),
            granted: .init(format: .s16, channels: 1, periodFrames: 480, bufferFrames: 1920),
            cost: DeviceCost(whole: 13, added: 3)
        )
        let finding = DevicesCheck.judge(.success(facts), direction: .capture, daemon: nil)
        #expect(finding.verdict == .ok)
        #expect(finding.message.contains("8000 96000 Hz; S16_LE; 1 channel;"))
        #expect(finding.message.contains("buffer of 40 ms; adds 13 ms (3 more than"))
    }

    /// The device and what to do, instead of "no result": a call into a driver that hangs never returns.
    @Test func hangingDeviceIsNamed() async throws {
        let request = AudioConfiguration(source: .alsa(capture: "hw:CARD=Desk", playback: "null"))
            .request("hw:CARD=Desk", .capture)
        let hang = clinux_eventfd()
        let answer = await request.answer(
            sleep: { _ in },
            { _ in
                var waits = pollfd(fd: hang, events: Int16(POLLIN), revents: 0)
                return poll(&waits, 1, -1)
            }
        )
        clinux_eventfd_signal(hang)
        #expect(answer == nil)
        let finding = DevicesCheck.judge(.failure(request.unanswered), direction: .capture, daemon: nil)
        #expect(finding.verdict == .fail)
        #expect(finding.message.contains("capture device \"hw:CARD=Desk\" does not answer: unplug it"))
        #expect(finding.advice?.contains("set audio.input to another one") == true)
    }

    /// A message that names a device which no list contains is not followed by advice to take one from the list.
    @Test func aRefusedDeviceIsAdvisedOnceOnly() {
        let error = AudioDeviceError.unsupported(
            device: "hw:0", direction: .playback, reason: "use it as hdmi:CARD=0,DEV=0"
        )
        let finding = DevicesCheck.judge(.failure(error), direction: .playback, daemon: nil)
        #expect(finding.verdict == .fail)
        #expect(finding.message.contains("use it as hdmi:CARD=0"))
        #expect(finding.advice?.contains("jarvis-voiced devices") == false)
        let null = DeviceFacts(
            device: "null", abilities: DeviceAbilities(rates: [48_000], formats: ["S16_LE"], channels: 1...1),
            granted: .init(format: .s16, channels: 1, periodFrames: 480, bufferFrames: 1920)
        )
        #expect(DevicesCheck.judge(.success(null), direction: .capture, daemon: nil).verdict == .warn)
    }

    @Test func devicesClosedToTheServiceAreFound() {
        func node(_ group: String, open: Bool) -> PermissionCheck.Node {
            .init(path: "/dev/snd/pcmC0D0c", group: group, isOpenToGroup: open, isOpenToUs: open)
        }
        #expect(PermissionCheck.judge([node("audio", open: true)], isRoot: true).verdict == .ok)
        #expect(PermissionCheck.judge([node("root", open: true)], isRoot: true).verdict == .fail)
        #expect(PermissionCheck.judge([node("audio", open: false)], isRoot: true).verdict == .fail)
        #expect(PermissionCheck.judge([node("audio", open: true)], isRoot: false).verdict == .ok)
        let closed = PermissionCheck.judge([node("audio", open: false)], isRoot: false)
        #expect(closed.verdict == .fail)
        #expect(closed.advice?.contains("audio") == true)
        #expect(PermissionCheck.judge([], isRoot: true).verdict == .warn)
    }

    @Test func echoTestOfOtherDevicesIsIgnored() {
        var audio = Configuration.Audio()
        var result = EchoTestResult()
        result.isLost = true
        let test = SavedEchoTest(EchoTestVerdict(result), audio: audio, time: 1_000_000)
        #expect(SavedEchoTest(parsing: Array(test.text.utf8)) == test)
        #expect(EchoCheck.judge(test, audio: audio, now: 1_000_000 + 3 * 86_400).verdict == .warn)
        #expect(EchoCheck.judge(test, audio: audio, now: 1_000_000 + 3 * 86_400).message.contains("3 days ago"))
        audio.input = "another"
        #expect(EchoCheck.judge(test, audio: audio, now: 1_000_000).verdict == .skipped)
        #expect(EchoCheck.judge(test, audio: audio, now: 1_000_000).message.contains("microphone \"default\""))
        #expect(EchoCheck.judge(nil, audio: audio, now: 0).advice?.contains("echo-test") == true)
        #expect(SavedEchoTest(parsing: Array("grade = \"splendid\"".utf8)) == nil)
    }

    /// A name may lead to another card tomorrow, and a file may hold anything.
    @Test func echoTestCountsForTheMeasuredDevice() throws {
        let audio = Configuration.Audio()
        var result = EchoTestResult()
        result.secondsHeard = 9
        result.status.blocks = 9
        result.status.state = .clear
        let verdict = EchoTestVerdict(result)
        let test = SavedEchoTest(verdict, audio: audio, device: "0b0e:0420 1.05 Speak", time: 5)
        #expect(SavedEchoTest(parsing: Array(test.text.utf8)) == test)
        func judge(_ device: String) -> DoctorFinding { EchoCheck.judge(test, audio: audio, device: device, now: 5) }
        #expect(judge("0b0e:0420 1.05 Speak").verdict == .ok)
        #expect(judge("0b0e:0420 1.05 Speak").advice?.contains("if you did not, switch the loudspeaker on") == true)
        #expect(judge("2886:0018 Array").verdict == .skipped)
        #expect(judge("").message == "measured with another microphone of this name")
        let coloured = test.text.replacing("No echo", with: "No \\u001b[31mecho")
        let read = try #require(SavedEchoTest(parsing: Array(coloured.utf8)))
        #expect(read.summary == "No [31mecho was heard.")
    }

    @Test func mistakesInTheTableOfDevicesAreFindings() {
        let findings = ConfigurationCheck.knownDevices(["/etc/jarvis-voiced/devices.toml:3: needs channels"])
        #expect(findings.map(\.verdict) == [.warn])
        #expect(findings.first?.message.contains("devices.toml:3") == true)
        #expect(findings.first?.advice?.isEmpty == false)
    }

    @Test func echoStateOfTheDaemonIsReported() throws {
        func judge(_ duplex: String, _ reason: String, moves: Int = 0) throws -> DoctorFinding {
            let echo: JSONValue = .object(moves > 0 ? ["moves": .integer(moves)] : [:])
            return try #require(
                EchoCheck.judge(
                    running: .object(["duplex": .string(duplex), "duplex_reason": .string(reason), "echo": echo])
                )
            )
        }
        #expect(try judge("full", "good").message == "full duplex now (good)")
        #expect(try judge("full", "good", moves: 1).message.contains("moved once"))
        #expect(try judge("full", "moved", moves: 2).message.contains("learning the echo again (2 s)"))
        #expect(try judge("full", "moved", moves: 2).verdict == .ok)
        #expect(try judge("half", "clipping").verdict == .warn)
        #expect(try judge("half", "clipping").advice?.contains("echo-test") == true)
        #expect(try judge("full", "poor").advice?.contains("turn it down to 70 %") == true)
        // Text that is not the program's own is not repeated.
        #expect(try !judge("half", "sk-secret").message.contains("secret"))
        #expect(EchoCheck.judge(running: .object([:])) == nil)
    }

    @Test func aCurlWithoutTLSIsFound() {
        #expect(LibraryCheck.judge(version: "libcurl/8", protocols: ["http"]).verdict == .fail)
        #expect(LibraryCheck.judge(version: "libcurl/8 OpenSSL/3", protocols: ["http", "https"]).verdict == .ok)
        #expect(LibraryCheck.findings().map(\.verdict) == [.ok])
    }

    /// Starting a server does not help against an address that is refused.
    @Test func remoteSpeechServerIsNotToBeStarted() throws {
        var configuration = Configuration()
        configuration.local.speaker = "speech.example.com:10200"
        let settings = try LocalSettings(configuration)
        for (kind, isExposed) in [(WyomingEnd.Kind.exposed, true), (.away, false)] {
            let answer = Result<WyomingInfo, WyomingEnd>.failure(WyomingEnd(kind: kind, description: "it is so"))
            for finding in [
                LocalCheck.judgeRecogniser(answer, settings),
                LocalCheck.judgeSpeaker(answer, settings, hasEspeak: true),
            ] {
                #expect(finding.advice?.contains("start the server") == !isExposed)
                #expect(finding.advice?.contains("local.allow_public = true") == isExposed)
            }
        }
    }
}
