internal import VoiceBase

/// Generates docs/control.md from the table of commands.
package enum ControlDocument {
    package static func text(_ registry: ControlRegistry = .standard) -> String {
        let limits = ControlServer.Options(path: "", version: "")
        var lines = [
            "# The control socket",
            "",
            "Control the running daemon with `jarvis-voiced ctl COMMAND`, or from any program that can open",
            "a Unix socket. `UPDATE_SAMPLE=1 swift test --filter ControlDocument` generates it.",
            "",
            "## Socket and access",
            "",
            "The daemon listens at `$RUNTIME_DIRECTORY/control.sock` (`\(ControlPath.system)` under systemd), else at",
            "`$XDG_RUNTIME_DIR/jarvis-voiced/control.sock`, for root, its own user and its group (0660; `jarvis` under systemd).",
            "`ctl` tries `--socket`, then `$JARVIS_CONTROL_SOCKET`, then both places above.",
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
                + "`\"protocol\":\(ControlMessage.version)` in a request asks for this version; "
                + "\(ControlMessage.oldest) is",
            "understood too. Within a version members are only added: ignore those you do not know. A request has at most",
            "\(ControlMessage.longestRequest) bytes. A client is disconnected if it does not read its answers, after "
                + "\(limits.maximumBadLines) invalid lines, and after \(limits.longestIdle.milliseconds / 1000) s",
            "without a request unless it follows `events` or the status. Beyond \(limits.maximumClients) clients, another is "
                + "refused with `busy`,",
            "unless it sends `stop`, `interrupt` or `mute`.",
            "",
            "Every client may give every command, and end a mute, quiet hours, a volume or playback that another client set. "
                + "Keep",
            "anyone out of the group who must not open a microphone that someone else has muted.",
            "",
            "A yes to what the agent asks permission for takes a voice; typed with `ask` it counts only from root or with",
            "`jarvis.typed_approval`. A program of root that passes on what others type adds `\"remote\":true` to its requests: they",
            "then count as anybody's. Control characters, bidirectional marks and invisible characters arrive as JSON escapes.",
            "",
            "    echo '{\"command\":\"status\"}' | socat - UNIX:\(ControlPath.system)",
            "",
            "`announce` says what an agent, a script or the house has to say: a late answer, a door that was left open.",
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
                let limit = if case .text(let longest) = argument.kind { " (at most \(longest) bytes)" } else { "" }
                lines.append("- `\(argument.name)`: \(argument.documentation)\(limit)")
            }
            if !command.arguments.isEmpty { lines.append("") }
        }
        lines += [
            "## Errors",
            "",
            "Exit status of `ctl`, and the `code` of the error: 0 done; " + errors + ".",
            "`--json` prints the result or the error as one line of JSON. `ctl status` ends with 0 if all is well, 1 if something is missing",
            "and the rest works, 2 if no conversation is possible.",
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
            "`status` has these members; counters begin with the daemon, and what is unknown is left out. `subscribe` sends all of",
            "them, then what changes:",
            "",
            "    {\"event\":\"snapshot\",\"missed\":0,\"number\":1,\"values\":{\"state\":\"listening\", ...}}",
            "    {\"age_ms\":3,\"event\":\"changed\",\"number\":2,\"values\":{\"state\":\"userSpeaking\", ...}}",
            "",
            "A list or an object comes whole, and a member that is gone is null. `age_ms` is the age of the values. A client "
                + "that reads",
            "too slowly gets a new snapshot, which says how many looks at the status it `missed`. A line comes at least every "
                + "\(StatusFeed.longestSilence.milliseconds / 1000) s.",
            "",
        ]
        lines += StatusSchema.list
        return lines.joined(separator: "\n") + "\n"
    }

    private static var errors: String {
        Dictionary(grouping: ControlProblem.Code.allCases) { ControlProblem($0, "").exitCode.rawValue }
            .sorted { $0.key < $1.key }
            .map { "\($0.key) " + $0.value.map { "`\($0.rawValue)`" }.joined(separator: ", ") }.joined(separator: "; ")
    }

    private static func names(_ events: [JournalEvent]) -> String {
        events.map { "`\($0.rawValue)`" }.joined(separator: ", ")
    }
}
