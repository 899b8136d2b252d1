internal import CAlsa

/// The kernel device named by "hw:1,0", "plughw:CARD=PCH,DEV=0" or "hw:Loopback,1,2". Unstated parts are nil, as are all of
/// them for names such as "default".
struct KernelDeviceName: Equatable {
    var card: Int32?
    var device: Int?
    var subdevice: Int?

    init(_ name: String) {
        guard let colon = name.firstIndex(of: ":") else { return }
        let parts = name[name.index(after: colon)...].split(separator: ",", omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            let pair = part.split(separator: "=", maxSplits: 1)
            let key = pair.count == 2 ? String(pair[0]) : ["CARD", "DEV", "SUBDEV"][min(index, 2)]
            guard let value = pair.last.map(String.init) else { continue }
            switch key {
            case "CARD":
                let number = snd_card_get_index(value)
                card = number < 0 ? nil : number
            case "DEV": device = Int(value)
            case "SUBDEV": subdevice = Int(value)
            default: break
            }
        }
    }
}
