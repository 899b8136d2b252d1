internal import CAlsa

/// The hardware mixer of a card.
package protocol MixerControl: Sendable {
    /// Sets an element to a volume in percent. Takes milliseconds; must not run on the audio thread.
    func set(_ percent: Int, at place: MixerPlace) throws(MixerError)
}

/// ALSA's simple mixer interface. Opens the mixer for each change, so an unplugged card that returns needs no handling.
package struct ALSAMixer: MixerControl {
    package func set(_ percent: Int, at place: MixerPlace) throws(MixerError) {
        let mixer = try Self.open(place.card)
        defer { snd_mixer_close(mixer) }
        let element = try Self.find(place, in: mixer)
        let code = Self.setPlayback(element, percent)
        guard code >= 0 else { throw .refused(place, reason: Self.text(code)) }
    }

    private static func open(_ card: String) throws(MixerError) -> OpaquePointer {
        calsa_silence()
        var handle: OpaquePointer?
        var code = snd_mixer_open(&handle, 0)
        guard code >= 0, let handle else { throw .noCard(card, reason: text(code)) }
        code = snd_mixer_attach(handle, card)
        if code >= 0 { code = snd_mixer_selem_register(handle, nil, nil) }
        if code >= 0 { code = snd_mixer_load(handle) }
        guard code >= 0 else {
            snd_mixer_close(handle)
            throw .noCard(card, reason: text(code))
        }
        return handle
    }

    private static func find(_ place: MixerPlace, in mixer: OpaquePointer) throws(MixerError) -> OpaquePointer {
        var known: [String] = []
        var next = snd_mixer_first_elem(mixer)
        while let element = next {
            next = snd_mixer_elem_next(element)
            guard let name = snd_mixer_selem_get_name(element).map({ String(cString: $0) }) else { continue }
            let index = Int(snd_mixer_selem_get_index(element))
            let hasVolume = snd_mixer_selem_has_playback_volume(element)
            if name == place.element && index == place.index {
                guard hasVolume != 0 else { throw .noVolume(place) }
                return element
            }
            if hasVolume != 0 { known.append(index == 0 ? name : "\(name),\(index)") }
        }
        throw .noElement(place, known: known)
    }

    private static func setPlayback(_ element: OpaquePointer, _ percent: Int) -> Int32 {
        var (low, high) = (0, 0)
        var (quiet, loud) = (0, 0)
        guard snd_mixer_selem_get_playback_volume_range(element, &low, &high) >= 0, low <= high else { return -22 }
        let hasScale = snd_mixer_selem_get_playback_dB_range(element, &quiet, &loud) >= 0 && quiet <= loud
        if snd_mixer_selem_has_playback_switch(element) != 0 {
            snd_mixer_selem_set_playback_switch_all(element, percent > 0 ? 1 : 0)
        }
        switch MixerLevel(percent: percent, decibels: hasScale ? quiet...loud : nil, raw: low...high) {
        case .decibels(let value): return snd_mixer_selem_set_playback_dB_all(element, value, 0)
        case .raw(let value): return snd_mixer_selem_set_playback_volume_all(element, value)
        }
    }

    private static func text(_ code: Int32) -> String {
        snd_strerror(code).map { String(cString: $0) } ?? "error \(code)"
    }
}
