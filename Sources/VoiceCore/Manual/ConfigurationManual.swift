internal import VoiceBase

/// Generates jarvis-voiced.toml(5) from the table of keys.
package enum ConfigurationManual {
    package static func page(version: String) -> String {
        var page = Roff(title: "jarvis-voiced.toml", section: 5, version: version)
        page.heading("NAME")
        page.raw(["jarvis\\-voiced.toml \\- configuration of jarvis\\-voiced(1)"])
        page.heading("DESCRIPTION")
        page.paragraph(
            """
            The file is TOML. It is looked up at $XDG_CONFIG_HOME/jarvis-voiced/jarvis-voiced.toml \
            (~/.config/jarvis-voiced/jarvis-voiced.toml), then at \(ConfigurationLoader.systemPath); the first one is \
            taken. Every key is optional. Each can also be set by an environment variable (audio.input is \
            JARVIS_AUDIO_INPUT) and on the command line (--set audio.input=NAME).

            Built-in values < file < environment < command line. A key that does not exist and a value that cannot be \
            are errors: jarvis-voiced config check names file and line, and the daemon ends with status 78.

            Secrets never stand in this file: the keys that end in _file name files that hold them.
            """
        )
        for section in ConfigurationSchema.sections {
            page.heading("[\(section.name)]")
            page.paragraph(section.documentation)
            for key in ConfigurationSchema.keys where key.section == section.name {
                page.item(
                    "\(key.name) = \(key.builtIn.toml)", "\(key.documentation) Must be \(key.kind.wanted)."
                )
            }
        }
        page.heading("[words.WORD]")
        page.paragraph(Configuration.Word.documentation)
        for key in Configuration.Word.allKeys { page.item("\(key.name) = \(key.builtIn.toml)", key.documentation) }
        page.heading("FILES")
        page.item(ConfigurationLoader.systemPath, "The configuration of the machine.")
        for key in ServiceRegistry.keys {
            page.item(
                "\(ServiceEnvironment.folder)/\(key.credential)",
                "The key of the service; systemd hands it to the daemon."
            )
        }
        page.item("\(ServiceEnvironment.folder)/jarvis-token", "The token of the agent, in the same way.")
        page.heading("SEE ALSO")
        page.raw([".BR jarvis\\-voiced (1)"])
        return page.text
    }
}

/// Generates docs/configuration.md from the table of keys.
package enum ConfigurationReference {
    package static var text: String {
        var lines = [
            "# Configuration reference",
            "",
            "Every key and its default. To change one, put it into the configuration file under its section, set its environment",
            "variable (`audio.input` is `JARVIS_AUDIO_INPUT`), or pass `--set audio.input=NAME`. Defaults < file < environment <",
            "command line.",
            "",
            "The file is the one given with `--config`, else `~/.config/jarvis-voiced/jarvis-voiced.toml`, else",
            "`\(ConfigurationLoader.systemPath)`. `jarvis-voiced config check` names the file and line of a mistake;",
            "`jarvis-voiced config show` prints what is in force and where it came from.",
            "",
            "A change of a *live* key takes effect with `systemctl reload jarvis-voiced`, of another with a restart. Never put",
            "secrets into the file: keys that end in `_file` name files that hold them.",
            "",
            "`UPDATE_SAMPLE=1 swift test --filter ConfigurationReference` generates this page.",
        ]
        for section in ConfigurationSchema.sections {
            lines += ["", "## `[\(section.name)]`", "", section.documentation, ""]
            for key in ConfigurationSchema.keys where key.section == section.name {
                let live = key.isLive ? " (live)" : ""
                let accepted = key.accepted.map { " " + $0 } ?? ""
                lines.append("- `\(key.name) = \(key.builtIn.toml)`\(live): \(key.documentation)\(accepted)")
            }
        }
        lines += ["", "## `[words.WORD]`", "", Configuration.Word.documentation, ""]
        lines += Configuration.Word.allKeys.map { "- `\($0.name) = \($0.builtIn.toml)`: \($0.documentation)" }
        return lines.joined(separator: "\n") + "\n"
    }
}
