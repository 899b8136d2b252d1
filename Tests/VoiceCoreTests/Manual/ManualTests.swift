import Testing

@testable import VoiceBase
@testable import VoiceCore

/// The manual pages state what the program does, whatever its texts contain.
struct ManualTests {
    @Test func everyKeyOfTheConfigurationHasItsPlace() {
        let page = ConfigurationManual.page(version: "1.2.3")
        for key in ConfigurationSchema.keys {
            #expect(page.contains(".B \"\(Roff.escaped(key.name)) = "), "\(key.path)")
        }
        for section in ConfigurationSchema.sections { #expect(page.contains(".SH \"[\(section.name)]\"")) }
        #expect(page.hasPrefix(".TH \"JARVIS\\-VOICED.TOML\" 5 "))
    }

    @Test func commandsAndOptionsComeFromTheirDescription() throws {
        let description = """
            {"serializationVersion": 0, "command": {"commandName": "tool", "abstract": "The tool.", "subcommands": [
              {"commandName": "dig", "abstract": "Dig.", "arguments": [
                {"kind": "option", "names": [{"kind": "long", "name": "depth"}, {"kind": "short", "name": "d"}],
                 "valueName": "metres", "abstract": "How deep.", "defaultValue": "2", "shouldDisplay": true},
                {"kind": "flag", "names": [{"kind": "long", "name": "help"}], "abstract": "Help."}]},
              {"commandName": "hidden", "shouldDisplay": false}, {"commandName": "help", "abstract": "Help."}]}}
            """
        let page = try CommandManual.page(description: description, version: "1")
        #expect(page.contains("tool \\- the tool\n"))
        #expect(page.contains(".SS \"tool dig\""))
        #expect(page.contains(".B \"\\-d, \\-\\-depth METRES\"\nHow deep. Default: 2."))
        #expect(!page.contains("hidden"))
        #expect(!page.contains("\\-\\-help"))
        for code in ExitCode.allCases { #expect(page.contains(".B \"\(code.rawValue)\"")) }
        let tool = try CommandManual.toolPage(description: description, version: "1")
        #expect(tool.contains(".SS \"tool dig\""))
        #expect(!tool.contains("EXIT STATUS") && !tool.contains("/etc/"), "the daemon's sections are not a tool's")
        #expect(throws: CommandManual.Unreadable.self) { try CommandManual.page(description: "{", version: "1") }
    }

    @Test(arguments: [
        ("a-b", "a\\-b"), (".start", "\\&.start"), ("'tis", "\\&'tis"), (#"C:\n"#, "C:\\en"),
        ("two\nlines", "two lines"), ("on|off", "on|\\:off"),
    ])
    func specialCharactersStayText(plain: String, roff: String) {
        #expect(Roff.escaped(plain) == roff)
    }

    @Test func quotesInATermDoNotEndIt() {
        var page = Roff(title: "x", section: 5, version: "1")
        page.item("input = \"default\"", "A card.")
        #expect(page.text.contains(".B \"input = \\(dqdefault\\(dq\""))
    }
}
