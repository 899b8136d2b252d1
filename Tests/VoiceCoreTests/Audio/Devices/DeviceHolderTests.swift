import Glibc
import Testing

@testable import VoiceCore

struct DeviceHolderTests {
    /// A folder of devices, one of them held open by `sleep`.
    @Test func namesTheProgramThatKeepsTheMicrophone() async throws {
        let folder = "/tmp/holder-\(getpid())"
        try #require(mkdir(folder, 0o700) == 0)
        defer { system("rm -r \(folder)") }
        let hold = "exec sleep 30 3<\(folder)/pcmC0D0c >/dev/null 2>&1 &"
        try #require(system("touch \(folder)/pcmC0D0c \(folder)/pcmC0D0p; \(hold)") == 0)
        var holder: String?
        // The shell's child opens the file and becomes `sleep` in its own time.
        let end = Monotonic.now() + .seconds(30)
        while holder?.hasPrefix("sleep (") != true && Monotonic.now() < end {
            holder = DeviceHolder.find(device: "room", direction: .capture, devices: folder)
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect(holder?.hasPrefix("sleep (") == true, "\(holder ?? "nobody")")
        #expect(DeviceHolder.find(device: "room", direction: .playback, devices: folder) == nil)
    }

    @Test func aBusyDeviceNamesItsHolder() {
        let busy = AudioDeviceError.busy(device: "hw:CARD=Device", direction: .capture, holder: "arecord (4711)")
        #expect("\(busy)".contains("is in use by arecord (4711)"))
        #expect(!busy.isOfTheConfiguration && !busy.isAbsence)
    }
}
