internal import CQREncode

package enum QRCode {
    /// The QR code of a text for a dark terminal, two rows of modules to a line, with its margin; nil without libqrencode.
    package static func drawn(_ text: String) -> String? {
        var modules = [UInt8](repeating: 0, count: 177 * 177)
        let width = cqrencode_modules(text, &modules, modules.count)
        guard width > 0 else { return nil }
        func isLight(_ column: Int, _ row: Int) -> Bool {
            guard 0..<width ~= column, 0..<width ~= row else { return true }
            return modules[row * width + column] == 0
        }
        var lines = ""
        for row in stride(from: -2, to: width + 2, by: 2) {
            for column in -2..<width + 2 {
                switch (isLight(column, row), isLight(column, row + 1)) {
                case (true, true): lines += "\u{2588}"
                case (true, false): lines += "\u{2580}"
                case (false, true): lines += "\u{2584}"
                case (false, false): lines += " "
                }
            }
            lines += "\n"
        }
        return lines
    }
}
