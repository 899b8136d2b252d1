import ArgumentParser
import FoundationEssentials
import Logging
import VoiceActivation
import VoiceAudio
import VoiceBase
import VoiceCore

/// `jarvis-voiced config`: checks and shows the configuration.
struct Config: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check or show the configuration.", subcommands: [Check.self, Show.self, Sample.self]
    )

    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Check the configuration; exit status 78 if anything is wrong.",
            discussion: """
                If a service is not reached over TLS, its name is resolved: a key or token is sent unencrypted only \
                within your own network, unless allow_plain_http allows more. A name that cannot be resolved is not \
                an error; the daemon checks the address of every connection. With jarvis.api = "openai" the agent's \
                server is asked once, for at most two seconds, whether it is a term-llm.
                """
        )

        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            // Include the key in the place where the unit takes it from.
            let environment = DoctorContext(environment: ProcessEnvironment.values).environment
            let loaded = try exiting {
                try ConfigurationLoader(environment: environment).load(
                    path: options.config, overrides: options.overrides
                )
            }
            // Collect all problems, so that one does not hide another.
            var problems: [ConfigurationProblem] = []
            var secrets = Secrets.none
            do {
                secrets = try Secrets(configuration: loaded.values, environment: environment)
                problems += [DaemonSettings.missingKey(loaded.values, secrets)].compactMap { $0 }
            } catch { problems += error.problems }
            for warning in loaded.warnings + secrets.warnings { print("warning: \(warning)") }
            let logger = makeLogger(level: .error)
            do {
                let settings = try DaemonSettings(
                    loaded.values, secrets: secrets, needsKey: false, isForThisUser: loaded.isUsersOwn, logger: logger
                )
                for notice in settings.notices { print("warning: \(notice)") }
                var audio = settings.audio
                for problem in audio.learn(environment: environment) {
                    print("warning: \(problem)")
                }
                print("echo: \(audio.echoLine(duplex: loaded.values.echo.duplex))")
            } catch { problems += error.problems }
            problems += ConfiguredModelFiles.problems(loaded.values.activation)
            let transports = await ServiceTransport.look(loaded.values, secrets: secrets)
            for transport in transports where !transport.isRefused {
                guard let line = transport.line else { continue }
                print("\(transport.key): " + [line, transport.advice].compactMap { $0 }.joined(separator: ": "))
            }
            // A literal address that is refused has already been reported above.
            problems += transports.filter(\.isRefused).map(\.problem).filter { !problems.contains($0) }
            if let line = await AgentStyle.warning(loaded.values, secrets: secrets, transports: transports) {
                print("warning: \(line)")
            }
            try exiting { if !problems.isEmpty { throw ConfigurationError(problems: problems) } }
            print("\(loaded.file ?? "built-in values (no file found)"): ok")
        }
    }

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print every value in force and where it comes from; secrets are not shown."
        )

        @OptionGroup var options: ConfigurationOptions

        func run() throws {
            let (loaded, secrets) = try options.load()
            print(ConfigurationListing.text(loaded, secrets: secrets), terminator: "")
        }
    }

    struct Sample: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print a configuration file with every key, commented, at its default."
        )

        func run() {
            print(ConfigurationSample.text, terminator: "")
        }
    }
}
