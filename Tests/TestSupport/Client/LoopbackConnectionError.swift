// SPDX-License-Identifier: MIT

/// The reason why a connection delivered less than a test required.
public enum LoopbackConnectionError: Error, Hashable, Sendable {
    /// The server closed the connection; these bytes had come and had not been taken.
    case closed(received: [UInt8])
    /// The server reset the connection.
    case reset
    /// The connection failed, for example in the TLS handshake.
    case failed(reason: String)
}

extension LoopbackConnectionError: CustomStringConvertible {
    /// The failure, with the bytes received so far as text.
    public var description: String {
        switch self {
        case .closed(let received): "closed after \(String(decoding: received, as: UTF8.self).debugDescription)"
        case .reset: "reset"
        case .failed(let reason): "failed: \(reason)"
        }
    }
}
