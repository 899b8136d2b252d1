import Glibc
import Testing

@testable import TestSupport
@testable import VoiceAudio
@testable import VoiceBase

struct DeviceHolderTests {
    /// Queries the holder until it is the right one: a shell's child takes its time to open the file and become
    /// `sleep`.
    private func holder(
        of device: String,
        _ finder: DeviceHolder,
        until isRight: (String) -> Bool
    ) async throws -> String? {
        for _ in 0..<2000 {
            let holder = finder.find(device: device, direction: .capture)
            if holder.map(isRight) == true { return holder }
            try await Task.sleep(for: .milliseconds(5))
        }
        return finder.find(device: device, direction: .capture)
    }

    /// A folder of devices, one of which `sleep` holds open.
    @Test func namesTheProgramHoldingTheMicrophone() async throws {
        let folder = "/tmp/holder-\(getpid())"
        try #require(mkdir(folder, 0o700) == 0)
        defer { system("kill $(cat \(folder)/pid); rm -r \(folder)") }
        // `sleep` runs until it is killed: on a busy machine this test may wait for an unpredictable time.
        let hold = "sh -c 'exec sleep 600 3<\(folder)/pcmC0D0c' >/dev/null 2>&1 & echo $! >\(folder)/pid"
        try #require(system("touch \(folder)/pcmC0D0c \(folder)/pcmC0D0p; \(hold)") == 0)
        let finder = DeviceHolder(devices: folder, cards: folder)
        let holder = try await holder(of: "room", finder) { $0.hasPrefix("sleep (") }
        #expect(holder?.hasPrefix("sleep (") == true, "\(holder ?? "nobody")")
        #expect(finder.find(device: "room", direction: .playback) == nil)
    }

    /// "Use default" helps only if the holder is a sound server, or uses it as well.
    @Test(arguments: [
        ("hw:CARD=Device,DEV=0", "mpv (4711)" as String?, "let both use a shared device such as \"default\""),
        ("hw:CARD=Device,DEV=0", nil, "let both use a shared device such as \"default\""),
        ("hw:0,0", "pipewire (600)", "use \"default\" as the user it runs for, or stop it"),
        ("plughw:0", "pulseaudio (600)", "use \"default\" as the user it runs for, or stop it"),
        ("default", "aplay (12)", "let it use \"default\" too"),
        ("dmix:Loopback", nil, "let it use \"dmix:Loopback\" too"),
    ])
    func busyDeviceNamesAWorkingAlternative(device: String, holder: String?, way: String) {
        let text = AudioDeviceError.busy(device: device, direction: .playback, holder: holder).description
        #expect(text.hasSuffix(way), "\(text)")
    }

    /// A card with two subdevices: each has its own holder, but both have the same device file.
    @Test func holderIsThatOfTheNamedSubdevice() throws {
        let folder = "/tmp/asound-\(getpid())"
        defer { system("rm -rf \(folder)") }
        for (subdevice, owner) in [(0, "\(getppid())"), (1, "1"), (2, "")] {
            let path = "\(folder)/card0/pcm1c/sub\(subdevice)"
            let status = owner.isEmpty ? "closed" : "state: RUNNING\nowner_pid   : \(owner)\ntrigger_time: 17.5"
            try #require(system("mkdir -p \(path) && printf '\(status)\\n' >\(path)/status") == 0)
        }
        let finder = DeviceHolder(devices: folder, cards: folder)
        func holder(_ device: String) -> String? { finder.find(device: device, direction: .capture) }
        #expect(holder("hw:Absent,1,0")?.hasSuffix("(\(getppid()))") == true)
        #expect(holder("plughw:CARD=Absent,DEV=1,SUBDEV=1")?.hasSuffix("(1)") == true)
        #expect(holder("hw:Absent,1,2") == nil)
        #expect(holder("hw:Absent,0") == nil)
        #expect(holder("default")?.hasSuffix("(\(getppid()))") == true)
        #expect(finder.find(device: "hw:Absent,1,0", direction: .playback) == nil)
    }

    /// As in the daemon: the thread that opened the device has ended, and others hold other subdevices of it.
    @Test func holderWithoutItsThreadIsFoundByItsFiles() async throws {
        let folder = "/tmp/ended-\(getpid())"
        try #require(mkdir(folder, 0o700) == 0)
        defer { system("kill $(cat \(folder)/pids) 2>/dev/null; rm -r \(folder)") }
        let status = system(
            """
            cd \(folder) && touch pcmC0D1c && mkdir -p card0/pcm1c/sub0 card0/pcm1c/sub1
            for name in one two; do sh -c 'exec sleep 600 3<pcmC0D1c >/dev/null 2>&1' & echo $! >>pids; done
            (exit) & echo "owner_pid   : $!" >card0/pcm1c/sub0/status; wait $!
            echo "owner_pid   : $(head -1 pids)" >card0/pcm1c/sub1/status
            """
        )
        try #require(status == 0)
        let text = String(decoding: try FileReader.system.read(folder + "/pids", 4096).bytes, as: UTF8.self)
        let pids = text.split(separator: "\n").map(String.init)
        try #require(pids.count == 2)
        let finder = DeviceHolder(devices: folder, cards: folder)
        let holder = try await holder(of: "hw:Absent,1,0", finder) { $0.hasSuffix("(\(pids[1]))") }
        #expect(holder?.hasSuffix("(\(pids[1]))") == true, "\(holder ?? "nobody"), not \(pids)")
        #expect(finder.find(device: "hw:Absent,1,1", direction: .capture)?.hasSuffix("(\(pids[0]))") == true)
    }

    @Test func aBusyDeviceNamesItsHolder() {
        let busy = AudioDeviceError.busy(device: "hw:CARD=Device", direction: .capture, holder: "arecord (4711)")
        #expect("\(busy)".contains("is in use by arecord (4711)"))
        #expect(!busy.isOfTheConfiguration && !busy.isAbsence)
    }
}
