@testable import VoiceConversation

/// What a listener hears of each part, counted sample by sample: the reference for the real implementation.
struct NaivePlayout {
    private struct Account {
        var part: SpokenPart
        var received = 0
        var heard = 0
        var isComplete = false
        var isReported = false
    }

    private var accounts: [Account] = []
    /// The account of each sample: those not yet in the ring, and those in the ring or played, by voice position.
    private var waiting: [Int] = []
    private var line: [Int] = []
    private(set) var position = 0
    private var latestResponse: String?
    /// Accounts before this index belong to speech that was cut.
    private var frozen = 0

    var written: Int { line.count }
    var waitingCount: Int { waiting.count }

    mutating func receive(_ count: Int, of part: SpokenPart) {
        if latestResponse != part.responseID {
            for index in frozen..<accounts.count where accounts[index].part.responseID != part.responseID {
                accounts[index].isComplete = true
            }
        }
        latestResponse = part.responseID
        let known = accounts.firstIndex { $0.part == part && !$0.isReported }
        if known == nil { accounts.append(Account(part: part)) }
        let index = known ?? accounts.count - 1
        accounts[index].received += count
        waiting.insert(contentsOf: [Int](repeating: index, count: count), at: place(of: index))
    }

    /// A part is played before those of its response that began after it, unless one of them is under way.
    private func place(of index: Int) -> Int {
        let isLater = { (other: Int) in
            other > index && accounts[other].part.responseID == accounts[index].part.responseID
        }
        return line.contains(where: isLater) ? waiting.count : waiting.firstIndex(where: isLater) ?? waiting.count
    }

    mutating func finish(_ part: SpokenPart) {
        for index in frozen..<accounts.count where accounts[index].part == part { accounts[index].isComplete = true }
    }

    mutating func write(_ count: Int) {
        for index in Set(waiting.prefix(count)) {
            // Once a part is under way, those before it are no longer waited for.
            let response = accounts[index].part.responseID
            for before in 0..<index where accounts[before].part.responseID == response {
                accounts[before].isComplete = true
            }
        }
        line += waiting.prefix(count)
        waiting.removeFirst(count)
    }

    mutating func play(_ count: Int) {
        for index in position..<min(line.count, position + count) { accounts[line[index]].heard += 1 }
        position = min(line.count, position + count)
    }

    /// Discards the rest, except for `rest` samples that can no longer be taken back.
    mutating func cut(rest: Int) {
        play(rest)
        position = line.count
    }

    /// A cut was requested: samples that are not yet in the ring will not be heard.
    mutating func forgetWaiting() {
        waiting = []
        frozen = accounts.count
    }

    /// Reports everything received before the cut that was not reported before.
    mutating func report(upTo count: Int) -> [HeardPart] {
        let items = Set(accounts[..<count].filter { !$0.isReported && $0.heard >= 24 }.map(\.part.itemID))
        var parts: [HeardPart] = []
        for index in accounts.indices.prefix(count) where !accounts[index].isReported {
            accounts[index].isReported = true
            let account = accounts[index]
            guard account.heard < account.received || !account.isComplete else { continue }
            parts.append(
                HeardPart(
                    part: account.part, heard: account.heard / 24, received: account.received / 24,
                    isItemHeard: items.contains(account.part.itemID)
                )
            )
        }
        return parts
    }

    var accountCount: Int { accounts.count }
}
