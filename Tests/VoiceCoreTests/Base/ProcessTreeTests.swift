import CLinux
import Glibc
import Testing

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceCore

/// Which processes may give no orders because the daemon started them, and what a process keeps private.
struct ProcessTreeTests {
    @Test func parentsAreFollowed() {
        let parents: [pid_t: pid_t] = [50: 40, 40: 30, 30: 1, 60: 61, 61: 60]
        #expect(ProcessTree.descends(50, from: 30) { parents[$0] } == true)
        #expect(ProcessTree.descends(50, from: 20) { parents[$0] } == false)
        #expect(ProcessTree.descends(70, from: 20) { parents[$0] } == nil)
        #expect(ProcessTree.descends(60, from: 20) { parents[$0] } == nil, "a circle ends")
        #expect(
            ProcessTree.entry(inStat: "12 (a) b) S 7 12 11 0") == .init(parent: 7, session: 11, hasEnded: false)
        )
        #expect(ProcessTree.entry(inStat: "12 (a) Z 7 12 11 0")?.hasEnded == true)
        #expect(ProcessTree.entry(inStat: "12 (a") == nil)
        #expect(ProcessTree.entry(inStat: "12 (a) S 7") == nil)
        #expect(ProcessTree.parent(of: getpid()) == getppid())
    }

    @Test func childrenMayNotGiveOrders() {
        let access = ControlAccess(user: 1000, group: 1000)
        for user in [0, 1000] as [UInt32] {
            #expect(access.allows(.init(process: 2, user: user, groups: [1000])))
            #expect(!access.allows(.init(process: 2, user: user, groups: [1000], isOwnChild: true)))
        }
    }

    @Test func controlSocketRefusesOwnChildren() async throws {
        let path = "/tmp/control-child-\(getpid())-\(UInt32.random(in: 0 ... .max)).sock"
        let server = try ControlServer(.init(path: path, version: "1"), logger: LineLog().logger) { _, _ in
            .success(.done([:]))
        }
        let task = Task { await server.run() }
        // The client may be refused before it has written.
        let program = """
            use IO::Socket::UNIX; $SIG{PIPE} = 'IGNORE'; my $s = IO::Socket::UNIX->new(Peer => "\(path)") or die; print $s "{\\"command\\":\\"x\\"}\\n";
            print while <$s>;
            """
        let output = await Command.output(["perl", "-e", program], limit: .seconds(20))
        #expect(output.map { String(decoding: $0, as: UTF8.self) }?.contains("\"denied\"") == true)
        server.stop()
        await task.value
    }

    @Test func aSecretLeavesTheEnvironment() {
        setenv("JARVIS_TEST_SECRET", "canary-of-the-environment", 1)
        let place = getenv("JARVIS_TEST_SECRET")
        clinux_scrub_environment("JARVIS_TEST_SECRET")
        #expect(getenv("JARVIS_TEST_SECRET") == nil)
        #expect(place?.pointee == 0, "overwritten, not only forgotten")
        clinux_scrub_environment("JARVIS_TEST_SECRET")
    }
}
