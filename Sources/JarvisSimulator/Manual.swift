import ArgumentParser
import VoiceBase
import VoiceCore

/// `jarvis-simulator manual`: its manual page, made from the program itself; for packages.
struct Manual: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the manual page.",
        shouldDisplay: false
    )

    func run() throws {
        let page = try CommandManual.toolPage(
            description: JarvisSimulator._dumpHelp(),
            version: ProgramVersion.current
        )
        print(page, terminator: "")
    }
}
