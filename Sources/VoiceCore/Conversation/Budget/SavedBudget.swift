package import VoiceBase

/// The accounts as saved across restarts.
///
///     [hour]
///     number = 495811     hours since 1970 in local time
///     microusd = 81200    millionths of a dollar
///     talk_ms = 95000
///     sent_ms = 200000    microphone audio that has left this machine, and its bytes
///     sent_bytes = 13000000
///     reported = false    whether the notice was given
///     [day]
///     ...
package struct SavedBudget: Equatable, Sendable {
    package var hour: BudgetAccount
    package var day: BudgetAccount

    package init(hour: BudgetAccount, day: BudgetAccount) {
        self.hour = hour
        self.day = day
    }

    /// Upper bounds: larger numbers mean a damaged file, not a real bill or time.
    private static let most = 1_000_000_000_000_000
    private static let latest = 100_000_000

    /// Parses the file. All keys are required except those of `sent`; unknown keys are ignored, since a newer version may have written them.
    package init(parsing bytes: [UInt8]) throws(Unreadable) {
        let values = try ConfigurationDocument(ofState: bytes).values
        hour = try Self.account("hour", values)
        day = try Self.account("day", values)
    }

    private static func account(
        _ name: String,
        _ values: [String: ConfigurationValue]
    ) throws(Unreadable) -> BudgetAccount {
        func count(_ key: String, _ limit: Int) throws(Unreadable) -> Int {
            guard case .integer(let value)? = values["\(name).\(key)"], (0...limit).contains(value) else {
                throw Unreadable("\(name).\(key) is not a number from 0 to \(limit)")
            }
            return value
        }
        var account = BudgetAccount(number: try count("number", latest))
        account.spending.micros = Double(try count("microusd", most))
        account.spending.talk = .milliseconds(try count("talk_ms", most))
        func sent(_ key: String) throws(Unreadable) -> Int {
            values["\(name).\(key)"] == nil ? 0 : try count(key, most)
        }
        account.spending.sent = .init(milliseconds: try sent("sent_ms"), bytes: try sent("sent_bytes"))
        guard case .flag(let isReported)? = values["\(name).reported"] else {
            throw Unreadable("\(name).reported is not true or false")
        }
        account.spending.isReported = isReported
        return account
    }

    package var text: String {
        func lines(_ account: BudgetAccount) -> String {
            let micros = Int(min(max(0, account.spending.micros), Double(Self.most)).rounded(.up))
            let talk = min(max(0, Int(account.spending.talk.milliseconds)), Self.most)
            return "number = \(max(account.number, 0))\nmicrousd = \(micros)\ntalk_ms = \(talk)\n"
                + "sent_ms = \(min(account.spending.sent.milliseconds, Self.most))\n"
                + "sent_bytes = \(min(account.spending.sent.bytes, Self.most))\n"
                + "reported = \(account.spending.isReported)\n"
        }
        return StateStore.header + "[hour]\n" + lines(hour) + "\n[day]\n" + lines(day)
    }
}
