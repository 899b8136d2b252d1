internal import VoiceBase

/// Generates docs/control.md from the table of commands.
package enum ControlDocument {
    package static func text(_ registry: ControlRegistry = .standard) -> String {
        let rule = ControlSeats.Rule()
        let urgent = registry.commands.flatMap(\.urgentOrders).map { "`\($0)`" }.joined(separator: ", ")
        var lines = [
            "# The control socket",
            "",
            "`jarvis-voiced ctl COMMAND` and every program that can open a Unix socket give orders to the running daemon. This",
            "page is made from the table of commands in the program; `UPDATE_SAMPLE=1 swift test --filter ControlDocument`",
            "writes it anew.",
            "",
            "## Where, and who may",
            "",
            "The daemon listens at `$RUNTIME_DIRECTORY/control.sock` (`\(ControlPath.system)` under systemd), else at",
            "`$XDG_RUNTIME_DIR/jarvis-voiced/control.sock`. The socket is open to its user and its group (0660; group `jarvis`",
            "under systemd); the kernel's word on who connects is checked as well: root, the daemon's user, members of the",
            "group. `ctl` looks at `--socket`, `$JARVIS_CONTROL_SOCKET`, or at both places above.",
            "",
            "    sudo usermod -aG jarvis $USER      # then log in again",
            "",
            "## Protocol",
            "",
            "Lines of JSON in UTF-8, one object each. The daemon greets; after that every request is answered in its order:",
            "",
            "    < {\"hello\":\"jarvis-voiced\",\"protocol\":\(ControlMessage.version),\"version\":\"0.1.0\"}",
            "    > {\"id\":1,\"command\":\"volume\",\"arguments\":{\"percent\":\"40\"}}",
            "    < {\"id\":1,\"ok\":true,\"result\":{\"master\":40, ...}}",
            "    > {\"id\":2,\"command\":\"sing\"}",
            "    < {\"error\":{\"code\":\"unknown_command\",\"message\":\"...\"},\"id\":2,\"ok\":false}",
            "",
            "`id` (whole number or text) comes back and may be left out. `\"protocol\":\(ControlMessage.version)` in a request asks for this version;",
            "members are only added within a version, so pass over those you do not know. A request has at most",
            "\(ControlMessage.longestRequest) bytes. One that does not read what it is sent is cut off, and one after \(ControlServer.Options(path: "", version: "").maximumBadLines)",
            "lines that are no requests.",
            "",
            "\(rule.seats) clients may be connected. One that sends no request within \(rule.firstRequest.milliseconds / 1000) s, or no further one for \(rule.idle.milliseconds / 60_000) minutes, is cut off,",
            "unless it follows `events`; where there is no room, the one that has asked for nothing the longest makes way. Where",
            "all of them are at work, a newcomer may still give one order that silences the box, and no other:",
            "\(urgent).",
            "What is refused with `busy` may be tried again after a second; `ctl` does so once.",
            "",
            "Whoever may connect may give every order, and nobody owns what he has set: a mute, quiet hours, a volume and what plays",
            "may be ended by anybody else who may connect. Keep out of the group whoever is not to open a microphone that",
            "somebody else has muted.",
            "",
            "    echo '{\"command\":\"status\"}' | socat - UNIX:\(ControlPath.system)",
            "",
            "What an agent, a script or the house has to say, an answer that came late, a reminder, a door that was left open, is a line",
            "too (see `announce`):",
            "",
            "    {\"command\":\"announce\",\"arguments\":{\"priority\":\"low\",\"text\":\"The washing machine is done.\"}}",
            "    {\"command\":\"announce\",\"arguments\":{\"ask\":true,\"text\":\"Shall I close the garage?\"}}",
            "",
            "## Commands",
            "",
        ]
        for command in registry.commands {
            lines.append("### `\(command.usage)`")
            lines += ["", command.documentation, ""]
            for argument in command.arguments {
                let need = argument.isOptional ? ", optional" : ""
                lines.append("- `\(argument.name)`: \(argument.documentation) (\(argument.wanted)\(need))")
            }
            if !command.arguments.isEmpty { lines.append("") }
        }
        lines += [
            "## Errors",
            "",
            "| `code` | `ctl` ends with |",
            "|---|---|",
        ]
        for code in ControlProblem.Code.allCases {
            lines.append("| `\(code.rawValue)` | \(ControlProblem(code, "").exitCode.rawValue) |")
        }
        lines += [
            "",
            "`ctl` ends with 0 when the command was carried out. `--json` prints the result, or the error, as one line of JSON.",
            "",
            "## Events",
            "",
            "After `events` every change is a line with the member `event`; never what was said.",
            "",
            "    {\"event\":\"state\",\"from\":\"listening\",\"to\":\"userSpeaking\"}",
            "    {\"answered_ms\":1177,\"calls\":1,\"event\":\"turn\",\"first_sample_ms\":1294,\"turn\":1, ...}",
            "",
            "Events are " + names(DaemonEvent.published) + ". A client that is slow loses the oldest.",
        ]
        return lines.joined(separator: "\n") + "\n"
    }

    private static func names(_ events: [JournalEvent]) -> String {
        events.map { "`\($0.rawValue)`" }.joined(separator: ", ")
    }
}
