package import VoiceBase

/// The questions of `jarvis-bridge broker`, and what follows from the answers. A value.
package struct BrokerDialog: Sendable {
    package enum Question: Equatable, Sendable {
        case broker, user
        /// Must not be shown.
        case password
        /// Whether to keep settings that do not work.
        case keep
    }

    /// nil at the end.
    package private(set) var question: Question? = .broker
    /// Whether the broker has to be tried: from the answer to the last question until `tried` is called.
    package private(set) var isToTry = false
    package private(set) var settings: HouseSettings?
    /// The broker to write into the configuration.
    package private(set) var broker: String
    package private(set) var user: String
    /// nil to keep the present one.
    package private(set) var password: Secret?
    /// Whether to write the settings.
    package private(set) var isAccepted = false
    private let hasPassword: Bool
    private var refusal = ""

    private static let usualUser = "jarvis"

    /// - Parameters:
    ///   - present: the broker of the configuration; nil if it has none.
    ///   - found: the first broker that was found, as in `FoundBroker.text`.
    ///   - hasPassword: whether there is a password.
    package init(present: (broker: String, user: String?)?, found: String?, hasPassword: Bool) {
        broker = present?.broker ?? found ?? "mqtt://homeassistant.local"
        user = present.map { $0.user ?? "" } ?? Self.usualUser
        self.hasPassword = hasPassword && present != nil
    }

    package var prompt: String {
        switch question {
        case .broker?: "The address of the broker [\(broker.escapingHidden())]: "
        case .user?: "The user of the box there [\(user.isEmpty ? "none" : user.escapingHidden())]: "
        case .password?: "Its password, not shown [\(password != nil ? "new" : hasPassword ? "stored" : "none")]: "
        case .keep?: "It does not work: \(refusal.escapingHidden())\nKeep it anyway? [no, yes] "
        case nil: ""
        }
    }

    /// - Returns: why the answer is not accepted, in one line; nil if it is.
    package mutating func answer(_ typed: String) -> String? {
        let text = String(typed.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
        switch question {
        case .broker?:
            let chosen = text.isEmpty ? broker : text
            // People type what they see in Home Assistant.
            let written = chosen.contains("://") ? chosen : "mqtt://" + chosen
            do throws(BridgeConfiguration.Problem) {
                settings = try HouseSettings(broker: written)
            } catch {
                return "it " + error.description
            }
            (broker, question) = (written, .user)
        case .user?:
            let chosen = text == "none" ? "" : text.isEmpty ? user : text
            guard chosen.isEmpty || HouseSettings.isName(chosen, atMost: 255) else {
                return "it must be a name of 1 to 255 bytes"
            }
            user = chosen
            if chosen.isEmpty { password = nil }
            settings?.user = chosen.isEmpty ? nil : chosen
            (question, isToTry) = chosen.isEmpty ? (nil, true) : (.password, false)
        case .password?:
            if !text.isEmpty {
                guard let secret = Secret(text) else {
                    return "it must be letters, digits and signs of ASCII, on one line"
                }
                password = secret
            } else if password == nil, !hasPassword {
                return "there is none yet: type it, or end with Ctrl-C"
            }
            (question, isToTry) = (nil, true)
        case .keep?:
            switch text.lowercased() {
            case "y", "yes": (question, isAccepted) = (nil, true)
            case "", "n", "no": question = .broker
            default: return "answer yes or no"
            }
        case nil: break
        }
        return nil
    }

    /// - Parameter refusal: why the broker cannot be used; nil if it can.
    package mutating func tried(refusal: String?) {
        isToTry = false
        if let refusal { (self.refusal, question) = (refusal, .keep) } else { isAccepted = true }
    }

    /// The configuration with the answers.
    package func text(_ present: BridgeText) throws(BridgeConfiguration.Problem) -> BridgeText {
        var text = present
        if user.isEmpty {
            try text.remove(HouseSettings.table, "user")
        } else {
            try text.set(HouseSettings.table, "user", to: .text(user))
        }
        try text.set(HouseSettings.table, "broker", to: .text(broker))
        return text
    }
}
