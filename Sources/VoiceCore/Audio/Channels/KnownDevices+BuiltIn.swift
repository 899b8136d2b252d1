extension KnownDevices {
    /// The same text as `config/devices.toml`.
    package static let builtInText = """
        # Microphones whose channels are known: a line each. The first line that fits counts.
        #
        # These lines are built in; a file of this name in /etc/jarvis-voiced or ~/.config/jarvis-voiced adds lines of your
        # own, which come before them. `jarvis-voiced devices --report` shows what a line has to say of a device, and
        # `jarvis-voiced devices --probe` finds out what its channels carry.
        #
        #   usb       id as lsusb has it, "0b0e:0420", or "0b0e:*" for everything of a maker
        #   firmware  bcdDevice in four digits, "0210", or a range, "0200-0210"; left out: any
        #   name      part of the card's name, whatever the case; left out: any
        #   channels  what each channel carries: processed (the voice after the device's own echo canceller), raw (a bare
        #             microphone), reference (what the loudspeaker plays), silent. A line fits a device that is opened with
        #             so many channels.
        #   title     for people

        [devices]
        jabra-510 = { usb = "0b0e:0420", title = "Jabra Speak 510", channels = "processed" }
        jabra-510-422 = { usb = "0b0e:0422", title = "Jabra Speak 510", channels = "processed" }
        jabra-speak = { usb = "0b0e:*", name = "Speak", title = "Jabra Speak", channels = "processed" }
        powerconf = { name = "PowerConf", title = "Anker PowerConf", channels = "processed, processed" }
        powerconf-mono = { name = "PowerConf", title = "Anker PowerConf", channels = "processed" }
        emeet = { name = "EMEET", title = "eMeet speakerphone", channels = "processed" }
        xvf3800 = { usb = "2886:*", name = "XVF3800", title = "ReSpeaker XVF3800", channels = "processed, processed" }
        xvf3800-6 = { usb = "2886:*", name = "XVF3800", title = "ReSpeaker XVF3800, 6 channels", channels = "processed, processed, raw, raw, raw, raw" }
        respeaker-lite = { usb = "2886:*", name = "Lite", title = "ReSpeaker Lite", channels = "raw, raw" }
        respeaker-v2 = { usb = "2886:*", name = "Mic Array", title = "ReSpeaker Mic Array v2.0", channels = "processed" }
        respeaker-v2-6 = { usb = "2886:*", name = "Mic Array", title = "ReSpeaker Mic Array v2.0, 6 channels", channels = "processed, raw, raw, raw, raw, reference" }

        """
}
