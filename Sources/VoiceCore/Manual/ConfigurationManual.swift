internal import VoiceConfiguration

/// jarvis-voiced.toml(5), made of the table of keys.
package enum ConfigurationManual {
    package static func page(version: String) -> String {
        var page = Roff(title: "jarvis-voiced.toml", section: 5, version: version)
        page.heading("NAME")
        page.raw(["jarvis\\-voiced.toml \\- configuration of jarvis\\-voiced(1)"])
        page.heading("DESCRIPTION")
        page.paragraph(
            """
            The file is TOML. It is sought at $XDG_CONFIG_HOME/jarvis-voiced/jarvis-voiced.toml \
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
                    "\(key.name) = \(key.builtIn.toml)",
                    "\(key.documentation) Wants \(key.kind.wanted)."
                )
            }
        }
        page.heading("FILES")
        page.item(ConfigurationLoader.systemPath, "The configuration of the machine.")
        page.item(
            "\(ServiceEnvironment.folder)/openai-api-key",
            "The key of the service; systemd hands it to the daemon."
        )
        page.item("\(ServiceEnvironment.folder)/jarvis-token", "The token of the agent, likewise.")
        page.heading("SEE ALSO")
        page.raw([".BR jarvis\\-voiced (1)"])
        return page.text
    }
}
