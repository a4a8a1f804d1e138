// SPDX-License-Identifier: MIT

/// The rule of HTTP that a response breaks.
///
/// No byte of such a response is handed over, and its connection is closed: two parties that read one message in two
/// ways are how responses are smuggled.
package enum ResponseDefect: Error, Hashable, CaseIterable {
    /// The first line is not `HTTP/1.1 200 OK` or the like (RFC 9112, section 4).
    case statusLine
    /// The version is neither 1.0 nor 1.1.
    case version
    /// The status is below 100 (RFC 9110, section 15).
    case status
    /// A field has no name, or one with a character that no name may have; white space before the colon counts as one
    /// (RFC 9112, section 5.1).
    case fieldName
    /// The value of a field has a control character, such as NUL or a CR without its LF (RFC 9110, section 5.5), or
    /// more combining marks in a row than any text needs.
    case fieldValue
    /// White space precedes the first field (RFC 9112, section 2.2), or a field that frames the message is continued on
    /// another line, about which readers differ (section 5.2).
    case foldedLine
    /// A line does not end in CR and LF.
    case lineEnd
    /// The head has more bytes or more fields than the limits allow.
    case headTooLarge
    /// `Content-Length` is not a number, or exceeds the range of `Int` (RFC 9110, section 8.6).
    case contentLength
    /// `Content-Length` comes with two values, or beside `Transfer-Encoding` (RFC 9112, section 6.3).
    case conflictingLengths
    /// The transfer codings are anything but `chunked`, once and alone (RFC 9112, section 6.1).
    case transferCoding
    /// More interim responses came than the limit allows.
    case tooManyInterimResponses
    /// An interim response says that the connection is closed behind it.
    case closedByInterimResponse
    /// The server changes protocols without having been asked to (RFC 9110, section 15.2.2).
    case unexpectedUpgrade
    /// The size of a chunk is not a number, or exceeds the range of `Int` (RFC 9112, section 7.1).
    case chunkSize
    /// The extensions of a chunk are malformed, or longer than the limit allows (RFC 9112, section 7.1.1).
    case chunkExtension
    /// The data of a chunk does not end where its size says.
    case chunkEnd
    /// The trailers have a field that frames messages, or more than the limits allow (RFC 9110, section 6.5.1).
    case trailers
    /// `:status` is missing, malformed, or not alone and first among its kind (RFC 9113, section 8.3).
    case pseudoField
    /// A response of HTTP/2 has a field that is for one connection of HTTP/1.1 (RFC 9113, section 8.2.2).
    case connectionField
    /// The body of a response of HTTP/2 has another length than it announces (RFC 9113, section 8.1.1).
    case bodyLength
    /// An interim response of HTTP/2 ends the stream, or a body precedes the head (RFC 9113, section 8.1).
    case order
}

extension ResponseDefect: CustomStringConvertible {
    /// The rule in words.
    package var description: String {
        switch self {
        case .statusLine: "its first line is not a status line of HTTP/1.1"
        case .version: "it has another version than HTTP/1.0 or HTTP/1.1"
        case .status: "its status is below 100"
        case .fieldName: "the name of a field is missing or malformed"
        case .fieldValue: "the value of a field has a control character, or too many combining marks in a row"
        case .foldedLine: "white space precedes its first field, or one that frames it is continued on another line"
        case .lineEnd: "a line does not end in CR and LF"
        case .headTooLarge: "its head is too large"
        case .contentLength: "its Content-Length is not a number in range"
        case .conflictingLengths: "it has more than one length"
        case .transferCoding: "its Transfer-Encoding is not 'chunked' alone"
        case .tooManyInterimResponses: "too many interim responses precede it"
        case .closedByInterimResponse: "an interim response closes the connection before it"
        case .unexpectedUpgrade: "it changes the protocol without having been asked to"
        case .chunkSize: "the size of a chunk is not a number in range"
        case .chunkExtension: "the extension of a chunk is malformed or too long"
        case .chunkEnd: "a chunk does not end where its size says"
        case .trailers: "its trailers frame another message or are too large"
        case .pseudoField: "it has no valid ':status', or another field that begins with a colon"
        case .connectionField: "it has a field that HTTP/2 does not allow"
        case .bodyLength: "its body is longer or shorter than its Content-Length"
        case .order: "its parts come in the wrong order"
        }
    }
}
