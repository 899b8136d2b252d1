package import VoiceAudio
package import VoiceBase
internal import VoiceConversation
internal import VoiceSession

/// The questions of `jarvis-voiced setup` and what follows from the answers.
package struct SetupDialog: Sendable {
    package enum Question: Sendable, Hashable {
        /// A key of the configuration.
        case value(String)
        /// The answer must not be shown.
        case secret(SetupSecret)
        /// Whether to keep a secret that was refused.
        case keep(SetupSecret)
        case device(AudioDirection)
        /// Comes after a trial of the device.
        case heard(AudioDirection)
        case write
    }

    package private(set) var plan: SetupPlan
    /// Whether to write the plan.
    package private(set) var isAccepted = false
    private let place: SetupPlace
    private let devices: [AudioDeviceEntry]
    private let stored: Set<SetupSecret>
    /// The refusals of new secrets that do not work.
    private var refusals: [SetupSecret: String] = [:]
    /// Devices whose last trial failed.
    private var failed: Set<AudioDirection> = []
    private var index = 0
    private var earlier: [(index: Int, plan: SetupPlan)] = []

    package static let help =
        "Enter keeps what is in brackets; \"skip\" leaves a question out, \"back\" returns to the one before it. Nothing is "
        + "written before the last question; Ctrl-C ends without a trace."

    /// - Parameters:
    ///   - values: the configuration as the file has it.
    ///   - stored: secrets that exist.
    package init(
        _ values: Configuration,
        place: SetupPlace,
        devices: [AudioDeviceEntry],
        stored: Set<SetupSecret>
    ) {
        plan = SetupPlan(values)
        self.place = place
        self.devices = devices
        self.stored = stored
    }

    /// nil at the end.
    package var question: Question? {
        let all = questions
        return index < all.count ? all[index] : nil
    }

    /// All questions that follow from the present answers.
    private var questions: [Question] {
        let values = plan.values
        let services = ServiceRegistry.wanted(by: values)
        var list = [Question.value("service.use")]
        list += services.flatMap { $0.questions(values) }.map { .value($0.key) }
        func ask(_ secret: SetupSecret) -> [Question] {
            [.secret(secret)] + (refusals[secret] == nil ? [] : [.keep(secret)])
        }
        let keys = services.filter { $0.capabilities(values).needsKey }.compactMap { $0.key }
        list += ServiceRegistry.keys.filter(keys.contains).flatMap { ask(SetupSecret($0)) }
        if services.contains(where: { $0.capabilities(values).work != .theirs }) {
            list += [.value("jarvis.url"), .value("jarvis.api")]
            list += (values.jarvis.api == .openai ? [.value("jarvis.model")] : []) + ask(.token)
        }
        list += [.device(.capture), .heard(.capture), .device(.playback), .heard(.playback), .value("activation.mode")]
        switch values.activation.mode {
        case .always: break
        case .wake: list.append(.value("activation.wake_words"))
        case .push: list.append(.value("activation.buttons"))
        }
        list.append(.value("box.name"))
        return list + (plan.isEmpty ? [] : [.write])
    }

    /// Takes the answer to the question.
    /// - Returns: why it is not accepted, in one line; nil if it is.
    package mutating func answer(_ typed: String) -> String? {
        guard let question else { return nil }
        let text = typed.trimmed
        let before = (index: index, plan: plan)
        if case .secret(let secret) = question { refusals[secret] = nil }
        switch (text.lowercased(), question) {
        case ("back", _):
            guard let last = earlier.popLast() else { return "this is the first question" }
            (index, plan) = last
            return nil
        case ("skip", .device): index += 2
        case ("skip", _): index += 1
        default:
            switch answer(text, question) {
            case .complaint(let line): return line
            case .stays: return nil
            case .goesBack:
                if let last = earlier.popLast() { (index, plan) = last }
                return nil
            case .goesOn: index += 1
            }
        }
        earlier.append(before)
        return nil
    }

    /// Whether the answer was a new secret, and not "back" or "skip".
    package func isNew(_ secret: SetupSecret, typed: String) -> Bool {
        plan.secrets[secret]?.revealed == typed.trimmed
    }

    /// Notes the result of the trial of a secret that was just typed.
    /// - Parameter refusal: why it does not work; nil if it does.
    package mutating func tried(_ secret: SetupSecret, refusal: String?) { refusals[secret] = refusal }

    /// Notes the result of the trial of a device.
    package mutating func tried(_ direction: AudioDirection, works: Bool) {
        if works { failed.remove(direction) } else { failed.insert(direction) }
    }

    private enum Outcome {
        case goesOn, stays, goesBack
        case complaint(String)
    }

    private mutating func answer(_ text: String, _ question: Question) -> Outcome {
        switch question {
        case .value(let path):
            let isNone = text == "none" && ConfigurationSchema.key(path)?.kind.accept(.text("")) != nil
            let complaint = plan.set(path, to: isNone ? "" : text.isEmpty ? shown(path) : text)
            return complaint.map { .complaint(Redaction.withoutKeys($0)) } ?? .goesOn
        case .secret(let secret):
            if text.isEmpty {
                let isMissing = !stored.contains(secret) && plan.secrets[secret] == nil && secret != .token
                return isMissing ? .complaint("there is none yet: paste it, or type skip") : .goesOn
            }
            guard let content = Secret(text) else {
                return .complaint("it must be one line of printable ASCII without blanks")
            }
            plan.secrets[secret] = content
            return .goesOn
        case .keep(let secret):
            switch text.lowercased() {
            case "y", "yes": return .goesOn
            case "", "n", "no":
                refusals[secret] = nil
                return .goesBack
            default: return .complaint("answer yes or no (type it again)")
            }
        case .device(let direction): return choose(text, direction)
        case .heard(let direction):
            switch text.lowercased() {
            case "" where failed.contains(direction): return .goesBack
            case "", "y", "yes": return .goesOn
            case "n", "no": return .goesBack
            case "a", "again": return .stays
            default: return .complaint("answer yes, no (choose another one) or again")
            }
        case .write:
            switch text.lowercased() {
            case "", "y", "yes": isAccepted = true
            case "n", "no": break
            default: return .complaint("answer yes or no")
            }
            return .goesOn
        }
    }

    private mutating func choose(_ text: String, _ direction: AudioDirection) -> Outcome {
        guard !text.isEmpty else { return .goesOn }
        let choices = choices(direction)
        if let number = Int(text) {
            guard choices.indices.contains(number - 1) else {
                return .complaint("there is no number \(number) in the list")
            }
            return plan.set(Self.path(direction), to: choices[number - 1].id).map { .complaint($0) } ?? .goesOn
        }
        do throws(AudioDeviceError) {
            _ = try AudioDeviceCatalog.resolve(text, direction: direction, in: devices)
        } catch {
            return .complaint(error.descriptionWithoutOthers.escapingHidden())
        }
        return plan.set(Self.path(direction), to: text).map { .complaint($0) } ?? .goesOn
    }

    /// The devices to choose from. Most of the names that ALSA's configuration adds say nothing to people.
    private func choices(_ direction: AudioDirection) -> [AudioDeviceEntry] {
        devices.filter {
            $0.supports(direction) && ($0.card != nil || ["default", "pipewire", "pulse"].contains($0.id))
        }
    }

    private static func path(_ direction: AudioDirection) -> String {
        direction == .capture ? "audio.input" : "audio.output"
    }

    /// The present value of a key, as it would be typed.
    private func shown(_ path: String) -> String {
        switch ConfigurationSchema.key(path)?.value(in: plan.values) {
        case .text(let text)?: text
        case .texts(let texts)?: texts.joined(separator: ", ")
        case let value: value?.toml ?? ""
        }
    }
}

// MARK: For people

extension SetupDialog {
    private static let sentences = [
        "box.name": "A name for this box, such as Kitchen (none: the name of this machine, \(BoxName.host))",
        "service.use":
            "Which service hears and speaks: \(ServiceRegistry.all.map { $0.name.rawValue }.joined(separator: ", "))?",
        "jarvis.url": "The address of your agent with its base path, such as homelab.lan:8080/ui",
        "jarvis.api": "How it is asked: chat or responses (term-llm), openai (any compatible server), home-assistant?",
        "jarvis.model": "The model to ask for",
        "activation.mode":
            "What opens a conversation: always (nothing has to: what is said in the room goes to the voice service all "
            + "day), wake (a word), push (a button, a command)?",
        "activation.wake_words": "The wake words, separated by commas",
        "activation.buttons":
            "An input device with keys, /dev/input/by-id/...-event-kbd (none: \"jarvis-voiced ctl\" only)",
    ]

    private func sentence(_ path: String) -> String {
        let asked = ServiceRegistry.all.flatMap { $0.questions(plan.values) }.first { $0.key == path }
        return Self.sentences[path] ?? asked?.question ?? path
    }

    /// The question, to be followed by the answer on the same line.
    package var prompt: String {
        switch question {
        case .value(let path)?: bracketed(sentence(path), shown(path))
        case .secret(let secret)?:
            bracketed(
                secret == .token
                    ? "The token of the agent (its TERM_LLM_SERVE_TOKEN), not shown"
                    : "The key (\(secret.credential)), \(source(of: secret)), not shown",
                plan.secrets[secret] != nil ? "new" : stored.contains(secret) ? "stored" : ""
            )
        case .keep(let secret)?:
            "It does not work: \((refusals[secret] ?? "").escapingHidden())\nKeep it anyway? [no, yes] "
        case .device(let direction)?:
            choices(direction).enumerated().map { "  \($0 + 1)  \($1.id)  \($1.name)".escapingHidden() + "\n" }.joined()
                + bracketed(
                    (direction == .capture ? "Microphone" : "Loudspeaker") + ": a number, or a part of a name",
                    shown(Self.path(direction))
                )
        case .heard(let direction)?:
            failed.contains(direction)
                ? "The test failed. Keep it anyway, to connect it later? [no, yes, again] "
                : (direction == .capture ? "Did the level follow your voice? " : "Did you hear the sound? ")
                    + "[yes, no, again] "
        case .write?:
            plan.lines(place).map { "  " + $0.escapingHidden() + "\n" }.joined()
                + "Write this to \(place.folder.escapingHidden())? [yes, no] "
        case nil: ""
        }
    }

    /// Where people get a key, by the host of the service.
    private func source(of secret: SetupSecret) -> String {
        let service = ServiceRegistry.wanted(by: plan.values).first { $0.key.map(SetupSecret.init) == secret }
        let host = service?.address(plan.values).flatMap { ServerURL($0.url) }?.host ?? ""
        let sources = [
            (".openai.com", "from https://platform.openai.com/api-keys"), (".x.ai", "from https://console.x.ai"),
            (".googleapis.com", "from https://aistudio.google.com/apikey"),
            (".azure.com", "from \"Keys and Endpoint\" of your resource in the Azure portal"),
        ]
        return sources.first { host.hasSuffix($0.0) }?.1 ?? "from the provider of the service"
    }

    private func bracketed(_ text: String, _ present: String) -> String {
        "\(text) [\(present.isEmpty ? "none" : present.escapingHidden())]: "
    }

    /// The settings to make by hand, if there is no terminal.
    package var byHand: [String] {
        let files = questions.compactMap { question -> String? in
            guard case .secret(let secret) = question else { return nil }
            let path = place.path(of: secret, plan.values)
            return "install -D -m 600 /dev/stdin \(path)" + (stored.contains(secret) ? "  # stored" : "")
        }
        let keys = questions.compactMap { question -> String? in
            let path: String
            switch question {
            case .value(let key): path = key
            case .device(let direction): path = Self.path(direction)
            default: return nil
            }
            return ConfigurationSchema.key(path).map {
                "  \(path) = \($0.value(in: plan.values).toml)".escapingHidden()
            }
        }
        return ["setup asks its questions in a terminal (ssh -t). Without one, set in \(place.file):"] + keys
            + ["store the secrets:"] + files.map { "  " + $0 }
            + ["and run:", "  jarvis-voiced doctor", "  " + place.unit.systemctl("enable --now")]
    }
}

extension String {
    /// Without blanks at both ends.
    fileprivate var trimmed: String {
        let text = drop(while: \.isWhitespace)
        return text.lastIndex { !$0.isWhitespace }.map { String(text[...$0]) } ?? ""
    }
}
