// SPDX-License-Identifier: MIT

/// The rule of HTTP/2 that a server breaks, so that its connection cannot be used any longer (RFC 9113, section 5.4.1).
package enum HTTP2Defect: Error, Hashable, CaseIterable {
    /// A frame is longer than allowed, or has another length than its type demands (section 4.2).
    case frameSize
    /// The padding of a frame is longer than the frame (section 6.1).
    case padding
    /// A frame belongs to a stream that its type may not belong to, or that nobody opened (section 5.1).
    case streamIdentifier
    /// The first frame is not SETTINGS (section 3.4).
    case missingSettings
    /// A setting has a value out of range (section 6.5.2).
    case settingValue
    /// A block of fields is interrupted by another frame, or continued without having begun (section 6.10).
    case interruptedBlock
    /// A block of fields cannot be decompressed (section 4.3).
    case compression
    /// A block of fields has more bytes or more frames than the limits allow.
    case blockTooLarge
    /// The server sent more than the windows allow, or lets a window grow beyond 2^31 - 1 (section 6.9).
    case flowControl
    /// A window grows by nothing (section 6.9).
    case windowIncrement
    /// Bytes of a body come on a stream that has ended (section 5.1).
    case closedStream
    /// A stream was promised although that is switched off (section 8.4).
    case push
    /// Too many frames came that carry no response (section 10.5).
    case flood

    /// The code that tells the server.
    var code: HTTP2Reason {
        switch self {
        case .frameSize: .frameSize
        case .compression: .compression
        case .flowControl: .flowControl
        case .closedStream: .streamClosed
        case .blockTooLarge, .flood: .enhanceYourCalm
        case .padding, .streamIdentifier, .missingSettings, .settingValue, .windowIncrement, .interruptedBlock, .push:
            .protocolError
        }
    }
}

extension HTTP2Defect: CustomStringConvertible {
    /// The rule in words.
    package var description: String {
        switch self {
        case .frameSize: "a frame has a size that its type may not have"
        case .padding: "the padding of a frame is longer than the frame"
        case .streamIdentifier: "a frame belongs to a stream that nobody opened"
        case .missingSettings: "its first frame is not SETTINGS"
        case .settingValue: "a setting is out of range"
        case .interruptedBlock: "a block of fields is interrupted"
        case .compression: "a block of fields cannot be decompressed"
        case .blockTooLarge: "a block of fields is too large"
        case .flowControl: "it exceeds a window of flow control"
        case .windowIncrement: "it enlarges a window of flow control by nothing"
        case .closedStream: "a body goes on behind its end"
        case .push: "it promises a stream although that is switched off"
        case .flood: "it sends too many frames that carry no response"
        }
    }
}
