// SPDX-License-Identifier: MIT

/// The place within the extensions of a chunk (RFC 9112, section 7.1.1).
///
/// ```text
/// chunk-ext = *( BWS ";" BWS token [ BWS "=" BWS ( token / quoted-string ) ] )
/// ```
///
/// White space stands only where the grammar has it: behind the last extension, or behind a size without one, it is
/// refused, as it has been used to smuggle requests.
enum ChunkExtension {
    case nameStart
    case name
    case afterName
    case valueStart
    case value
    case quoted
    case escaped
    case afterQuoted
    /// Behind white space that a semicolon must follow.
    case afterValue

    /// Returns the place behind a byte; `nil` if the byte ends the extensions.
    func next(_ byte: UInt8) throws(ResponseDefect) -> ChunkExtension? {
        switch (self, byte) {
        case (.name, .carriageReturn), (.value, .carriageReturn), (.afterQuoted, .carriageReturn): return nil
        case (.name, UInt8(ascii: ";")), (.value, UInt8(ascii: ";")), (.afterQuoted, UInt8(ascii: ";")),
            (.afterName, UInt8(ascii: ";")), (.afterValue, UInt8(ascii: ";")):
            return .nameStart
        case (.nameStart, .space), (.nameStart, .tab): return .nameStart
        case (.name, .space), (.name, .tab), (.afterName, .space), (.afterName, .tab): return .afterName
        case (.valueStart, .space), (.valueStart, .tab): return .valueStart
        case (.value, .space), (.value, .tab), (.afterQuoted, .space), (.afterQuoted, .tab),
            (.afterValue, .space), (.afterValue, .tab):
            return .afterValue
        case (.nameStart, _) where byte.isToken, (.name, _) where byte.isToken: return .name
        case (.name, UInt8(ascii: "=")), (.afterName, UInt8(ascii: "=")): return .valueStart
        case (.valueStart, UInt8(ascii: "\"")): return .quoted
        case (.valueStart, _) where byte.isToken, (.value, _) where byte.isToken: return .value
        case (.quoted, UInt8(ascii: "\"")): return .afterQuoted
        case (.quoted, UInt8(ascii: "\\")): return .escaped
        case (.quoted, _) where byte.isFieldContent, (.escaped, _) where byte.isFieldContent: return .quoted
        default: throw .chunkExtension
        }
    }
}
