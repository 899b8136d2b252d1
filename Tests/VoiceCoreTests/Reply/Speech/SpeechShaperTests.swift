import Testing

@testable import TestSupport
@testable import VoiceConversation
@testable import VoiceReply

struct SpeechShaperTests {
    @Test(
        arguments: [
            ("Two meetings.", "Two meetings."),
            ("**Two** meetings, *both* in the `blue` room.", "Two meetings, both in the blue room."),
            ("# Today\n\nTwo meetings.", "Today. Two meetings."),
            ("Today\n=====\n\nTwo meetings.", "Today. Two meetings."),
            ("You need:\n\n- milk\n- bread\n- eggs", "You need: milk. bread. eggs."),
            (
                "1. Preheat the oven.\n2. Bake for 3.5 hours\n   - turn once",
                "Preheat the oven. Bake for 3.5 hours. turn once."
            ),
            ("- [x] milk\n- [ ] bread", "milk. bread."),
            ("See [the manual](https://example.com/x).", "See the manual."),
            ("It is at https://example.com/a_b_c?x=1.", "It is at example.com."),
            ("It is at (https://example.com/a*b*c), I think.", "It is at, I think."),
            ("<https://example.com>", "A link to example.com."),
            ("[https://example.com](https://example.com)", "A link to example.com."),
            ("[](https://example.com)", nil),
            ("Write to <bob@example.com>.", "Write to bob@example.com."),
            ("Here: ![a red door](door.png)", "Here: a red door"),
            ("![](door.png)", nil),
            (
                "Run this:\n\n```swift\nlet x = 1\n```\n\nThen stop.", "Run this: Then stop."
            ),
            ("Run this:\n\n    let x = 1\n", "Run this:"),
            (
                "Prices:\n\n| what | how much |\n|---|---:|\n| milk | 1.20 |\n| bread | 3 |\n\nThat is all.",
                "Prices: milk: how much 1.20. bread: how much 3. That is all."
            ),
            ("Prices today\na | b\n--- | ---\n1 | 2", "Prices today. a 1: b 2."),
            ("<think>The user wants\n\nx.</think>\n\nIt is ten.", "It is ten."),
            ("<think>never closed", nil),
            ("only the end of it</think>It is ten.", "It is ten."),
            ("Models write `<think>` first.", "Models write <think> first."),
            ("It is <b>ten</b><br>o'clock. <!-- x -->", "It is ten o'clock."),
            ("<div>\nIt is ten.\n</div>", "It is ten."),
            ("<script>alert(1)</script>", nil),
            ("Tom &amp; Anna pay 5&nbsp;&euro;.", "Tom & Anna pay 5 \u{20AC}."),
            ("<p>It&#39;s ten o&#x2019;clock at the caf&eacute;.</p>", "It's ten o\u{2019}clock at the caf\u{E9}."),
            ("<p>Tom &amp; Anna &ndash; 5&nbsp;&euro; &#42;each&#42;.</p>", "Tom & Anna \u{2013} 5 \u{20AC} *each*."),
            (
                "<p>Write &amp;eacute; &amp;#39; &unknown; &; R&D; AT&T.</p>",
                "Write &eacute; &#39; &unknown; &; R&D; AT&T."
            ),
            ("> A wise word.\n\n---\n\nYes", "A wise word. Yes"),
            ("~~Old~~ new \u{2705} done\u{1F389}", "new done"),
            ("It is so.[^1]\n\n[^1]: A book.", "It is so."),
            ("Call the snake_case function __init__ in C#.", "Call the snake_case function init in C#."),
            ("Three * four is 12, \\*\\*not\\*\\* 7.", "Three * four is 12, not 7."),
            (
                "\u{4ECA}\u{5929}\u{4E0D}\u{9519}\n\n- \u{5929}\u{6C14}",
                "\u{4ECA}\u{5929}\u{4E0D}\u{9519}\u{3002} \u{5929}\u{6C14}\u{3002}"
            ),
            (
                "## \u{1F324}\u{FE0F} Weather\n\n**Berlin:** 18\u{2013}22\u{B0}C, rain \u{2192} umbrella!\n\n- *Today*: 12\u{B0}",
                "Weather. Berlin: 18\u{2013}22\u{B0}C, rain \u{2013} umbrella! Today: 12\u{B0}."
            ),
            (
                "1. **Feed the cat** at 7:30\n2. **Call Mr. Jones**\n\n   He is in until 5 p.m.\n3. Buy:\n   - milk",
                "Feed the cat at 7:30. Call Mr. Jones. He is in until 5 p.m. Buy: milk."
            ),
            (
                "The price is $3.50 (about 20%) -- A/B test #42 & C++.",
                "The price is $3.50 (about 20%) \u{2013} A/B test #42 & C++."
            ),
            ("<details><summary>More</summary>\n\nHidden text\n\n</details>", "More. Hidden text"),
            ("```\na\n```\n\n```\nb\n```", "A piece of code."),
            ("Line one\nline two  \nline three", "Line one line two line three"),
            ("", nil), (" \n\t", nil), ("---", nil), ("\u{1F44D}", "thumbs up."),
        ] as [(String, String?)]
    )
    func aReplyIsMadeForTheEar(reply: String, spoken: String?) {
        let shaped = SpeechShaper().shape(reply)
        #expect(shaped?.spoken == spoken)
        #expect(shaped?.full == spoken)
        #expect(shaped?.wasCut != true)
    }

    @Test func aLongReplyIsCutBehindASentence() {
        let reply = (1...40).map { "This is sentence number \($0) of Mr. Smith, who has 3.5 of them." }.joined(
            separator: " "
        )
        let shaped = SpeechShaper(maximumWords: 50).shape(reply)
        #expect(shaped?.wasCut == true)
        #expect(shaped?.full == reply)
        let spoken = shaped?.spoken ?? ""
        #expect(spoken.hasSuffix("of them. " + SpeechShaper.offer))
        #expect(WordCount.words(in: spoken) <= 50 + WordCount.words(in: SpeechShaper.offer))
    }

    @Test func everyCutIsBehindAWholeSentence() {
        var random = SeededGenerator(seed: 13)
        let words = [
            "Anna", "went", "e.g.", "to", "Mr.", "Jones", "at", "3.5", "(or", "so)", "well...", "then,", "\"home\"",
        ]
        for _ in 0..<300 {
            let sentences = (0..<Int.random(in: 5...30, using: &random)).map { _ in
                let count = Int.random(in: 1...15, using: &random)
                return "She "
                    + (0..<count).map { _ in words.randomElement(using: &random) ?? "" }.joined(separator: " ")
                    + " left."
            }
            let reply = sentences.joined(separator: " ")
            guard let shaped = SpeechShaper(maximumWords: 30).shape(reply), shaped.wasCut else { continue }
            let offer = Offer.after(shaped.full)
            let spoken = String(shaped.spoken.dropLast(offer.isEmpty ? 0 : offer.count + 1))
            #expect(shaped.full.hasPrefix(spoken))
            #expect(spoken.hasSuffix(" left.") || spoken.hasSuffix("well..."))
            #expect(WordCount.words(in: spoken) <= 30)
        }
    }

    @Test func slightlyLongReplyIsNotCut() {
        let reply = "One two three four five six seven eight nine. Ten eleven."
        #expect(SpeechShaper(maximumWords: 10).shape(reply)?.wasCut == false)
    }

    @Test func endlessSentenceIsCutAfterAClause() {
        let reply = "First of all there is this, and then " + String(repeating: "word ", count: 300) + "end."
        #expect(
            SpeechShaper(maximumWords: 20).shape(reply)?.spoken == "First of all there is this\u{2026} "
                + SpeechShaper.offer
        )
        let bare = String(repeating: "the word ", count: 150)
        let spoken = SpeechShaper(maximumWords: 3).shape(bare)?.spoken
        #expect(spoken == "the word the\u{2026} " + SpeechShaper.offer)
    }

    @Test(arguments: ["", "This is it: ", "Here are the words that you want: a b "])
    func endlessWordIsCut(before: String) throws {
        let shaper = SpeechShaper()
        let shaped = try #require(shaper.shape(before + String(repeating: "QUJD", count: 15_000)))
        #expect(shaped.wasCut)
        #expect(shaped.spoken.count < 300)
        var place = try #require(shaper.place(in: shaped))
        let piece = place.next() ?? ""
        #expect(!piece.isEmpty && piece.count < 300)
    }

    @Test(arguments: [
        ("2**10 is 1024.", "2^10 is 1024."), ("2 ** 10 is 1024.", "2^10 is 1024."),
        ("It is `2**10` and 3**2.", "It is 2^10 and 3^2."),
        ("This is 5*3*2, not 5.", "This is 5\u{D7}3\u{D7}2, not 5."),
        ("It is x**2 + 1.", "It is x^2 + 1."),
        ("The area is a*b or (a+b)*2.", "The area is a\u{D7}b or (a+b)\u{D7}2."),
        ("There are 10<sup>6</sup> of them.", "There are 10^6 of them."),
        ("The room has 54 m<sup>2</sup>.", "The room has 54 m\u{B2}."), ("It is the 1<sup>st</sup>.", "It is the 1st."),
        ("The tower<sup>1</sup> is tall.", "The tower is tall."), ("It is CO<sub>2</sub>.", "It is CO2."),
        ("<p>There are 10<sup>6</sup> of them.</p>", "There are 10^6 of them."),
        ("So a == b here.", "So a = b here."), ("It is a==b here.", "It is a==b here."),
        ("Use `a || b` and `x[1]`.", "Use a || b and x[1]."), ("It is **2**.", "It is 2."),
        ("x**2** is it", "x2 is it"),
        ("It is 5 * 3 or 2*pi*r.", "It is 5 \u{D7} 3 or 2\u{D7}pi\u{D7}r."),
        ("It is 10*20cm*30cm or width*2*3.", "It is 10\u{D7}20cm\u{D7}30cm or width\u{D7}2\u{D7}3."),
        ("It is *5* and the *3*rd of **2*3** here.", "It is 5 and the 3rd of 2\u{D7}3 here."),
        ("It is 10<sup>1.5</sup> now.", "It is 10^1.5 now."),
        ("Es ist 10<sup>1,5</sup> und nicht mehr.", "Es ist 10^1,5 und nicht mehr."),
        ("Drink H<sub>2</sub>O.", "Drink H2O."), ("<p>Drink H<sub>2</sub>O.</p>", "Drink H2O."),
        ("It is 1010<sub>2</sub> here.", "It is 1010 2 here."),
        ("It is log<sub>2</sub>8 here.", "It is log2 8 here."), ("<p>It is log<sub>2</sub>8.</p>", "It is log2 8."),
        ("It is C<sub>6</sub>H<sub>12</sub>O<sub>6</sub>.", "It is C6H12O6."),
        ("It is SO<sub>4</sub><sup>2-</sup> here.", "It is SO4^2- here."),
        (">= 5 is enough.", ">= 5 is enough."),
        ("It needs this:\n\n- >= 5 points\n- >5 more", "It needs this: >= 5 points. >5 more."),
        ("> 5 is a quotation.", "5 is a quotation."), ("This is <= 5 and >= 3.", "This is <= 5 and >= 3."),
        ("The ==two words== are new.", "The two words are new."),
        ("It is so[1] and Vitamin C[2].", "It is so and Vitamin C."),
        ("The word is ==new==.", "The word is new."),
        ("Das ist 2**10 und nicht mehr.", "Das ist 2^10 und nicht mehr."),
        ("Det \u{E4}r 2**10 och inte mer.", "Det \u{E4}r 2^10 och inte mer."),
        ("7. Juli ist der Tag.", "7. Juli ist der Tag."),
        ("1. Platz ist f\u{FC}r dich.", "1. Platz ist f\u{FC}r dich."),
        ("1986. A great year for this.", "1986. A great year for this."), ("3. this\n4. that", "3. this. 4. that."),
        ("2) this\n3) that", "2) this. 3) that."),
        ("1945. The war ends.\n1949. There are two.", "1945. The war ends. 1949. There are two."),
        ("1. this\n1. that", "this. that."), ("3. 10. 2026 ist Feiertag.", "3. 10. 2026 ist Feiertag."),
        ("1. 7. 2026 ist der Termin.", "1. 7. 2026 ist der Termin."), ("1. this\n2. that", "this. that."),
        (
            "1. Mai: Tag der Arbeit\n8. Mai: frei\n14. Mai: Ausflug",
            "1. Mai: Tag der Arbeit. 8. Mai: frei. 14. Mai: Ausflug."
        ),
        ("1. this\n3. that\n1. more", "1. this. 3. that. 1. more."),
        ("There are 12__34 of them.", "There are 12 34 of them."),
        ("It is so, and [2] files changed.", "It is so, and [2] files changed."),
        ("It is so. [1] It is new [2], and old [3].", "It is so. It is new, and old."),
        ("[Monday]: dentist\n[Tuesday]: work", "[Monday]: dentist [Tuesday]: work"),
        ("See [it][1].\n\n[1]: https://e.org/page\n[2]: page.html", "See it."),
    ])
    func mathIsNotMistakenForMarkup(reply: String, spoken: String) {
        #expect(SpeechShaper().shape(reply)?.spoken == spoken)
    }

    /// Powers and indexes, however they are written: no number becomes another.
    @Test(arguments: [
        (#"The number 2\*\*10 is 1024."#, "The number 2^10 is 1024."),
        (#"The number 2 \*\* 10 is 1024."#, "The number 2^10 is 1024."),
        ("It is a **2 in the end.", "It is a^2 in the end."),
        ("It is 2** 10 in the end.", "It is 2^10 in the end."),
        ("Take a **2 kg** bag of it.", "Take a 2 kg bag of it."),
        (#"Write \*\*bold\*\* for it."#, "Write bold for it."),
        ("The radius**2 is it.", "The radius^2 is it."),
        ("The value 10<sup>n+1</sup> is large.", "The value 10^n+1 is large."),
        ("The value 10<sup>-x</sup> is small.", "The value 10^-x is small."),
        ("The value 10<sup> 6 </sup> is large.", "The value 10^6 is large."),
        ("It is 10<sup>10<sup>2</sup></sup> now.", "It is 10^10\u{B2} now."),
        ("It is 2<sup>3</sup><sup>4</sup> now.", "It is 2\u{B3}^4 now."),
        (
            "It is x<sup>2n</sup> and 2<sup>(n-1)/2</sup> now.", "It is x^2n and 2^(n-1)/2 now."
        ),
        ("It is the 2<sup>nd</sup> and not the 21<sup>st</sup>.", "It is the 2nd and not the 21st."),
        ("The towers<sup>1,2</sup> are tall.", "The towers are tall."),
        ("The value x<sub>i</sub> is it.", "The value xi is it."),
        ("The number 2^{10} is 1024.", "The number 2^{10} is 1024."),
        ("The number 2^10 is 1024.", "The number 2^10 is 1024."),
        ("It is 10^{-6} or x^(n+1) of it.", "It is 10^{-6} or x^(n+1) of it."),
        ("Use `a^b` in the code.", "Use a^b in the code."), ("It is so [^1] and ^_^ here.", "It is so and ^_^ here."),
    ])
    func powersStayPowers(reply: String, spoken: String) {
        #expect(SpeechShaper().shape(reply)?.spoken == spoken)
    }

    /// Text between "<" and ">" is a tag only where it can be one.
    @Test(arguments: [
        ("It holds that a<b and c>d here.", "It holds that a<b and c>d here."),
        ("It holds that x<y and y>z here.", "It holds that x<y and y>z here."),
        ("If a <b and c> d it holds.", "If a <b and c> d it holds."),
        ("<p>It holds that 3 < 5 and a<b and c>d here.</p>", "It holds that 3 < 5 and a<b and c>d here."),
        ("The type is Array<Int> here.", "The type is Array<Int> here."),
        ("This is <b>bold</b> and <i>so</i> on.", "This is bold and so on."),
        ("The answer is <answer>42</answer> here.", "The answer is 42 here."),
        ("It is <details open>so</details> <span class=\"x\">here</span>.", "It is so here."),
    ])
    func comparisonsAreNotTags(reply: String, spoken: String) {
        #expect(SpeechShaper().shape(reply)?.spoken == spoken)
    }

    @Test(arguments: [
        ("Use a || b in the shell.", "Use a || b in the shell."), ("This is x||y or not.", "This is x||y or not."),
        ("| this || that |\n", "this that"),
    ])
    func barsOutsideATableStay(reply: String, spoken: String) {
        #expect(SpeechShaper().shape(reply)?.spoken == spoken)
    }

    /// What is announced is spoken as words too, and what has none stays as it is.
    @Test(arguments: [
        ("The **post** is here: [details](https://e.org/x).", "The post is here: details."),
        ("The post is here.", "The post is here."),
        ("---", "---"),
    ]) func anAnnouncementIsMadeForTheEar(text: String, spoken: String) {
        #expect(SpeechShaper.words(of: text) == spoken)
    }

    /// Words of scripts without spaces may touch an address, and do not belong to it.
    @Test(arguments: [
        (
            "\u{8A73}\u{3057}\u{304F}\u{306F}https://e.org/page\u{3092}\u{898B}\u{3066}\u{304F}\u{3060}\u{3055}\u{3044}\u{3002}",
            "\u{8A73}\u{3057}\u{304F}\u{306F}e.org\u{3092}\u{898B}\u{3066}\u{304F}\u{3060}\u{3055}\u{3044}\u{3002}"
        ),
        ("It is at https://e.org/{id}/x now.", "It is at e.org now."),
        ("It is at www.example.org/page, and (https://e.org/a).", "It is at example.org, and."),
    ])
    func textAroundAnAddressStays(reply: String, spoken: String) {
        #expect(SpeechShaper().shape(reply)?.spoken == spoken)
    }

    @Test func theOfferIsInTheLanguageOfTheReplyOrLeftOut() throws {
        let german = String(repeating: "Das ist ein Satz, der nicht sehr lang ist. ", count: 10)
        var shaped = try #require(SpeechShaper(maximumWords: 20).shape(german))
        #expect(shaped.spoken.hasSuffix("lang ist. Auf Wunsch gibt es mehr dazu."))
        var place = try #require(SpeechShaper(maximumWords: 20).place(in: shaped))
        #expect(place.next()?.hasSuffix("lang ist. Auf Wunsch gibt es mehr dazu.") == true)
        let swedish = String(repeating: "Det h\u{E4}r \u{E4}r en mening som inte \u{E4}r l\u{E5}ng. ", count: 10)
        shaped = try #require(SpeechShaper(maximumWords: 20).shape(swedish))
        #expect(shaped.wasCut)
        #expect(shaped.spoken.hasSuffix("inte \u{E4}r l\u{E5}ng."))
    }

    @Test func scriptsWithoutBlanksAreCutToo() {
        let sentence = "\u{4ECA}\u{5929}\u{5929}\u{6C14}\u{5F88}\u{597D}\u{3002}"
        let shaped = SpeechShaper(maximumWords: 20).shape(String(repeating: sentence, count: 50))
        let offer = Offer.after(sentence)
        #expect(shaped?.spoken == String(repeating: sentence, count: 5) + " " + offer)
    }

    @Test func plainTextIsLeftUnchanged() {
        for reply in Self.plain {
            #expect(SpeechShaper().shape(reply)?.full == reply)
        }
    }

    @Test func markdownAtRandomLeavesNoMarks() {
        var random = SeededGenerator(seed: 11)
        let pieces = [
            "*", "**", "_", "`", "```", "\n", "\n\n", "# ", "- ", "1. ", "> ", "[", "](", ")", "![", "<", ">", "<b>",
            "|",
            "---", "~~", "\\", "&amp;", "&", "    ", "word", "Word.", "http://x.y", "\u{4ECA}", "\u{1F389}", "\t",
            "</think>",
        ]
        for _ in 0..<2000 {
            let reply = (0..<Int.random(in: 1...60, using: &random)).map { _ in
                pieces.randomElement(using: &random) ?? ""
            }.joined()
            guard let shaped = SpeechShaper(maximumWords: 20).shape(reply) else { continue }
            for mark in ["**", "__", "~~", "`", "\n", "  ", "http://", "##"] {
                #expect(!shaped.full.contains(mark), "\(mark) left of \(reply.debugDescription)")
            }
        }
    }

    @Test func bytesAtRandomDoNoHarm() {
        var random = SeededGenerator(seed: 12)
        for _ in 0..<300 {
            let bytes = (0..<Int.random(in: 1...400, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            _ = SpeechShaper(maximumWords: 5).shape(String(decoding: bytes, as: UTF8.self))
        }
    }

    @Test(arguments: [
        "word. ", "> ", "[", "*a_", "- a\n  ", "`", "<a ", "![x](", "&amp;", "a | b\n", "x", "$", "\\(", "$a", "~~",
        "( ",
    ])
    func fourMebibytesAreBounded(piece: String) {
        let reply = String(repeating: piece, count: (4 << 20) / piece.utf8.count)
        let shaped = SpeechShaper().shape(reply)
        #expect((shaped?.full.utf8.count ?? 0) <= SpeechShaper.maximumBytes * 2)
        if let shaped { #expect(shaped.wasCut) }
    }

    private static let plain = [
        "Two meetings.", "It is ten o'clock, Mr. Smith.", "Two meetings. The first is at 9.30 a.m. in the blue room!",
        "Is it so? Yes...", "Milk: 1.20. Bread: 3.", "\u{4ECA}\u{5929}\u{5929}\u{6C14}\u{5F88}\u{597D}\u{3002}",
    ]
}
