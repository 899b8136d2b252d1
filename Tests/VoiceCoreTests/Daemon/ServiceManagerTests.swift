import Testing

@testable import TestSupport
@testable import VoiceCore

struct ServiceManagerTests {
    @Test func linesFollowTheProtocol() {
        #expect(ServiceNotice.ready.line == "READY=1")
        #expect(ServiceNotice.reloading(since: .milliseconds(12_345)).line == "RELOADING=1\nMONOTONIC_USEC=12345000")
        #expect(ServiceNotice.stopping.line == "STOPPING=1")
    }

    @Test func aStatusIsOneLineAndHasAnEnd() {
        #expect(ServiceNotice.status("a\nREADY=1\u{7}b").line == "STATUS=a READY=1 b")
        let long = ServiceNotice.status(String(repeating: "\u{20AC}", count: 1000)).line
        #expect(long.utf8.count < 530 && long.hasSuffix("\u{20AC}"))
    }

    @Test(arguments: ["/tmp/notify-%", "@notify-%"])
    func datagramsArriveAtPathsAndAbstractNames(pattern: String) throws {
        let name = "\(UInt32.random(in: 0 ... .max))"
        let path = pattern.split(separator: "%").map(String.init).joined() + name
        let receiver = try DatagramReceiver(path: path)
        let manager = try #require(
            ServiceManager(
                environment: ["NOTIFY_SOCKET": path, "WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "7"], process: 7
            )
        )
        #expect(manager.watchdog == .seconds(30))
        manager.send([.ready, .status("Listening")])
        manager.send([])
        manager.send([.watchdog])
        #expect(String(decoding: receiver.next(), as: UTF8.self) == "READY=1\nSTATUS=Listening")
        #expect(String(decoding: receiver.next(), as: UTF8.self) == "WATCHDOG=1")
    }

    @Test func missingSocketGivesNoServiceManager() {
        #expect(ServiceManager(environment: [:]) == nil)
        #expect(ServiceManager(environment: ["NOTIFY_SOCKET": ""]) == nil)
        #expect(ServiceManager(environment: ["NOTIFY_SOCKET": "vsock:2:1"]) == nil)
    }

    @Test func watchdogOfAnotherProcessIsIgnored() {
        #expect(
            ServiceManager.watchdog(environment: ["WATCHDOG_USEC": "1000", "WATCHDOG_PID": "8"], process: 7) == nil
        )
        #expect(ServiceManager.watchdog(environment: ["WATCHDOG_USEC": "0"], process: 7) == nil)
        #expect(ServiceManager.watchdog(environment: [:], process: 7) == nil)
        #expect(ServiceManager.watchdog(environment: ["WATCHDOG_USEC": "1000"], process: 7) == .milliseconds(1))
    }
}
