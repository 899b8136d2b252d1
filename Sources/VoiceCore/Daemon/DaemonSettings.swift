internal import FoundationEssentials
package import Logging
package import VoiceActivation
package import VoiceAudio
package import VoiceBase
package import VoiceConversation
package import VoiceMedia
internal import VoiceNetwork
internal import VoiceReply
package import VoiceSession

/// The configuration, translated into the settings of the daemon's parts.
package struct DaemonSettings: Sendable {
    /// The household's name for this box.
    package var name: String
    package var audio: AudioConfiguration
    package var volumes: VolumeSettings
    package var pump: VoicePump.Options
    package var service: any VoiceService
    /// Services used, in order, while the preferred one is unavailable.
    package var substitutes: [any VoiceService] = []
    /// Assistants of wake words that have a table.
    package var assistants: [AssistantSettings] = []
    /// The way to Home Assistant, which all sessions of its pipeline share.
    package let assist: AssistExchange
    /// Name of the model, for display.
    package var model: String
    package var conversation: ConversationMachine.Options
    package var jarvis: Configuration.Jarvis
    package var jarvisBase: ServerURL
    package var jarvisToken: Secret?
    package var transcripts: Bool
    package var budget: Budget.Options
    package var activation: ActivationSettings
    package var media: MediaSettings
    /// Settings of the box's own voice; nil if it has only tones.
    package var announcer: LocalSettings?
    /// Settings of espeak-ng, for answers that a service failed to speak; nil with a local voice or without espeak-ng.
    package private(set) var lastResort: LocalSettings?
    /// Warnings for the user that do not prevent the start.
    package var notices: [String] = []

    /// With the tools and instructions that the daemon itself uses.
    ///
    /// - Parameters:
    ///   - needsKey: false to validate everything else although the key is missing.
    ///   - isForThisUser: false to validate what another user runs, the service's.
    /// - Throws: what is missing or invalid, with a remedy.
    package init(
        _ configuration: Configuration,
        secrets: Secrets,
        files: FileReader = .system,
        needsKey: Bool = true,
        isForThisUser: Bool = true,
        logger: Logger
    ) throws(ConfigurationError) {
        let instructions = try Self.instructions(of: configuration, files: files)
        let tools = VoiceDaemon.advertised(
            configuration.jarvis, mode: configuration.activation.mode, playsMedia: configuration.media.enabled,
            logger: logger
        )
        if needsKey, let problem = Self.missingKey(configuration, secrets) {
            throw ConfigurationError(problems: [problem])
        }
        let usable = ServiceRegistry.usable(by: configuration, secrets: secrets)
        let kind = usable.first ?? ServiceRegistry.chosen(by: configuration)
        try Self.checkAddresses(of: [kind] + usable.dropFirst(), configuration, secrets)
        guard let jarvisBase = ServerURL(configuration.jarvis.url), ["http", "https"].contains(jarvisBase.scheme) else {
            throw Self.fail("jarvis.url", "must be an http:// or https:// address")
        }
        name = BoxName.shown(configuration.box.name)
        audio = AudioConfiguration(configuration.audio, echo: configuration.echo)
        if let fault = AudioConfiguration.channelsFault(configuration.audio) {
            throw ConfigurationError(problems: [fault])
        }
        notices += EchoWorker.notices(on: configuration)
        volumes = VolumeSettings(configuration.audio)
        if let problem = volumes.problem { throw Self.fail(problem.key, problem.message) }
        if let wrong = SoundInput.firstWrong(in: configuration.media.inputs) {
            throw Self.fail(
                "media.inputs",
                "\"\(String(wrong).escapingHidden())\" is not a name with a FIFO or a device of ALSA's, such as "
                    + "Snapcast=/run/jarvis-snapcast:48000"
            )
        }
        pump = VoicePump.Options()
        pump.hasVoiceDetector = configuration.echo.cancels
        model = kind.model(configuration)
        let exchange = AssistExchange()
        assist = exchange
        func make(
            _ kind: any VoiceService.Type,
            for assistant: Assistant? = nil
        ) throws(ConfigurationError) -> any VoiceService {
            let values = assistant?.configuration(for: kind) ?? configuration
            let persona = kind.persona(values)
            let role = instructions[kind.name] ?? assistant.map { Persona.named($0.name, persona) } ?? persona
            let more = assistant?.instructions ?? ""
            let made = try kind.init(
                values, secrets: secrets,
                instructions: more.isEmpty ? role : role.isEmpty ? more : role + "\n\n" + more,
                tools: tools.map(\.definition)
            )
            guard var house = made as? AssistService else { return made }
            house.exchange = exchange
            return house
        }
        service = try make(kind)
        for other in usable.dropFirst() { substitutes.append(try make(other)) }
        for other in ServiceRegistry.wanted(by: configuration)
        where other.name != kind.name && !usable.contains(where: { $0.name == other.name }) {
            notices.append("service.use: \(other.name.rawValue) is left out: no API key")
        }
        notices += service.notices + substitutes.flatMap(\.notices)
        conversation = ConversationMachine.Options(service.capabilities)
        conversation.service = service.name
        if configuration.audio.earconVolume == 0 { conversation.thinkingAfter = nil }
        conversation.seed = .random(in: .min ... .max)
        conversation.sessionLifetime = service.capabilities.sessionLimit
        service.configure(&conversation, &pump)
        jarvis = configuration.jarvis
        conversation.promptLimit = .seconds(max(1, jarvis.humanTimeoutS))
        self.jarvisBase = jarvisBase
        jarvisToken = secrets.jarvisToken.secret
        transcripts = configuration.log.transcripts
        budget = Budget.Options(configuration, services: [kind] + usable.dropFirst())
        activation = try ActivationSettings(configuration, isForThisUser: isForThisUser)
        notices += activation.notices
        try Self.checkWords(configuration)
        for assistant in configuration.assistants {
            var services = [try make(kind, for: assistant)]
            for other in usable.dropFirst() { services.append(try make(other, for: assistant)) }
            guard let base = ServerURL(assistant.configuration.jarvis.url) else {
                throw Self.fail(assistant.table + ".url", "must be an http:// or https:// address")
            }
            let token = secrets.token(of: assistant).secret
            assistants.append(AssistantSettings(assistant: assistant, services: services, base: base, token: token))
            if assistant.hasOwnToken, token == nil {
                notices.append(
                    "no token for \(assistant.table).url: set \(assistant.table).token_file if its agent wants one"
                )
            }
        }
        activation.machine.assistants = Set(assistants.map(\.assistant.word))
        media = MediaSettings(configuration.media)
        announcer = LocalSettings.isWanted(configuration) ? try LocalSettings(configuration) : nil
        activation.machine.home = Self.words(configuration).first.flatMap { first in
            assistants.contains { $0.assistant.word == first } ? first : nil
        }
        notices += noticesOfWords(configuration)
        addSubstitutes()
        conversation.hasLocalVoice = announcer != nil
        activation.machine.hasLocalVoice = announcer != nil
        try greet(configuration.activation.greeting)
        conversation.isAlwaysOpen = activation.machine.mode == .always
        if activation.machine.mode == .always, let cost = costOfAlways {
            if let refusal = refusalOfAlways(limitsDay: limitsDay) {
                throw Self.fail("activation.mode", refusal)
            }
            notices.append("activation.mode: " + cost)
        }
        if let notice = Budget.Options.notice(on: configuration, of: kind) { notices.append(notice) }
    }

    /// Whether Home Assistant's pipeline is one of the services.
    package var usesHomeAssistant: Bool { ([service] + substitutes).contains { $0 is AssistService } }

    /// Whether Home Assistant's pipeline hears the calls, unless it is away.
    package var houseHears: Bool { service is AssistService }

    /// - Throws: for a key that would travel in the clear.
    private static func checkAddresses(
        of kinds: [any VoiceService.Type],
        _ configuration: Configuration,
        _ secrets: Secrets
    ) throws(ConfigurationError) {
        for kind in kinds {
            guard let address = kind.address(configuration) else { continue }
            let base = try address.base
            // A name is judged by its address, each time a connection is made.
            let hasKey = secrets.key(kind.key).secret != nil
            let addresses = ServiceTransport.literal(base)
            let voice = ServiceTransport.voice(address, base, hasKey: hasKey, addresses: addresses)
            if case .exposed = voice.verdict { throw ConfigurationError(problems: [voice.problem]) }
        }
    }

    /// Keys in tables of wake words that have no effect.
    private func noticesOfWords(_ configuration: Configuration) -> [String] {
        let services = ServiceRegistry.wanted(by: configuration)
        var notices: [String] = []
        for one in assistants.map(\.assistant) {
            if configuration.activation.mode == .push, one.word != activation.machine.home {
                notices.append("[\(one.table)] has no effect: in activation.mode \"push\" no word opens a conversation")
            }
            if !one.voice.isEmpty, let first = services.first, first.setting("voice") == nil {
                notices.append("\(one.table).voice has no effect: \(first.name.rawValue) has no choice of voices")
            }
            if !one.language.isEmpty, !services.contains(where: { $0.setting("language") != nil }) {
                notices.append("\(one.table).language has no effect: no service in service.use has the setting")
            }
        }
        return notices
    }

    /// The wake words in plain form.
    private static func words(_ configuration: Configuration) -> [String] {
        configuration.activation.wakeWords.split(separator: ",").map {
            Configuration.Word.plain($0.prefix { $0 != ":" })
        }
    }

    /// - Throws: for a table of a word that is not a wake word.
    private static func checkWords(_ configuration: Configuration) throws(ConfigurationError) {
        let known = words(configuration)
        for assistant in configuration.assistants where !known.contains(assistant.word) {
            throw fail(
                "[\(assistant.table)]",
                "\"\(assistant.word)\" is not a wake word of this box (\(known.joined(separator: ", "))): add it to "
                    + "activation.wake_words, or remove the table"
            )
        }
    }

    /// Lets espeak-ng say texts that a service failed to say, if the configuration names no local voice.
    package mutating func addLastResort(_ configuration: Configuration) {
        guard announcer == nil else { return }
        // A wrong address of [local] is not in use here.
        lastResort = try? LocalSettings(configuration)
        conversation.hasLastResort = lastResort != nil
    }

    private mutating func addSubstitutes() {
        for other in substitutes {
            var options = ConversationMachine.Options(other.capabilities)
            var wanted = pump
            other.configure(&options, &wanted)
            // The pump serves all services, so it takes the longest start buffer.
            pump.startBuffer = max(pump.startBuffer, wanted.startBuffer)
            conversation.substitutes.append(
                .init(name: other.name, capabilities: other.capabilities, sessions: options.sessions)
            )
        }
    }

    private mutating func greet(_ greeting: String) throws(ConfigurationError) {
        guard greeting.utf8.count <= Self.longestGreeting else {
            throw Self.fail("activation.greeting", "is too long: shorten it to \(Self.longestGreeting) bytes")
        }
        conversation.greeting = greeting.isEmpty ? .none : greeting == "agent" ? .agent : .words(greeting)
        if conversation.greeting != .none, announcer == nil, !service.capabilities.saysExactly {
            notices.append("activation.greeting: this service cannot speak given words, and there is no local voice")
        }
    }

    private static func fail(_ place: String, _ message: String) -> ConfigurationError {
        ConfigurationError(problems: [ConfigurationProblem(place: place, message: message)])
    }

    private static let longestGreeting = 300

    /// Whether there is a daily limit in money, as of the start.
    var limitsDay: Bool { (budget.caps[.day]?.money ?? 0) > 0 }

    /// Why `always` is refused: a service in use charges for silence, and there is no daily limit. nil if it may be
    /// used.
    ///
    /// - Parameter limitsDay: whether there is a daily limit in money.
    func refusalOfAlways(limitsDay: Bool) -> String? {
        limitsDay ? nil : costOfAlways.map { $0 + ": set budget.day_usd, or another activation.mode" }
    }

    /// Daily cost of `always` with the most expensive service in use that charges for silence; nil if none does.
    private var costOfAlways: String? {
        let minutes = zip([service] + substitutes, [budget.prices] + budget.substitutePrices)
            .filter { $0.capabilities.continuousUplink && $1.sessionMinute > 0 }.map(\.1.sessionMinute)
        return minutes.max().map {
            "\"always\" keeps a session open that is charged by the second, $\(Int(($0 * 1440).rounded())) a day"
        }
    }

    /// Whether one of the services has no model, or a model without tools, so that the local grammar
    /// recognises commands.
    package var hasGrammar: Bool {
        ([service] + substitutes).contains { !$0.capabilities.rewords || $0.capabilities.work == .delegation }
    }

    /// The problem that every service in use lacks its key; nil if at least one is usable.
    package static func missingKey(_ configuration: Configuration, _ secrets: Secrets) -> ConfigurationProblem? {
        guard ServiceRegistry.usable(by: configuration, secrets: secrets).isEmpty else { return nil }
        let key = ServiceRegistry.chosen(by: configuration).key ?? .openAI
        if let path = secrets.withheld[key.credential] {
            return ConfigurationProblem(place: "no API key", message: Secrets.wayOut(of: path))
        }
        return ConfigurationProblem(
            place: "no API key",
            message: "set \(key.variable), or put the key into a file and name it in \(key.setting); to try it without "
                + "a key: jarvis-simulator"
        )
    }

    /// The user's instructions for each service in use; no entry if no file is named.
    package static func instructions(
        of configuration: Configuration,
        files: FileReader = .system
    ) throws(ConfigurationError) -> [Configuration.Service.Name: String] {
        var found: [Configuration.Service.Name: String] = [:]
        for service in ServiceRegistry.wanted(by: configuration) {
            let (key, path) = service.instructionsFile(configuration)
            guard !path.isEmpty else { continue }
            do {
                found[service.name] = String(decoding: try files.read(path, 64 << 10).bytes, as: UTF8.self)
            } catch {
                let problem = ConfigurationProblem(place: key, message: "\(path) cannot be read: \(error)")
                throw ConfigurationError(problems: [problem])
            }
        }
        return found
    }
}

extension Tool {
    /// The tool in the format of `session.tools`; the schema is the tool's own JSON text.
    package var definition: JSONValue {
        let schema = try? JSONDecoder().decode(JSONValue.self, from: Data(parameters.utf8))
        return [
            "type": "function", "name": .string(name), "description": .string(description),
            "parameters": schema ?? ["type": "object", "properties": [:]],
        ]
    }
}
