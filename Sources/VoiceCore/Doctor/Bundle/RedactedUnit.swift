internal import VoiceConfiguration

/// The output of `systemctl cat` for the unit and its drop-ins, safe to share. It may contain a secret anywhere, so
/// only known settings are named, and of their values only words of the shipped unit, switches and numbers are shown.
enum RedactedUnit {
    private static let hidden = "(not shown)"
    private static let longestNumber = 9

    static func text(_ unit: String) -> String {
        var shown: [String] = []
        var isContinued = false
        for line in unit.split(separator: "\n", omittingEmptySubsequences: false) {
            // A value continues after a line that ends with a backslash; comments in between do not end it
            // (systemd.syntax(7)).
            let text = line.drop { $0 == " " || $0 == "\t" }
            let isComment = text.first == "#" || text.first == ";"
            defer { if !isComment { isContinued = line.last == "\\" } }
            if isContinued { continue }
            shown.append(isComment ? comment(text) : setting(text))
        }
        return shown.joined(separator: "\n")
    }

    /// Shows the comment that names the file before its content; hides the others.
    private static func comment(_ text: Substring) -> String {
        let unit = "/jarvis-voiced.service"
        let folders = ["/etc", "/run", "/usr/local/lib", "/usr/lib", "/lib"].map { "# \($0)/systemd/system\(unit)" }
        if let folder = folders.first(where: { text == $0 }) { return folder }
        if let folder = folders.first(where: { text.hasPrefix($0 + ".d/") }) { return folder + ".d/\(hidden)" }
        return "# (comment)"
    }

    private static func setting(_ text: Substring) -> String {
        guard let first = text.first else { return "" }
        if first == "[" { return ["[Unit]", "[Service]", "[Install]"].first { text == $0 } ?? "[(unknown)]" }
        guard let mark = text.firstIndex(of: "=") else { return "(line not shown)" }
        let name = text[..<mark].filter { $0 != " " && $0 != "\t" }
        guard settings.contains(name) else { return "(unknown setting)=\(hidden)" }
        var values: [String] = []
        for value in text[text.index(after: mark)...].split(whereSeparator: { $0 == " " || $0 == "\t" }) {
            if words.contains(String(value)) || numbered.contains(name) && isNumber(value) {
                values.append(String(value))
            } else if values.last != hidden {
                values.append(hidden)
            }
        }
        return name + "=" + values.joined(separator: " ")
    }

    /// "40", "-5", "512M", "30s", "50%".
    private static func isNumber(_ text: Substring) -> Bool {
        let digits = (text.first == "-" ? text.dropFirst() : text).prefix { $0.isASCII && $0.isNumber }
        let unit = text.dropFirst(text.first == "-" ? digits.count + 1 : digits.count)
        return (1...longestNumber).contains(digits.count)
            && ["", "K", "M", "G", "s", "ms", "min", "h", "%"].contains(String(unit))
    }

    /// Settings that hold numbers; in any other setting a number may be a secret.
    private static let numbered = Set(
        """
        CPUQuota CPUWeight IOWeight LimitCORE LimitMEMLOCK LimitNICE LimitNOFILE LimitNPROC LimitRTPRIO LimitRTTIME
        MemoryHigh MemoryMax Nice OOMScoreAdjust RestartPreventExitStatus RestartSec RuntimeDirectoryMode StartLimitBurst
        StartLimitIntervalSec StateDirectoryMode TasksMax TimeoutStartSec TimeoutStopSec UMask WatchdogSec
        """.split(whereSeparator: \.isWhitespace).map(String.init)
    )

    private static let settings = Set(
        """
        After AmbientCapabilities Before BindsTo CapabilityBoundingSet CPUQuota CPUWeight Delegate Description DeviceAllow
        DevicePolicy DynamicUser Environment EnvironmentFile ExecReload ExecStart ExecStartPost ExecStartPre ExecStop
        Group IOWeight IPAddressAllow IPAddressDeny KeyringMode KillMode KillSignal LimitCORE LimitMEMLOCK LimitNICE
        LimitNOFILE LimitNPROC LimitRTPRIO LimitRTTIME LoadCredential LoadCredentialEncrypted LockPersonality
        MemoryDenyWriteExecute MemoryHigh MemoryMax Nice NoNewPrivileges NotifyAccess OOMScoreAdjust PartOf PrivateDevices
        PrivateMounts PrivateNetwork PrivateTmp PrivateUsers ProcSubset ProtectClock ProtectControlGroups ProtectHome
        ProtectHostname ProtectKernelLogs ProtectKernelModules ProtectKernelTunables ProtectProc ProtectSystem RemoveIPC
        Requires Restart RestartPreventExitStatus RestartSec RestrictAddressFamilies RestrictNamespaces RestrictRealtime
        RestrictSUIDSGID RuntimeDirectory RuntimeDirectoryMode SetCredential SetCredentialEncrypted StandardError
        StandardOutput StartLimitBurst StartLimitIntervalSec StateDirectory StateDirectoryMode SupplementaryGroups
        SystemCallArchitectures SystemCallErrorNumber SystemCallFilter TasksMax TimeoutStartSec TimeoutStopSec Type UMask
        User Wants WantedBy WatchdogSec
        """.split(whereSeparator: \.isWhitespace).map(String.init)
    )

    private static let words = Set(
        """
        yes no true false on off infinity strict full read-only tmpfs invisible noaccess ptraceable private inherit shared
        notify simple exec forking oneshot main all none process control-group mixed always on-failure on-abnormal on-abort
        on-success never closed auto native journal null inherit sound.target network-online.target time-sync.target
        multi-user.target network.target default.target char-alsa char-input r rw /dev/null /dev/snd AF_UNIX AF_INET
        AF_INET6 AF_NETLINK @system-service @privileged ~@privileged @sandbox @resources ~@resources EPERM SIGTERM SIGKILL
        SIGINT audio jarvis jarvis-voiced root /usr/bin/jarvis-voiced /usr/local/bin/jarvis-voiced run /bin/kill -HUP
        $MAINPID -/etc/default/jarvis-voiced
        jarvis-token:/etc/jarvis-voiced/jarvis-token any localhost
        """.split(whereSeparator: \.isWhitespace).map(String.init)
            + ServiceKey.allCases.map { "\($0.credential):\(ServiceEnvironment.folder)/\($0.credential)" }
    )
}
