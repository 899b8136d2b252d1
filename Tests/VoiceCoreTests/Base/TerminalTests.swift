import Testing

@testable import VoiceBase

struct TerminalTests {
    @Test func programOfADialogTellsItsStatus() {
        #expect(Terminal.run(["/bin/sh", "-c", "exit 3"]) == 3)
        #expect(Terminal.run(["/bin/sh", "-c", "kill -9 $$"]) == nil, "a signal has ended it")
        #expect(Terminal.run(["/nonexistent/program"]) == nil)
        #expect(Terminal.run([]) == nil)
    }
}
