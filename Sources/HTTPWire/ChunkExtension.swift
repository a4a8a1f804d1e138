// SPDX-License-Identifier: MIT

/// The place within the extensions of a chunk (RFC 9112, section 7.1.1).
///
/// ```text
/// chunk-ext = *( ";" token [ "=" ( token / quoted-string ) ] )
/// ```
///
/// The white space that the RFC lets recipients remove is refused, as it has been used to smuggle requests.
enum ChunkExtension {
    case nameStart
    case name
    case valueStart
    case value
    case quoted
    case escaped
    case afterQuoted

    /// Returns the place behind a byte; `nil` if the byte ends the extensions.
    func next(_ byte: UInt8) throws(ResponseDefect) -> ChunkExtension? {
        switch (self, byte) {
        case (.name, .carriageReturn), (.value, .carriageReturn), (.afterQuoted, .carriageReturn): return nil
        case (.name, UInt8(ascii: ";")), (.value, UInt8(ascii: ";")), (.afterQuoted, UInt8(ascii: ";")):
            return .nameStart
        case (.nameStart, _) where byte.isToken, (.name, _) where byte.isToken: return .name
        case (.name, UInt8(ascii: "=")): return .valueStart
        case (.valueStart, UInt8(ascii: "\"")): return .quoted
        case (.valueStart, _) where byte.isToken, (.value, _) where byte.isToken: return .value
        case (.quoted, UInt8(ascii: "\"")): return .afterQuoted
        case (.quoted, UInt8(ascii: "\\")): return .escaped
        case (.quoted, _) where byte.isFieldContent, (.escaped, _) where byte.isFieldContent: return .quoted
        default: throw .chunkExtension
        }
    }
}
