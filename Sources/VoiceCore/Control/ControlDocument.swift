internal import VoiceBase

/// Generates docs/control.md from the table of commands.
package enum ControlDocument {
    package static func text(_ registry: ControlRegistry = .standard) -> String {
        let limits = ControlServer.Options(path: "", version: "")
        var lines = [
            "# The control socket",
            "",
            "Use this page to control the running daemon, with `jarvis-voiced ctl COMMAND` or from any program that can open",
            "a Unix socket. It is generated from the table of commands in the program: `UPDATE_SAMPLE=1 swift test --filter "
                + "ControlDocument`.",
            "",
            "## Socket and access",
            "",
            "The daemon listens at `$RUNTIME_DIRECTORY/control.sock` (`\(ControlPath.system)` under systemd), else at",
            "`$XDG_RUNTIME_DIR/jarvis-voiced/control.sock`. Its user and its group can open the socket (0660; group "
                + "`jarvis`",
            "under systemd). The daemon also checks the peer's credentials with the kernel: root, its own user, "
                + "members of the",
            "group. `ctl` tries `--socket`, then `$JARVIS_CONTROL_SOCKET`, then both places above.",
            "",
            "    sudo usermod -aG jarvis $USER      # then log in again",
            "",
            "## Protocol",
            "",
            "Lines of JSON in UTF-8, one object each. The daemon sends a greeting, then answers each request in order:",
            "",
            "    < {\"hello\":\"jarvis-voiced\",\"protocol\":\(ControlMessage.version),\"version\":\"0.1.0\"}",
            "    > {\"id\":1,\"command\":\"volume\",\"arguments\":{\"percent\":\"40\"}}",
            "    < {\"id\":1,\"ok\":true,\"result\":{\"master\":40, ...}}",
            "    > {\"id\":2,\"command\":\"sing\"}",
            "    < {\"error\":{\"code\":\"unknown_command\",\"message\":\"...\"},\"id\":2,\"ok\":false}",
            "",
            "`id` (an integer or a text) is optional and repeated in the answer. "
                + "`\"protocol\":\(ControlMessage.version)` in a request asks for this version; version "
                + "\(ControlMessage.oldest)",
            "is understood as well. Within a version members are only added, so ignore those you do not know. A request has at most",
            "\(ControlMessage.longestRequest) bytes. A client that does not read its answers is disconnected, and so "
                + "is one after \(limits.maximumBadLines)",
            "invalid lines.",
            "",
            "At most \(limits.maximumClients) clients may be connected; another one is refused with `busy`. A client that "
                + "sends no request for \(limits.longestIdle.milliseconds / 1000) s",
            "is disconnected, unless it follows `events` or the status.",
            "",
            "Everyone who may connect may give every command, and nothing belongs to the client that set it: a mute, "
                + "quiet hours, a",
            "volume or playback can be ended by any other client. Keep anyone out of the group who must not open a "
                + "microphone that",
            "someone else has muted.",
            "",
            "Only a voice can allow what the agent asks permission for: a yes that is typed with `ask` counts if root "
                + "sends it, or with",
            "`jarvis.typed_approval`. Control characters, bidirectional marks and invisible characters arrive as JSON "
                + "escapes.",
            "",
            "    echo '{\"command\":\"status\"}' | socat - UNIX:\(ControlPath.system)",
            "",
            "Use `announce` for what an agent, a script or the house has to say: a late answer, a reminder, a door "
                + "that was left",
            "open.",
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
            "| `code` | exit status of `ctl` |",
            "|---|---|",
        ]
        for code in ControlProblem.Code.allCases {
            lines.append("| `\(code.rawValue)` | \(ControlProblem(code, "").exitCode.rawValue) |")
        }
        lines += [
            "",
            "`ctl` exits with 0 if the command was carried out. `--json` prints the result, or the error, as one line "
                + "of JSON.",
            "",
            "## Events",
            "",
            "After `events`, every change is a line with the member `event`; it never contains what was said.",
            "",
            "    {\"event\":\"state\",\"from\":\"listening\",\"to\":\"userSpeaking\"}",
            "    {\"answered_ms\":1177,\"calls\":1,\"event\":\"turn\",\"first_sample_ms\":1294,\"turn\":1, ...}",
            "",
            "Events are " + names(DaemonEvent.published) + ". A slow client loses the oldest ones.",
            "",
            "## Status",
            "",
            "`status` has these members; what is unknown is left out. `subscribe` sends all of them, then what changes:",
            "",
            "    {\"event\":\"snapshot\",\"missed\":0,\"number\":1,\"values\":{\"state\":\"listening\", ...}}",
            "    {\"age_ms\":3,\"event\":\"changed\",\"number\":2,\"values\":{\"state\":\"userSpeaking\", ...}}",
            "",
            "A list or an object comes whole, and a member that is gone is null. `age_ms` is the age of the values. Lines are "
                + "numbered; a client",
            "that reads too slowly gets a new snapshot, which says how many looks at the status it `missed`. Something comes at "
                + "least every \(StatusFeed.longestSilence.milliseconds / 1000) s.",
            "",
        ]
        lines += StatusSchema.table
        return lines.joined(separator: "\n") + "\n"
    }

    private static func names(_ events: [JournalEvent]) -> String {
        events.map { "`\($0.rawValue)`" }.joined(separator: ", ")
    }
}
