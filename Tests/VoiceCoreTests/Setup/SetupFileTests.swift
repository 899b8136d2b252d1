import FoundationEssentials
import Glibc
import Testing
import VoiceBase

@testable import VoiceCore

struct SetupFileTests: ~Copyable {
    private let folder = FileManager.default.temporaryDirectory.path + "/setup-\(UUID().uuidString)"

    init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func file(_ name: String, _ text: String, isSecret: Bool = true, mode: mode_t = 0o600) -> SetupFile {
        SetupFile(path: "\(folder)/\(name)", bytes: Array(text.utf8), isSecret: isSecret, mode: mode)
    }

    private func text(_ name: String) -> String? {
        FileManager.default.contents(atPath: "\(folder)/\(name)").map { String(decoding: $0, as: UTF8.self) }
    }

    private func mode(_ name: String) -> mode_t {
        var status = stat()
        return stat("\(folder)/\(name)", &status) == 0 ? status.st_mode & 0o7777 : 0
    }

    @Test func newFilesGetTheirRights() throws {
        try SetupFile.replace([file("key", "k"), file("c.toml", "c", isSecret: false, mode: 0o644)])
        #expect(mode("key") == 0o600)
        #expect(mode("c.toml") == 0o644)
        #expect(Folder.names(in: folder) == ["c.toml", "key"])
    }

    @Test(arguments: [0o644, 0o640, 0o660, 0o777, 0o400] as [mode_t])
    func secretGetsItsModeAndOtherFilesKeepTheirs(before: mode_t) throws {
        try SetupFile.replace([file("key", "k"), file("c.toml", "c", isSecret: false)])
        chmod("\(folder)/key", before)
        chmod("\(folder)/c.toml", 0o664)
        try SetupFile.replace([file("key", "new"), file("c.toml", "new", isSecret: false, mode: 0o600)])
        #expect(text("key") == "new")
        #expect(mode("key") == 0o600)
        #expect(mode("c.toml") == 0o664)
    }

    @Test(.enabled(if: geteuid() == 0), arguments: [nil, 900] as [uid_t?])
    func secretOfAnotherUserBelongsToItsReader(reader: uid_t?) throws {
        try SetupFile.replace([file("key", "k")])
        chown("\(folder)/key", 65534, 65534)
        var secret = file("key", "new")
        secret.owner = reader
        try SetupFile.replace([secret])
        var status = stat()
        #expect(stat("\(folder)/key", &status) == 0)
        #expect(status.st_uid == reader ?? 0 && status.st_gid == getegid() && status.st_mode & 0o777 == 0o600)
    }

    @Test func writesNothingIfOneFileCannotBeWritten() throws {
        try SetupFile.replace([file("key", "old")])
        mkdir("\(folder)/token", 0o700)
        #expect(throws: StateFile.Fault.self) { try SetupFile.replace([file("key", "new"), file("token", "t")]) }
        #expect(text("key") == "old")
        #expect(Folder.names(in: folder) == ["key", "token"])
    }

    @Test func followsALinkToAConfigurationButNotToASecret() throws {
        try SetupFile.replace([file("real", "old", isSecret: false)])
        symlink("\(folder)/real", "\(folder)/link")
        try SetupFile.replace([file("link", "new", isSecret: false)])
        #expect(text("real") == "new")
        #expect(throws: StateFile.Fault(path: "\(folder)/link", errno: ELOOP)) {
            try SetupFile.replace([file("link", "secret")])
        }
        #expect(text("real") == "new")
    }
}
