import Testing

@testable import VoiceReply

/// Replies as models write them, and what is heard of each.
private enum Written {
    static let call = WrittenReply.call

    static let thoughts: [(String, String)] = [
        ("<think>Hm. It is. No</think>It is three. Good.", "It is three. Good."),
        ("<thinking>\nHm. It is.\n</thinking>\n\nIt is three. Good.", "It is three. Good."),
        ("<reasoning effort=\"low\">Hm. It is.</reasoning>It is three. Good.", "It is three. Good."),
        ("<think>Hm. It is.</thinking>It is three. Good.", "It is three. Good."),
        (
            "<thinking>Hm. <reflection>Is it? Yes.</reflection> So. Yes.</thinking>It is three. Good.",
            "It is three. Good."
        ),
        ("[THINK]Hm. It is. So[/THINK]It is three. Good.", "It is three. Good."),
        ("\u{25C1}think\u{25B7}Hm. It is. So\u{25C1}/think\u{25B7}It is three. Good.", "It is three. Good."),
        ("<seed:think>Hm. It is. So</seed:think>It is three. Good.", "It is three. Good."),
        (
            "<|START_THINKING|>Hm. It is.<|END_THINKING|><|START_RESPONSE|>It is three. Good.<|END_RESPONSE|>",
            "It is three. Good."
        ),
        (
            "<|begin_of_thought|>\nHm. It is.\n<|end_of_thought|>\n<|begin_of_solution|>\nIt is three. Good.\n<|end_of_solution|>",
            "It is three. Good."
        ),
        (
            "<details type=\"reasoning\" done=\"true\">\n<summary>Thought for 3 seconds</summary>\n> Hm. It is.\n</details>\nIt is three. Good.",
            "It is three. Good."
        ),
        ("<|thought_start|>Hm. It is.<|thought_end|>It is three. Good.", "It is three. Good."),
        ("<inner_monologue>Hm. It is.</inner_monologue>It is three. Good.", "It is three. Good."),
        ("<chain-of-thought>Hm. It is.</chain-of-thought>\nIt is three. Good.", "It is three. Good."),
        ("<details><summary>More. Yes</summary>It is three. Good.</details>", "More. Yes. It is three. Good."),
        ("<draft>\nHm. It is. So\n</draft>\nIt is three. Good.", "It is three. Good."),
        ("Thought: I know it. Do I?\nFinal Answer: It is three. Good.", "It is three. Good."),
        ("It is three. Good.\n\n<think>\nShould I. Say", "It is three. Good."),
        ("<think>never closed. It is", ""),
        ("<weather>Sunny</weather> it is. Good.", "Sunny it is. Good."),
        ("<answer>It is three. Good.</answer>", "It is three. Good."),
        ("Models write `<think>` first. Really. Yes.", "Models write <think> first. Really. Yes."),
    ]

    static let channels: [(String, String)] = [
        (
            "<|channel|>analysis<|message|>The user asks. I know.<|end|><|start|>assistant<|channel|>final<|message|>It is three. Good.<|return|>",
            "It is three. Good."
        ),
        (
            "analysis<|message|>I know. Yes.<|end|><|start|>assistant<|channel|>final<|message|>It is three. Good.",
            "It is three. Good."
        ),
        (
            "<|channel|>analysisI know. Yes.<|end|><|start|>assistant<|channel|>finalIt is three. Good.",
            "It is three. Good."
        ),
        (
            "<|channel|>commentary<|message|>I look. Wait.<|end|><|start|>assistant<|channel|>final<|message|>It is three.",
            "I look. Wait. It is three."
        ),
        ("analysisThe user asks. I know it.assistantfinalIt is three. Good.", "It is three. Good."),
        ("analysis\nThe user asks. I know.\nassistant\nfinal\nIt is three. Good.", "It is three. Good."),
        ("assistantfinalIt is three. Good.", "It is three. Good."),
        ("finalIt is three. Good.", "It is three. Good."),
        ("analysisThe user asks. And I was cut. Of", ""),
        ("analysis of the data shows nothing. It is so.", "analysis of the data shows nothing. It is so."),
        ("<|channel>thought\nHm. The user asks.<channel|>It is three. Good.", "It is three. Good."),
        ("<|im_start|>assistant\nIt is three. Good.<|im_end|>\n<|im_start|>user\nAnd now? Yes.", "It is three. Good."),
        ("<|start_header_id|>assistant<|end_header_id|>\n\nIt is three. Good.<|eot_id|>", "It is three. Good."),
    ]

    static let calls: [(String, String)] = [
        ("<tool_call>\n{\"name\": \"weather\", \"arguments\": {\"city\": \"A. B\"}}\n</tool_call>", call),
        ("<tool_call>weather\n<arg_key>city</arg_key>\n<arg_value>Rome. Yes</arg_value>\n</tool_call>", call),
        ("<tool_call>{\"name\": \"a\"}</tool_call>\n<tool_call>{\"name\": \"b\"}</tool_call>", call),
        (
            "Let me look. Wait.\n<tool_call>{\"name\": \"weather\", \"arguments\": {}}</tool_call>",
            "Let me look. Wait. " + call
        ),
        ("[TOOL_CALLS][{\"name\": \"weather\", \"arguments\": {\"city\": \"Rome\"}}]", call),
        ("[TOOL_CALLS]weather[ARGS]{\"city\": \"Rome\"}", call),
        ("{\"name\": \"weather\", \"arguments\": {\"city\": \"Rome\"}}", call),
        (
            "Sure! {\"name\": \"weather\", \"parameters\": {}}\n\nI tell you. Soon.",
            "Sure! " + call + " I tell you. Soon."
        ),
        ("{\"type\": \"function\", \"function\": {\"name\": \"weather\", \"arguments\": \"{}\"}}", call),
        ("{\"tool_calls\": [{\"id\": \"1\"}]}", call),
        ("functools[{\"name\": \"weather\", \"arguments\": {}}]", call),
        ("```json\n{\"tool\": \"weather\", \"args\": {}}\n```", call),
        ("```tool_code\nprint(api.weather(city=\"Rome\"))\n```", call),
        ("[weather(city=\"Rome\"), time_of_day(zone=\"UTC\")]", call),
        ("<function=weather><parameter=city>Rome</parameter></function>", call),
        (
            "<function_calls>\n<invoke name=\"weather\">\n<parameter name=\"city\">Rome</parameter>\n</invoke>\n</function_calls>",
            call
        ),
        ("<|python_tag|>weather.call(city=\"Rome\")<|eom_id|>", call),
        ("<|tool_call>call:weather{city:<|\"|>Rome<|\"|>}<tool_call|>", call),
        ("call:weather{city:Rome}", call),
        (
            "<\u{FF5C}tool\u{2581}calls\u{2581}begin\u{FF5C}>x<\u{FF5C}tool\u{2581}sep\u{FF5C}>weather\n```json\n{}\n```<\u{FF5C}tool\u{2581}calls\u{2581}end\u{FF5C}>",
            call
        ),
        ("Action: weather\nAction Input: {\"city\": \"Rome\"}", call),
        ("<|channel|>commentary to=functions.weather <|constrain|>json<|message|>{\"city\":\"Rome\"}<|call|>", call),
        ("analysisI need it. So.assistantcommentary to=functions.weather json{\"city\":\"Rome\"}", call),
        ("<think>I need it.\n<tool_call>{\"name\": \"weather\", \"arguments\": {}}</tool_call>", call),
        (
            "Use `{\"name\": \"a\", \"arguments\": {}}` for it. Yes.",
            "Use {\"name\": \"a\", \"arguments\": {}} for it. Yes."
        ),
        ("{\"name\": \"Rome\", \"degrees\": 21}", "A piece of data."),
    ]

    static let sources: [(String, String)] = [
        (
            "It is long\u{3010}4:0\u{2020}source\u{3011}. It is old\u{3010}1\u{3011}. Yes.",
            "It is long. It is old. Yes."
        ),
        ("It is long\u{3016}4\u{2020}a file.pdf\u{3017}. Yes. So.", "It is long. Yes. So."),
        ("See \u{3010}\u{5929}\u{6C17}\u{3011} there. Yes.", "See \u{3010}\u{5929}\u{6C17}\u{3011} there. Yes."),
        ("It is so.[^1] It is old [1][2]. Yes [3]. And more.", "It is so. It is old. Yes. And more."),
        ("It is so.[1, 3] It is old [cite: 1, 2]. Yes.", "It is so. It is old. Yes."),
        ("It is so \u{E200}cite\u{E202}turn0search1\u{E202}turn0news2\u{E201}. Yes. So.", "It is so. Yes. So."),
        ("It is so citeturn0search1turn0news2. Yes. So.", "It is so. Yes. So."),
        ("It is so:contentReference[oaicite:0]{index=0}. Yes. So.", "It is so. Yes. So."),
    ]

    static let directions: [(String, String)] = [
        ("*sighs* It is three. Good.", "It is three. Good."),
        ("It is three. *smiles warmly* Good. Yes.", "It is three. Good. Yes."),
        ("*r\u{E4}uspert sich*\n\nEs ist drei. Gut.", "Es ist drei. Gut."),
        ("(laughs) It is three. [sighs] Good. Yes.", "It is three. Good. Yes."),
        (
            "It is *really* good. *Note* it. The word is *cold*. Yes.",
            "It is really good. Note it. The word is cold. Yes."
        ),
        ("Add salt (optional). (serves 4) Yes. So.", "Add salt (optional). (serves 4) Yes. So."),
        ("The word is:\n\n*cold*\n\nIt is old. Yes.", "The word is: cold. It is old. Yes."),
        ("- *milk*\n- *bread*", "milk. bread."),
        ("*cold*", "cold"),
    ]

    static let others: [(String, String)] = [
        ("The answer is $\\boxed{42}$. It is so.", "The answer is 42. It is so."),
        ("\\boxed{\\text{Paris}}", "Paris"),
        ("\\[ \\boxed{3.5} \\]", "3.5"),
        (
            "<!DOCTYPE html>\n<html><head>\n<style>\nbody { color: red. }\n\np { margin: 0. }\n</style>\n<script>\nvar x = 1;\n\ny(\"a. B\");\n"
                + "</script></head>\n<body><h1>Welcome</h1><p>It is three. Good.</p></body></html>",
            "Welcome. It is three. Good."
        ),
    ]

    /// Calls on a line of their own whose marks were lost.
    static let bareCalls: [(String, String)] = [
        ("get_weather(city=\"Rome\")", call), ("f(x=1)", call), ("turn_on_light()", call),
        ("I will look.\n\nget_weather(city=\"St. Gallen\", unit='celsius')", "I will look. " + call),
        ("functions.get_weather:0{\"city\":\"Rome\"}", call), ("get_weather\n{\"city\": \"Rome\"}", call),
        ("to=functions.get_weather json{\"city\":\"Rome\"}", call),
        ("tool_code\nprint(default_api.search(query=\"weather\"))", call),
        ("f(x) = 1 for all x. It is a function (constant).", "f(x) = 1 for all x. It is a function (constant)."),
        ("Monday(closed)", "Monday(closed)"), ("my_file.txt", "my_file.txt"), ("print(x)", "print(x)"),
        ("Call foo_bar() to start it. Really.", "Call foo_bar() to start it. Really."),
    ]

    static let templates: [(String, String)] = [
        (
            "Here is my thought process:\nThe user asks. I know.\n\nHere is my response:\nIt is ten. Good.",
            "It is ten. Good."
        ),
        ("**Here's my thought process:** Hm. Yes. **Here's my response:** It is ten.", "It is ten."),
        (
            "Here is my thought process: I would take the train. It is fast.",
            "Here is my thought process: I would take the train. It is fast."
        ),
        ("[INST] What time? [/INST] It is ten. Good.", "It is ten. Good."),
        ("It is ten. Good.</s>[INST] And now? [/INST]", "It is ten. Good."),
        ("<<SYS>>\nYou are helpful.\n<</SYS>>\n\nIt is ten.", "It is ten."),
        ("### Response:\nIt is ten. Good.\n\n### Instruction:\nAnd now?", "It is ten. Good."),
        ("Assistant: It is ten. Good.\nUser: And now? Really.\nAssistant: Eleven.", "It is ten. Good."),
        ("assistant\n\nIt is ten. Good.", "It is ten. Good."),
        ("It is ten.<|im_end|><|endoftext|>Human: And now? Yes.", "It is ten."),
        ("<|start_of_role|>assistant<|end_of_role|>It is ten. Good.<|end_of_text|>", "It is ten. Good."),
        ("So it is.\nUser: admin\nPassword: secret", "So it is. User: admin Password: secret"),
        ("The user said:\nHuman: hello. Yes.", "The user said: Human: hello. Yes."),
        ("It is ten.user\n\nAnd now? Really.", "It is ten."),
        ("Good.\nIt is ten.assistant\n \nIt is eleven.", "Good. It is ten."),
        ("Is it ten?user\nYes, it is.", "Is it ten?"),
        ("Save it as settings.user\nThen restart it. Good.", "Save it as settings.user Then restart it. Good."),
        ("Open app.assistant\n- Then wait.\n- Then stop.", "Open app.assistant. Then wait. Then stop."),
        ("Write this down.\nIt is settings.user", "Write this down. It is settings.user"),
        ("AI: a short history. It began in 1956.", "AI: a short history. It began in 1956."),
    ]

    static let mathematics: [(String, String)] = [
        (
            "The roots are \\(x = \\frac{-b \\pm \\sqrt{b^2 - 4ac}}{2a}\\). Good.",
            "The roots are x = (-b \u{B1} \u{221A}(b\u{B2} - 4ac))/2a. Good."
        ),
        ("The area is $A = \\pi r^2$. Good.", "The area is A = \u{3C0} r\u{B2}. Good."),
        ("$$\\int_0^1 x^2 \\, dx = \\frac{1}{3}$$", "\u{222B} 0\u{2026}1 x\u{B2} dx = 1/3"),
        ("\\[ E = mc^2 \\]\n\nSo it is.", "E = mc\u{B2}. So it is."),
        ("Half is \\frac{1}{2}, 2 \\times 3 = 6. At 30^\\circ.", "Half is 1/2, 2 \u{D7} 3 = 6. At 30\u{B0}."),
        ("\\alpha \\leq \\beta, $x_1$, $\\sqrt[3]{8}$", "\u{3B1} \u{2264} \u{3B2}, x1, \u{221B}8"),
        (
            "It costs $5 and $10, or $20/$30. From $5 to $10 (or $15), US$5.",
            "It costs $5 and $10, or $20/$30. From $5 to $10 (or $15), US$5."
        ),
        ("Use $HOME and $PATH. See C:\\pi\\alpha.", "Use $HOME and $PATH. See C:\\pi\\alpha."),
        ("About 5$ in all, $4.50 for cake. Good.", "About 5$ in all, $4.50 for cake. Good."),
    ]

    static let wrapped: [(String, String)] = [
        ("{\"answer\": \"It is ten. Good.\"}", "It is ten. Good."),
        ("```json\n{\"response\": \"It is ten. Good.\", \"confidence\": 0.9}\n```", "It is ten. Good."),
        ("{\"action\": \"Final Answer\", \"action_input\": \"It is ten.\"}", "It is ten."),
        ("{\"a\": \"b\"} is JSON. Good.", "{\"a\": \"b\"} is JSON. Good."),
    ]

    static let cited: [(String, String)] = [
        (
            "Rome is the capital.\u{B9} It has 3 million people.\u{B2} \u{B3} In 2020\u{B9} it grew.",
            "Rome is the capital. It has 3 million people. In 2020 it grew."
        ),
        ("It is so.^[1] And \"so\"\u{2074}.", "It is so. And \"so\"."),
        (
            "1285 km\u{B2}, 10\u{2076} m\u{B3}, Ca\u{B2}\u{207A}, x\u{B2}, (a+b)\u{B2}.",
            "1285 km\u{B2}, 10\u{2076} m\u{B3}, Ca\u{B2}\u{207A}, x\u{B2}, (a+b)\u{B2}."
        ),
    ]

    static let drawn: [(String, String)] = [
        (
            "+------+-------+\n| Name | Price |\n+======+=======+\n| Milk | 1.20  |\n+------+-------+\n| Eggs | 2.50  |\n+------+-------+",
            "Milk: Price 1.20. Eggs: Price 2.50."
        ),
        (
            "Here it is. Good:\n\n```\n+------+-------+\n| Name | Price |\n+------+-------+\n| Milk | 1.20  |\n+------+-------+\n```\n\nThat is all.",
            "Here it is. Good: Milk: Price 1.20. That is all."
        ),
        ("+ milk\n+ eggs", "milk. eggs."),
    ]

    static let wordless: [(String, String)] = [
        ("```python\nprint(\"hi\")\n```", "A piece of code."), ("<https://www.e.org/page>", "A link to e.org."),
        ("\u{1F44D}", "thumbs up."), ("See https://www.e.org/a/b for details. Good.", "See e.org for details. Good."),
        ("OK \u{1F44D}", "OK"), ("---", ""),
        ("{\"temperature\": 21, \"unit\": \"C\"}", "A piece of data."),
        ("[{\"title\": \"A\", \"price\": 3}, {\"title\": \"B\", \"price\": 4}]", "A piece of data."),
        ("{\"temperature\": 21}\n\nIt is warm.", "It is warm."),
        ("It is 10\u{207B}\u{B3} metres long.", "It is 10\u{207B}\u{B3} metres long."),
    ]

    static let all =
        thoughts + channels + calls + sources + directions + others + bareCalls + templates + mathematics + wrapped
        + cited + drawn
        + wordless
}

/// What models write for themselves and for their servers, and what is heard of it.
struct WrittenReplyTests {
    @Test(arguments: Written.all)
    func onlyTheTextForTheUserIsHeard(reply: String, spoken: String) {
        let media = MediaInReply(reply)
        #expect(SpeechShaper().shape(media.isLinks ? reply : media.rest)?.spoken ?? "" == spoken)
        let once = WrittenReply(reply).text
        #expect(WrittenReply(once).text == once)
    }

    /// Wherever a stream is cut, the words are those of the whole.
    @Test(arguments: Written.all)
    func cutReplyGivesTheSameText(reply: String, spoken: String) {
        let scalars = reply.unicodeScalars
        for (length, end) in scalars.indices.enumerated() {
            let beginning = String(scalars[..<end])
            var stream = SpeechStream(maximumWords: 150)
            let first = stream.consume(beginning)
            guard !first.isEmpty || length == 0 else { continue }
            let said = first + stream.consume(reply)
            #expect(Self.words(said, and: spoken) == Self.words([], and: spoken), "cut at \(length): \(said)")
        }
    }

    private static func words(_ said: [String], and whole: String) -> String {
        (said + [SaidWords.rest(of: whole, afterSaying: said)]).joined().filter(SaidWords.isOfWord)
    }

    @Test(arguments: ["Hm. It is. So</think>It is three. Good.", "I know. Yes.assistantfinalIt is three. Good."])
    func thoughtsWithoutABeginningAreFound(reply: String) {
        let written = WrittenReply(reply)
        #expect(written.text == "It is three. Good." || SpeechShaper().shape(reply)?.spoken == "It is three. Good.")
        #expect(written.hasLateThoughts)
    }

    @Test func callsAndThoughtsAreReported() {
        #expect(calls(in: "<tool_call>{}</tool_call>It is three."))
        #expect(!calls(in: "<think><tool_call>{}</tool_call></think>It is three."))
        #expect(!calls(in: "I could <tool_call>{}</tool_call> here.</think>It is three."))
        #expect(WrittenReply("<think>Hm").hasThoughts && !WrittenReply("It is three.").hasThoughts)
    }

    private func calls(in reply: String) -> Bool { WrittenReply(reply).hasCall }

    @Test(arguments: [
        "<think>", "</think>", "<a b=", "[THINK]", "<|channel|>", "`", "{", "[", "assistantfinal", "*a* ", "\u{3010}",
        "x<tool>",
    ])
    func parsingWorkIsBounded(piece: String) {
        let reply = String(repeating: piece, count: SpeechShaper.maximumBytes / piece.utf8.count)
        #expect(WrittenReply(reply).text.utf8.count <= 2 * SpeechShaper.maximumBytes)
    }
}
