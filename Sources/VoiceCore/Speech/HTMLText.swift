/// The words of a piece of HTML that stands in a reply.
enum HTMLText {
    /// Without tags; nothing of scripts, styles, comments and declarations.
    static func text(of html: String) -> String {
        let start = html.drop(while: \.isWhitespace).prefix(8).lowercased()
        for silent in ["<script", "<style", "<!", "<?"] where start.hasPrefix(silent) { return "" }
        var result = ""
        var isInTag = false
        for character in html {
            switch character {
            case "<":
                isInTag = true
            case ">" where isInTag:
                isInTag = false
                result += " "
            default:
                if !isInTag { result.append(character) }
            }
        }
        return result
    }
}
