import FoundationEssentials
import Glibc
import Testing

@testable import TestSupport
@testable import VoiceBase

struct FileReaderTests {
    @Test func filesAreReadWholeUpToTheirLimit() throws {
        try withFolder { folder in
            let path = folder + "/a"
            try Data("hello".utf8).write(to: URL(filePath: path))
            chmod(path, 0o600)
            #expect(try FileReader.system.read(path, 5) == FileReader.File(bytes: Array("hello".utf8)))
            #expect(throws: FileReader.Fault.tooLarge(limit: 4)) { try FileReader.system.read(path, 4) }
            chmod(path, 0o644)
            #expect(try FileReader.system.read(path, 5).isReadableByOthers)
        }
    }

    @Test func folderAndFifoAreRefusedWithoutBlocking() throws {
        try withFolder { folder in
            #expect(throws: FileReader.Fault.absent) { try FileReader.system.read(folder + "/none", 10) }
            #expect(throws: FileReader.Fault.notRegular) { try FileReader.system.read(folder, 10) }
            mkfifo(folder + "/fifo", 0o600)
            #expect(throws: FileReader.Fault.notRegular) { try FileReader.system.read(folder + "/fifo", 10) }
        }
    }

    private func withFolder(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "jarvis-voiced-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder.path)
    }
}
