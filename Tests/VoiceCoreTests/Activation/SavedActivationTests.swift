import FoundationEssentials
import Glibc
import Synchronization
import Testing

@testable import TestSupport
@testable import VoiceActivation
@testable import VoiceBase

struct SavedActivationTests {
    private let directory = FileManager.default.temporaryDirectory.path + "/activation-\(UUID().uuidString)/state"

    @Test func savedActivationRoundTrips() throws {
        for isMuted in [false, true] {
            for mode in [nil, SavedActivation.Mode(set: .push, configured: .always)] {
                let saved = SavedActivation(isMuted: isMuted, mode: mode)
                #expect(try SavedActivation(parsing: Array(saved.text.utf8)) == saved)
            }
        }
    }

    @Test func editedConfigurationOverridesTheSavedMode() {
        let saved = SavedActivation(mode: .init(set: .push, configured: .always))
        #expect(saved.effectiveMode(configured: .always, hearsWords: true) == .push)
        #expect(saved.effectiveMode(configured: .wake, hearsWords: true) == .wake)
        #expect(SavedActivation().effectiveMode(configured: .wake, hearsWords: true) == .wake)
        // The engine or its models have gone since: no word calls, and the microphone stays closed anyway.
        let wake = SavedActivation(mode: .init(set: .wake, configured: .always))
        #expect(wake.effectiveMode(configured: .always, hearsWords: true) == .wake)
        #expect(wake.effectiveMode(configured: .always, hearsWords: false) == .push)
    }

    @Test func unknownFieldsOfANewerVersionAreSkipped() throws {
        let text = "[microphone]\nmuted = true\ngain = 3\n[mode]\nset = \"dream\"\nconfigured = \"always\"\n"
        #expect(try SavedActivation(parsing: Array(text.utf8)) == SavedActivation(isMuted: true))
    }

    /// Whether it was muted is unknown, so the microphone is not opened on a guess.
    @Test(arguments: ["", "[microphone", "[microphone]\nmuted = 1\n", "\u{0}\u{0}\u{0}"])
    func aDamagedFileLeavesTheMicrophoneClosed(text: String) throws {
        try StateFile.write(Array(text.utf8), to: directory + "/activation.toml")
        let log = LineLog()
        #expect(ActivationStore.load(directory: directory, logger: log.logger) == SavedActivation(isMuted: true))
        #expect(log.lines.count == 1 && log.lines[0].contains("stays closed until"))
        try? FileManager.default.removeItem(atPath: directory)
    }

    @Test func theFirstStartIsNotMuted() {
        let log = LineLog()
        #expect(ActivationStore.load(directory: directory, logger: log.logger) == SavedActivation())
        #expect(log.lines.isEmpty)
    }

    @Test func newestActivationIsWritten() async throws {
        let log = LineLog()
        let store = ActivationStore(directory: directory, logger: log.logger)
        for isMuted in [true, false, true] { store.remember(SavedActivation(isMuted: isMuted)) }
        await store.flush()
        #expect(ActivationStore.load(directory: directory, logger: log.logger) == SavedActivation(isMuted: true))
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// "Muted" is answered once it is on disk: the power may be cut next.
    @Test func waitEndsOnceTheFileIsOnDisk() async throws {
        let log = LineLog()
        let isWritten = Mutex(false)
        let store = ActivationStore(directory: directory, logger: log.logger) { _, _ in
            usleep(20_000)
            isWritten.withLock { $0 = true }
        }
        store.remember(SavedActivation(isMuted: true))
        #expect(await store.isSaved(within: .seconds(60)))
        #expect(isWritten.withLock { $0 })
    }

    @Test func hangingDiskDoesNotBlockTheCaller() async throws {
        let log = LineLog()
        let goesOn = Gate()
        let store = ActivationStore(directory: directory, logger: log.logger) { _, _ in goesOn.wait() }
        store.remember(SavedActivation(isMuted: true))
        #expect(await store.isSaved(within: .milliseconds(50)) == false)
        goesOn.open()
        #expect(await store.isSaved(within: .seconds(60)))
    }

    @Test func unwritableFolderIsLogged() async {
        let log = LineLog()
        let store = ActivationStore(directory: "/proc/nowhere", logger: log.logger)
        store.remember(SavedActivation(isMuted: true))
        #expect(await store.isSaved(within: .seconds(60)) == false)
        #expect(log.lines.first?.contains("not remembered") == true)
    }
}

/// Holds up a thread until it is opened.
private final class Gate: Sendable {
    private let isOpen = Mutex(false)

    func open() { isOpen.withLock { $0 = true } }

    func wait() { while !isOpen.withLock({ $0 }) { usleep(1000) } }
}
