internal import CLinux
internal import VoiceBase
internal import VoiceMedia

/// Which kernel mechanisms confine the media decoder in case a stream compromises it.
enum WallCheck {
    static func findings(_ context: DoctorContext) -> [DoctorFinding] {
        guard let media = context.loaded?.values.media, media.enabled else { return [] }
        return [
            judge(
                landlock: Int(clinux_landlock_abi()), hasSeccomp: clinux_has_seccomp(),
                program: ConfinedProcess.find(MediaSettings.program) == nil ? nil : MediaSettings.program
            )
        ]
    }

    /// - Parameters:
    ///   - landlock: Landlock version of this kernel, 0 for none; it limits files from version 1, TCP from version 4.
    ///   - program: the decoder; nil if it is not installed, which is not a problem if nothing is played.
    static func judge(landlock: Int, hasSeccomp: Bool, program: String?) -> DoctorFinding {
        guard let program else {
            return DoctorFinding(
                "decoder", .skipped, "no media decoder is installed: nothing can be played",
                advice: "apt install ffmpeg, or media.enabled = false"
            )
        }
        var walls: [String] = []
        if landlock >= 1 { walls.append("files") }
        if landlock >= 4 { walls.append("ports") }
        if hasSeccomp { walls.append("system calls") }
        let held: MarkedText = "\(program) reaches the network only through the daemon's proxy"
        if walls.count == 3 {
            return DoctorFinding("decoder", .ok, "\(held); the kernel limits its files, ports and calls")
        }
        let limited = walls.isEmpty ? "nothing" : "its " + walls.joined(separator: " and ")
        return DoctorFinding(
            "decoder",
            .ok,
            "\(held); the kernel limits \(public: limited): Landlock is "
                + (landlock == 0 ? "missing" : "version \(landlock)") + (hasSeccomp ? "" : ", seccomp is missing"),
            advice: landlock < 4 ? "a kernel of 6.7 or later with Landlock (lsm=landlock,...) limits ports too" : nil
        )
    }
}
