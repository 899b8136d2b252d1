internal import VoiceConfiguration

/// The words of the doctor's own sentences and of the system's reasons. Any other word may come from a configuration, a
/// folder or a title.
enum DoctorVocabulary {
    static let words = Set(text.split(whereSeparator: \.isWhitespace).map(String.init)).union(JournalVocabulary.words)
        .union(ServiceKey.allCases.flatMap { [$0.credential, $0.rawValue] })

    private static let text = """
        a about above accepted accepts access active activestate add address adds adduser after again agent agent-api
        agent-name agent-path agent-prompt agent-token agent-transport ago agrees all allow allowed allows alone alsa an
        and another answer answers any anyone api api-key aplay apr apt apt-get are argument as aside at audio aug auth
        base be begins behind beside better billing box brackets break buffer built-in busy but by bytes ca-certificates
        calls can cannot card cards cat certificate channel channels check checked chown clean clock compare config
        configuration confirm confirms connection contain container contains controlc conversation correct counts
        created credentials daemon daemon's date days dec decoder default denied device devices did directory disk distribution
        distribution's dmesg do doctor does down dpkg-query each echo echo-test edit else empties empty enable encrypted end
        ends engine error every execmainstatus exists exit expired failed false feb ffmpeg file files firewall first
        fits folder for forbidden found free from fuser gb getent gets give given gives gmt got grants group had hand has
        headphones hear heard hears help hero365-api-key holds home host hosts https hz id if in inactive include info initgroups
        input install installed instead integer into invalid ip is it its itself jan jarvis jarvis-token jarvis-voiced
        journalctl jul jun jv-doctor kb keep kernel key knows landlock larger last later lead leads left less let libcurl
        library likely limit limited limitmemlock limitrtprio limits line listens  loaded loadstate localhost locked
        log long look looked loudspeaker machine made mainpid make many mar max may mb mean measured measurement media
        memlock memory memory-lock microphone missing mode model models modules more most move ms multiple must name
        named names needed needs network never no none not nothing nov nrestarts number oct of off on once one only open
        openai-api-key opened opens operation or ordinary other out output own path pcm pcmc permanently permission
        permitted played plug pocketsphinx pocketsphinx-en-us port ports priority probably prompt provider proxy put
        question quota reaches read read-only readable real-time realtime recognised refused refuses regular remember
        remove reply requested requests resolve resolved resolves resource restart restarted result right room root
        root's route rtprio run running runs s same sample says seccomp second-look seconds secret secrets section see
        sees self sends sent sep serve server server's service service-dns service-tcp service-tls service-transport
        session set set-ntp setgid settings setuid shell show shows silent skipped so some something sound sound-permission
        space speed spending start started state status statustext stop stop-words stopped stream substate such sudo
        swapping swaps switch system systemctl systemd systemd-timesyncd takes talk tell tells ten tensorflow term-llm
        test text than that the them then there this through time timed timedatectl times tls to today token told too
        tools transport travels tried trigger trouble true trusted try turn twice udevadm unauthorized under unit unit's
        unitfilestate unknown unless unplug unreachable until up url usage usbbus usbid use used user usually valid
        value values version voice voices volumes wake-models wake-words wanted wants was way web well what when where
        whether which while why with within without write written wss yesterday you your
        """
}
