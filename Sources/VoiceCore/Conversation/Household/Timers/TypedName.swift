/// The words typed after a time: a name, or words that may belong to the time. Pure.
///
/// A mistyped day, a date or a time zone that became a name would let the timer ring at the wrong time, so doubtful words are
/// refused.
struct TypedName {
    /// How a name is introduced.
    enum Lead {
        case none
        /// "for tea", ": tea", and "to" of a reminder: numbers and conjunctions belong to the name.
        case purpose
        /// "called tea", or in quotes: certainly a name.
        case named
    }

    let words: ArraySlice<String>
    let lead: Lead
    /// Behind a time of day; otherwise behind a length.
    let isOfClock: Bool

    /// Whether anything in it may belong to the time.
    var isDoubtful: Bool {
        guard lead != .named, !words.isEmpty else { return false }
        if TimeParser.isTime(words, isOfClock: isOfClock) || isAbbreviation { return true }
        return words.indices.contains { isTimeWord(at: $0) || lead == .none && isLooseWord(at: $0) }
    }

    /// Words that are meant as a time wherever they stand.
    private func isTimeWord(at index: Int) -> Bool {
        let word = words[index].hasSuffix("'s") ? String(words[index].dropLast(2)) : words[index]
        let next = index + 1 < words.endIndex ? words[index + 1] : ""
        let previous = index > words.startIndex ? words[index - 1] : ""
        if TimeTable.others.contains(word) || TimeVocabulary.timeWords.contains(word) || isFactor(word) { return true }
        let isDay = TimeTable.parts[word] != nil || TimeVocabulary.dayWords.contains(word)
        if isDay { return isOfClock || words.count == 1 }
        var rest = words[index...]
        if word != "am" || previous != "i", TimeTable.first(of: TimeTable.phrases, &rest) != nil { return true }
        if TimeVocabulary.isMisspelt(word) { return true }
        let isBesideNumber = [previous, next].contains { $0.first?.isNumber ?? false }
        if isBesideNumber, TimeVocabulary.isMonthLike(word) || TimeVocabulary.isUnitLike(word) { return true }
        // No day follows a length: "10m midi".
        if TimeVocabulary.foreign.contains(word) { return isOfClock || isBesideNumber }
        guard isOfClock else { return false }
        return TimeVocabulary.clockWords.contains(word) || TimeVocabulary.isDayLike(word)
            || TimeTable.isMonth(word) && ["in", "from", "since", "until", "till"].contains(previous)
            || words.count == 1 && (TimeVocabulary.places.contains(word) || TimeVocabulary.lone.contains(word))
            || index == words.startIndex && TimeVocabulary.regions.contains(word)
            || next == "time" && TimeVocabulary.places.contains(word)
            || lead == .none && word.unicodeScalars.contains { $0.properties.isAlphabetic && $0.value > 0x24F }
    }

    /// Words that are meant as a time unless "for" or a colon introduces a name.
    private func isLooseWord(at index: Int) -> Bool {
        let word = words[index]
        let (isFirst, isLast) = (index == words.startIndex, index + 1 == words.endIndex)
        let next = isLast ? "" : words[index + 1]
        if TimeVocabulary.conjunctions.contains(word) || isFirst && TimeVocabulary.openings.contains(word) {
            return true
        }
        if TimeVocabulary.isMonth(word) { return true }
        if TimeVocabulary.ordinals.contains(word) {
            return isLast || next == "of" || isFirst && isOfClock
        }
        if isFirst, isOfClock, word.utf8.count <= 3, TimeVocabulary.isHalfLike(word) { return true }
        return isLooseNumber(at: index)
    }

    private func isLooseNumber(at index: Int) -> Bool {
        let word = words[index]
        guard TimeTable.isNumeric(word), word != "one" else { return false }
        let (isFirst, isLast) = (index == words.startIndex, index + 1 == words.endIndex)
        let digits = word.prefix { $0.isASCII && $0.isNumber }
        let tail = String(word.dropFirst(digits.count))
        if !digits.isEmpty, !tail.isEmpty {
            // "24dec", "30sek", but "7up".
            return isOfClock || digits.utf8.count > 1 || !tail.allSatisfy(\.isLetter)
                || TimeVocabulary.foreign.contains(tail) || TimeVocabulary.isMonthLike(tail)
                || TimeVocabulary.isUnitLike(tail)
        }
        var rest = words[index...]
        let number = TimeTable.number(&rest) ?? .infinity
        // "10m ten pin bowling", "10m 2 eggs"
        if isFirst { return isOfClock || number >= (digits.isEmpty ? 13 : 10) }
        // "10m pizza 2"
        return isLast && (isOfClock || number >= 5) || TimeVocabulary.prepositions.contains(words[index - 1])
    }

    /// "x3", "3x": how often.
    private func isFactor(_ word: String) -> Bool {
        guard lead == .none, word.utf8.count > 1 else { return false }
        return word.first == "x" && Int(word.dropFirst()) != nil || word.last == "x" && Int(word.dropLast()) != nil
    }

    /// "Please", "sharp": whether the words add nothing to the time, and are no name.
    var isFiller: Bool { lead == .none && !words.isEmpty && words.allSatisfy(TimeVocabulary.fillers.contains) }

    /// "mo", "di do", "sa/so", "tom": days and halves of the day in two or three letters, and nothing else.
    private var isAbbreviation: Bool {
        isOfClock && words.allSatisfy(TimeVocabulary.abbreviations.contains)
    }
}
