import ArgumentParser
import VoiceBase
import VoiceCore

/// `jarvis-voiced manual`: prints the manual pages, generated from the programs themselves; for packages and `make install`.
struct Manual: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print a manual page: 1 for the program, 5 for its configuration.",
        discussion: "To read a page without installing it: jarvis-voiced manual 5 | man -l -", shouldDisplay: false
    )

    @Argument(help: "1 or 5.")
    var section: Int

    @Flag(help: "Describe another program of this package, whose --experimental-dump-help comes on standard input.")
    var other = false

    func validate() throws {
        guard [1, 5].contains(section) else { throw ValidationError("sections are 1 and 5") }
    }

    func run() throws {
        let version = ProgramVersion.current
        let page = try exiting {
            switch section {
            case _ where other:
                try CommandManual.toolPage(
                    description: AnyIterator { readLine() }.joined(separator: "\n"),
                    version: version
                )
            case 1: try CommandManual.page(description: JarvisVoiced._dumpHelp(), version: version)
            default: ConfigurationManual.page(version: version)
            }
        }
        print(page, terminator: "")
    }
}
