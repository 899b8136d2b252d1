import Testing
import VoiceAgent

@testable import TestSupport
@testable import VoiceAudio
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceCore
@testable import VoiceSession

/// What the doctor reads from systemd, /proc and the files of the service.
struct DoctorMachineTests {
    private let proc = """
        Limit                     Soft Limit           Hard Limit           Units
        Max locked memory         8388608              unlimited            bytes
        Max nice priority         0                    0
        Max realtime priority     0                    40
        """

    @Test func limitsAreReadFromProcAndFromTheUnit() {
        #expect(ProcessLimits(procLimits: proc) == ProcessLimits(realtimePriority: 40, lockedMemory: nil))
        let unit = UnitState("LoadState=loaded\nLimitRTPRIO=40\nLimitMEMLOCK=infinity\nMainPID=0\n")
        #expect(unit.limits == ProcessLimits(realtimePriority: 40, lockedMemory: nil))
        #expect(unit.mainProcess == nil)
        #expect(ProcessLimits(procLimits: "nonsense") == nil)
    }

    @Test func lowLimitsGiveAWarning() {
        let audio = Configuration.Audio()
        func judge(_ priority: Int?, _ memory: Int?, _ place: LimitsCheck.Place) -> [DoctorFinding.Verdict] {
            LimitsCheck.judge(.init(realtimePriority: priority, lockedMemory: memory), of: place, audio: audio)
                .map(\.verdict)
        }
        #expect(judge(40, nil, .unit) == [.ok, .ok])
        #expect(judge(nil, nil, .daemon) == [.ok, .ok])
        #expect(judge(10, 65_536, .daemon) == [.warn, .warn])
        #expect(judge(0, 65_536, .ownProcess(isRoot: false)) == [.warn, .warn])
        let refused = LimitsCheck.judge(
            ProcessLimits(realtimePriority: 0, lockedMemory: 65_536), of: .daemon,
            unit: ProcessLimits(realtimePriority: 40, lockedMemory: nil), audio: audio
        )
        #expect(refused.allSatisfy { $0.verdict == .warn && $0.advice?.hasPrefix("the unit allows it") == true })
        #expect(judge(0, 0, .ownProcess(isRoot: true)) == [.ok])
        var calm = audio
        calm.realtimePriority = 0
        calm.lockMemory = false
        let limits = ProcessLimits(realtimePriority: 0, lockedMemory: 0)
        #expect(LimitsCheck.judge(limits, of: .daemon, audio: calm).map(\.verdict) == [.ok, .ok])
    }

    @Test(arguments: [
        ("LoadState=loaded\nActiveState=active\nNRestarts=0", DoctorFinding.Verdict.ok),
        ("LoadState=loaded\nActiveState=active\nNRestarts=9", .warn),
        ("LoadState=loaded\nActiveState=inactive", .warn), ("LoadState=loaded\nActiveState=activating", .warn),
        ("LoadState=loaded\nActiveState=failed\nExecMainStatus=78", .fail), ("LoadState=not-found", .skipped),
    ])
    func theServiceIsJudgedByItsState(text: String, verdict: DoctorFinding.Verdict) {
        #expect(UnitState(text).finding.verdict == verdict)
    }

    @Test func userOfADesktopIsAdvisedAboutTheUnitOfTheirOwn() {
        let unit = ServiceUnit(folder: "/home/ada/.config/jarvis-voiced", isOfUser: true)
        func advice(_ state: String) -> String? { UnitState("LoadState=loaded\n" + state, of: unit).finding.advice }
        #expect(advice("ActiveState=inactive") == "systemctl --user enable --now jarvis-voiced")
        #expect(advice("ActiveState=failed")?.contains("systemctl --user restart jarvis-voiced") == true)
        #expect(advice("ActiveState=activating") == "journalctl --user -u jarvis-voiced -n 20")
        let token = AgentCheck.judge(.failure(.authentication), hasToken: true, folder: unit.folder)
        #expect(token.compactMap(\.advice).joined().contains("/home/ada/.config/jarvis-voiced/jarvis-token"))
        #expect(unit.command("journalctl", ["-n", "3"]) == ["journalctl", "--user", "-n", "3"])
    }

    @Test(arguments: [
        ("ActiveState=activating\nExecMainStatus=243", DoctorFinding.Verdict.fail),
        ("ActiveState=failed\nExecMainStatus=243", .fail), ("ActiveState=active\nExecMainStatus=0", nil),
    ])
    func credentialsWithheldByAContainerAreNamed(text: String, verdict: DoctorFinding.Verdict?) {
        let file = "/etc/jarvis-voiced/openai-api-key"
        let unit = UnitState("LoadState=loaded\n" + text)
        let finding = unit.containerFinding(closed: [file], emptiedBy: nil)
        #expect(finding?.verdict == verdict)
        #expect(finding?.advice?.hasSuffix("chown jarvis-voiced " + file) != false)
        #expect(unit.containerFinding(closed: [], emptiedBy: "/run/x.conf") == nil, "the daemon reads them")
        guard verdict == nil else { return }
        let emptied = unit.containerFinding(closed: [file], emptiedBy: "/run/x.conf")
        #expect(emptied?.message == "/run/x.conf empties LoadCredential=" && emptied?.verdict == .warn)
    }

    @Test func dropInClearingLoadCredentialIsFound() {
        let lxc = (path: "/run/systemd/system/service.d/zzz-lxc-service.conf", text: "[Service]\nLoadCredential=\n")
        let own = (path: "/etc/zzzz.conf", text: "[Service]\nLoadCredential = openai-api-key:/etc/key\n")
        #expect(UnitState.emptier(of: [own, lxc]) == lxc.path)
        #expect(UnitState.emptier(of: [lxc, own]) == nil)
        #expect(UnitState.emptier(of: [own]) == nil)
    }

    @Test(arguments: [
        ([:], "/run/.containerenv", ""), ([:], "/.dockerenv", ""), (["container": "oci"], "/x", ""),
        ([:], "/proc/1/environ", "PATH=/bin\0container=lxc\0"),
    ])
    func aContainerIsRecognised(environment: [String: String], path: String, text: String) {
        #expect(Container.isAround(environment: environment, files: .stub([path: Array(text.utf8)])))
    }

    @Test func machineIsNotAContainer() {
        let first = Array("PATH=/bin\0my_container=1\0".utf8)
        #expect(!Container.isAround(environment: [:], files: .stub(["/proc/1/environ": first])))
    }

    @Test func adviceInAContainerNamesItsOptions() {
        func advice(_ finding: DoctorFinding) -> String { Container.advised(finding).advice ?? "" }
        let node = PermissionCheck.Node(path: "/dev/snd/x", group: "audio", isOpenToGroup: true, isOpenToUs: false)
        let closed = AudioDeviceError.permission(device: "room", direction: .capture)
        let limits = LimitsCheck.judge(
            ProcessLimits(realtimePriority: 0, lockedMemory: 65_536), of: .ownProcess(isRoot: false),
            audio: Configuration.Audio()
        )
        #expect(advice(PermissionCheck.judge([], isRoot: false)).contains("--device /dev/snd"))
        #expect(advice(PermissionCheck.judge([node], isRoot: false)).contains("--group-add"))
        #expect(advice(DevicesCheck.judge(.failure(closed), direction: .capture, daemon: nil)).contains("--group-add"))
        #expect(limits.map(advice).allSatisfy { $0.contains("--ulimit") })
        #expect(advice(StateCheck.judge(path: "/x", isThere: true, problem: 30)).contains("volume"))
        let well = StateCheck.judge(path: "/x", isThere: true, problem: 0)
        #expect(Container.advised(well) == well)
    }

    @Test func filesOfTheServiceReplaceSystemd() {
        let files = FileReader.stub([
            "/etc/default/jarvis-voiced": Array(
                "# set\nJARVIS_LOG_LEVEL = x\n JARVIS_AUDIO_INPUT=\"my card\"\nA='b'\n".utf8
            ),
            "/etc/jarvis-voiced/openai-api-key": Array("sk-1\n".utf8),
        ])
        let service = ServiceEnvironment(["A": "mine"], files: files)
        #expect(service.variables["CREDENTIALS_DIRECTORY"] == "/etc/jarvis-voiced")
        #expect(service.variables["JARVIS_AUDIO_INPUT"] == "my card")
        #expect(service.variables["A"] == "mine")
        let given = ServiceEnvironment(["CREDENTIALS_DIRECTORY": "/run/x"], files: files)
        #expect(given.variables["CREDENTIALS_DIRECTORY"] == "/run/x")
    }

    @Test func keyReadableOnlyByRootIsNotCalledMissing() {
        let files = FileReader { (path, _) throws(FileReader.Fault) in
            throw path.hasPrefix("/etc/jarvis-voiced/openai") ? .system(13) : .absent
        }
        let context = DoctorContext(environment: [:], files: files)
        let finding = ConfigurationCheck.apiKey(context).first
        #expect(finding?.verdict == .skipped)
        #expect(finding?.advice?.contains("sudo") == true)
    }

    @Test func mistakesInTheFileNameTheirLines() {
        let files = FileReader.stub(["/c.toml": Array("[audio]\ninptu = \"x\"\n[realtime]\nspeed = 9\n".utf8)])
        let context = DoctorContext(path: "/c.toml", environment: ["OPENAI_API_KEY": "sk-1"], files: files)
        let findings = ConfigurationCheck.findings(context)
        #expect(findings.map(\.verdict) == [.fail, .fail])
        #expect(findings.first?.message.contains("/c.toml:2") == true)
        #expect(findings.last?.message.contains("/c.toml:4") == true)
    }

    @Test func missingKeyIsNotAConfigurationError() {
        let context = DoctorContext(environment: [:], files: .stub([:]))
        let findings = ConfigurationCheck.findings(context)
        #expect(findings.map(\.check) == ["configuration", "api-key", "jarvis-token"])
        #expect(findings.map(\.verdict) == [.ok, .fail, .ok])
    }

    @Test func testedSessionHasTheToolsOfTheDaemon() throws {
        func tools(_ overrides: [String]) -> String {
            let context = DoctorContext(
                overrides: overrides, environment: ["OPENAI_API_KEY": "sk-1"], files: .stub([:])
            )
            return "\(context.settings?.service.tools ?? [])"
        }
        #expect(tools([]).contains("ask_jarvis"))
        #expect(tools(["media.enabled=true"]).contains("play_audio"))
        #expect(!tools(["media.enabled=false"]).contains("play_audio"))
    }

    @Test func anotherUserHasAnotherHome() {
        let root = ["HOME": "/root", "XDG_STATE_HOME": "/root/state", "JARVIS_AUDIO_INPUT": "my card"]
        let service = ServiceUser.environment(root, of: "jarvis-voiced", home: "/var/lib/jarvis-voiced")
        #expect(StateDirectory.path(environment: service) == "/var/lib/jarvis-voiced")
        #expect(service["JARVIS_AUDIO_INPUT"] == "my card")
        let member = ServiceUser.environment(root, of: "member", home: "/home/member")
        #expect(StateDirectory.path(environment: member) == "/home/member/.local/state/jarvis-voiced")
    }

    @Test func missingUserIsNamed() {
        let fault = #expect(throws: ServiceUser.Fault.self) { try ServiceUser.become("nobody-of-that-name") }
        #expect(fault?.description.contains("nobody-of-that-name") == true)
    }

    @Test func worldReadableKeyFileGivesAWarning() {
        let files = FileReader.stub(["/key": Array("sk-1\n".utf8)], readableByOthers: true)
        let context = DoctorContext(
            overrides: ["realtime.api_key_file=/key"], environment: [:], files: files
        )
        #expect(ConfigurationCheck.apiKey(context).map(\.verdict) == [.ok, .warn])
    }

    /// The folder of the models belongs to the service: its owner must not choose what root runs.
    @Test func rootLoadsNoLibraryOfAnotherUser() {
        #expect(WakeCheck.mayLoad(ownedBy: 0, as: 0))
        #expect(!WakeCheck.mayLoad(ownedBy: 998, as: 0))
        #expect(!WakeCheck.mayLoad(ownedBy: nil, as: 0))
        #expect(WakeCheck.mayLoad(ownedBy: 998, as: 998))
        #expect(WakeCheck.notTried.advice?.contains("--user") == true)
    }

    @Test func exitStatusReflectsTheWorstFinding() {
        func status(_ verdicts: [DoctorFinding.Verdict]) -> Int32 {
            DoctorReport(verdicts.map { DoctorFinding("x", $0, "y") }).exitStatus
        }
        #expect(status([]) == 0)
        #expect(status([.ok, .skipped]) == 0)
        #expect(status([.ok, .warn, .skipped]) == 1)
        #expect(status([.warn, .fail, .ok]) == 2)
    }

    @Test func hangingWorkIsAbandoned() async {
        let late: Int? = await TimeLimit.run(.milliseconds(10)) {
            try? await Task.sleep(for: .seconds(3600))
            return 1
        }
        #expect(late == nil)
        #expect(await TimeLimit.run(.seconds(60)) { 2 } == 2)
    }

    @Test func commandsRunWithinLimits() async {
        #expect(await Command.output(["echo", "well"]) == Array("well\n".utf8))
        #expect(await Command.output(["false"]) == nil)
        #expect(await Command.output(["no-such-program-here"]) == nil)
        #expect(await Command.output(["sleep", "600"], limit: .milliseconds(50)) == nil)
        #expect(await Command.output(["yes"], maximumBytes: 1000) == nil)
    }

    /// A desktop's user unit, beside a service of the system whose key is root's.
    @Test func usersOwnServiceHasItsSecretsBesideItsConfiguration() {
        let folder = "/home/bea/.config/jarvis-voiced"
        let context = DoctorContext(
            environment: ["HOME": "/home/bea"],
            files: .stub([
                "\(folder)/jarvis-voiced.toml": Array("[jarvis]\nurl = \"http://127.0.0.1:1/ui\"\n".utf8),
                "\(folder)/openai-api-key": Array("sk-1234567890\n".utf8),
                "\(folder)/jarvis-token": Array("t-1234567890\n".utf8),
            ])
        )
        #expect(!context.lacksKey && context.unreadable.isEmpty)
        #expect(context.environment["CREDENTIALS_DIRECTORY"] == folder)
    }
}
