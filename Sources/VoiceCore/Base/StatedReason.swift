/// Why a server refuses, read from its text: the words and codes of voice services, of agents and of the models behind
/// them, which share the same phrases.
///
/// A reason is a phrase, or a thing and what is wrong with it, near each other in one sentence ("quota ... exhausted"). Words
/// are whole, unlike the "balance" in "balancer". A code is a sentence of its own: "bank_account" names a tool.
package enum StatedReason {
    /// The account is out of credit, or closed; no pause changes that.
    case credit
    /// Too many requests.
    case rate
    /// The key is wrong, or may not do this.
    case key
    /// The session has lasted as long as it may.
    case expired

    /// - Parameter text: messages, codes, types and statuses, in one text. Nil if it names none of the reasons.
    package init?(_ text: String) {
        let said = Said(text.prefix(4096).lowercased())
        guard let reason = [Self.expired, .credit, .key, .rate].first(where: { $0.isIn(said) }) else { return nil }
        self = reason
    }

    /// - Parameter text: in lower case; messages, codes and types, in one text.
    package func isIn(_ text: String) -> Bool { isIn(Said(text)) }

    private func isIn(_ said: Said) -> Bool {
        switch self {
        case .credit:
            if said.has(Self.creditCodes) { return true }
            // A quota that comes back with time.
            guard StatedPause.read(said.text) == nil, !said.has(Self.spans) else { return false }
            let isQuota = said.has(Self.quotas, near: Self.spent)
            return isQuota && (said.has(Self.billing) || !said.has(Self.rateSigns)) || said.has(Self.creditPhrases)
                || said.has(Self.funds, near: Self.spent) || said.has(Self.holders, near: Self.closed)
                || said.has(Self.budgets, near: Self.spent, unless: Self.efforts)
                || said.has(Self.periods, near: Self.over) || said.text.contains("\u{4F59}\u{989D}\u{4E0D}\u{8DB3}")
        case .rate:
            return said.has(Self.ratePhrases) || said.has(Self.quotas, near: Self.spent)
                || said.has(Self.many, near: Self.counted, within: 3) || said.has(Self.servers, near: Self.busy)
                || said.has(Self.spans) && said.has(Self.funds + Self.budgets + Self.limits, near: Self.spent)
        case .key:
            return said.has(Self.keyPhrases) || said.has(Self.keys, near: Self.wrong)
                || said.has(Self.tokens, near: Self.refused, unless: Self.written)
                || said.begins(with: Self.permission, unless: Self.users)
                || said.isOnly("forbidden", among: Self.refusalWords)
        case .expired:
            return said.has(Self.sessions, near: Self.ended, within: 4) || said.has(Self.links, near: Self.longest)
                || said.has(Self.lifetimes, near: Self.spent)
        }
    }

    // MARK: Credit

    private static let creditCodes = phrases(
        "insufficient quota, billing hard limit, billing not active, account deactivated"
    )
    private static let creditPhrases = phrases(
        """
        insufficient funds, insufficient credit*, insufficient balance, payment required, spending limit, spending cap, \
        spend limit, key limit exceeded, billing details, billing error, your billing, billing account, good standing, \
        recharge your, please recharge, top up your, please top up, arrearage, not enough credit*, not have enough credit*, \
        have any credit*, not enough funds, not enough balance, no credit*, more credit*, \
        card was declined, card declined, payment declined, payment failed, upgrade your plan, upgrade your account, \
        upgrade your subscription, upgrade to a paid
        """
    )
    private static let quotas = phrases("quota, quotas")
    /// A quota named with one of these is paid for.
    private static let billing = phrases("billing, plan, month, monthly, credit, credits, payment")
    private static let funds = phrases(
        """
        credit, credits, balance, allowance, usage limit, usage limits, monthly limit, plan limit, plan limits, \
        free tier
        """
    )
    private static let budgets = phrases("budget")
    /// Budgets of something other than money.
    private static let efforts = phrases("token*, thinking, reasoning, retry, retries, context, memory, time, latency")
    private static let spent = phrases(
        """
        exceeded, exceeds, exhausted, run out, ran out, out of, used up, used all, too low, reached, hit, empty, negative, \
        depleted, consumed, insufficient
        """
    )
    private static let holders = phrases("account, accounts, organization, organisation, subscription")
    private static let closed = phrases(
        "suspended, overdue, unpaid, disabled, deactivated, inactive, not active, terminated, past due, on hold, expired"
    )
    private static let periods = phrases("trial, subscription, plan, membership, licence, license")
    private static let over = phrases("expired, has ended, lapsed")

    // MARK: Rate

    /// A quota counted over one of these comes back with time.
    private static let spans = phrases(
        """
        per second, per min, per minute, per hour, per day, per week, hourly, daily, weekly, rpm, tpm, rpd, tpd, requests per, \
        tokens per, rate limit*, ratelimit*, too many requests, concurren*, parallel, simultaneous*, open sessions, \
        replenished
        """
    )
    /// Beside a quota, these phrases are about requests, not about money.
    private static let rateSigns = phrases("429, resource exhausted, resource has been exhausted")
    private static let ratePhrases = phrases(
        """
        rate limit*, ratelimit*, too many requests, too many concurrent, resource exhausted, resource has been exhausted, \
        overloaded, requests per minute, tokens per min, throttl*, capacity exceeded, over capacity, at capacity, \
        high demand, heavy load, slow down, queue is full, wait before trying again, wait and try again
        """
    )
    private static let counted = phrases("requests, connections, sessions, streams")
    private static let many = phrases("too many")
    private static let servers = phrases("server, service, model, system")
    private static let busy = phrases("busy")
    private static let limits = phrases("limit, limits, requests, tokens, sessions, connections, usage")

    // MARK: Key

    private static let keyPhrases = phrases(
        """
        authentication error, authentication failed, authentication required, missing authentication, permission error, \
        no auth credentials, unauthorized, unauthenticated, not authenticated, key revoked, \
        key has been revoked, key was revoked, key expired, key has expired, no api key, provide an api key
        """
    )
    private static let keys = phrases("api key, api keys, access key, subscription key, credentials")
    private static let wrong = phrases(
        """
        invalid, incorrect, wrong, missing, expired, revoked, disabled, not valid, not found, required, unknown, bad, \
        not have permission, not authorized, not allowed
        """
    )
    private static let tokens = phrases("token, authentication")
    private static let refused = phrases("invalid, incorrect, expired, revoked")
    /// Beside these, a token is a piece of a program's text, not a key.
    private static let written = phrases("json, position, syntax, pars*, column, sequence, stop, line")
    private static let permission = phrases("permission denied")
    private static let users = phrases("user")
    private static let refusalWords: Set = [
        "forbidden", "403", "access", "error", "http", "https", "status", "code", "html", "head", "body", "title", "h1",
        "is", "request",
    ]

    // MARK: End of a session

    private static let sessions = phrases("session")
    private static let links = phrases("session, connection")
    private static let ended = phrases("expired, timed out, timeout")
    private static let longest = phrases("maximum duration, max duration, maximum lifetime, maximum length")
    private static let lifetimes = phrases("session lifetime, session length, session duration")

    private static func phrases(_ list: String) -> [[String]] {
        list.split(separator: ", ").map { $0.split(separator: " ").map(String.init) }
    }
}

/// A text as sentences of words.
private struct Said {
    let text: String
    private let sentences: [[String]]

    init(_ text: String) {
        self.text = text
        var sentences: [[String]] = [[]]
        var codes: [[String]] = []
        var word = ""
        func close() {
            defer { word = "" }
            guard word.contains("_") else {
                if !word.isEmpty { sentences[sentences.count - 1].append(word) }
                return
            }
            codes.append(word.split(separator: "_").map(String.init))
            sentences[sentences.count - 1].append("_")
        }
        let characters = Array(text)
        for (index, character) in characters.enumerated() {
            let next = index + 1 < characters.count ? characters[index + 1] : " "
            let isInside = character == "'" && !word.isEmpty && next.isLetter
            if character.isLetter || character.isNumber || character == "_" || isInside {
                word.append(character)
                continue
            }
            close()
            let isEnd =
                switch character {
                case "\n", ";": true
                case ".", "!", "?": !next.isLetter && !next.isNumber
                // Behind a name or a value of JSON.
                case "\"": ",:]}".contains(next)
                default: false
                }
            if isEnd { sentences.append([]) }
        }
        close()
        self.sentences = sentences + codes
    }

    func has(_ phrases: [[String]]) -> Bool { sentences.contains { !Self.places(phrases, $0).isEmpty } }

    /// Whether a sentence has a thing and a fault, at most `most` words apart, and none of `others`.
    func has(
        _ things: [[String]],
        near faults: [[String]],
        within most: Int = 6,
        unless others: [[String]] = []
    ) -> Bool {
        sentences.contains { sentence in
            let things = Self.places(things, sentence)
            guard !things.isEmpty, Self.places(others, sentence).isEmpty else { return false }
            return Self.places(faults, sentence).contains { fault in things.contains { abs($0 - fault) <= most } }
        }
    }

    func begins(with phrases: [[String]], unless others: [[String]]) -> Bool {
        sentences.contains { Self.places(phrases, $0).contains(0) && Self.places(others, $0).isEmpty }
    }

    /// Whether a sentence has this word, and no others than these.
    func isOnly(_ word: String, among words: Set<String>) -> Bool {
        sentences.contains { $0.contains(word) && $0.allSatisfy(words.contains) }
    }

    /// Where the phrases begin. A star at the end of a word stands for any ending.
    private static func places(_ phrases: [[String]], _ words: [String]) -> [Int] {
        words.indices.filter { index in
            phrases.contains { phrase in
                index + phrase.count <= words.count
                    && zip(phrase, words[index...]).allSatisfy { pattern, word in
                        pattern.hasSuffix("*") ? word.hasPrefix(pattern.dropLast()) : word == pattern
                    }
            }
        }
    }
}
