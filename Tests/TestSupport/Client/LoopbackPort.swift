// SPDX-License-Identifier: MIT

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A port of 127.0.0.1 on which no server responds, reserved for as long as this object lives.
///
/// ```swift
/// let down = try LoopbackPort(.refusing)
/// await #expect(throws: ClientError.self) { try await client.get(down.url) }
/// ```
public final class LoopbackPort: Sendable {
    /// The treatment of a client that connects.
    public enum Behavior: Sendable {
        /// It is refused at once: nothing listens.
        case refusing
        /// It gets no reply until it gives up: the queue of connections is full and none is accepted.
        case unanswering
    }

    /// Why a port could not be had.
    public struct Failure: Error, CustomStringConvertible {
        /// The call that failed.
        public let call: String
        /// The system's error number.
        public let number: CInt

        /// The call and the error number.
        public var description: String {
            "\(call) failed with error \(number)"
        }
    }

    /// The port's number.
    public let number: Int
    private let sockets: [CInt]

    /// The address that a client would use, for example `http://127.0.0.1:49152`.
    public var url: String {
        "http://127.0.0.1:\(number)"
    }

    /// Takes a free port.
    ///
    /// - Parameter behavior: The treatment of a client that connects.
    /// - Throws: ``Failure`` when the system gives none.
    public init(_ behavior: Behavior) throws {
        let bound = try Self.makeSocket()
        var sockets = [bound]
        do {
            var address = try Self.bind(bound)
            if case .unanswering = behavior {
                try Self.check(listen(bound, 0), "listen")
                var isFull = false
                while !isFull {
                    let client = try Self.makeSocket()
                    sockets.append(client)
                    isFull = !Self.connect(client, to: &address)
                }
            }
            number = Int(UInt16(bigEndian: address.sin_port))
            self.sockets = sockets
        } catch {
            Self.close(sockets)
            throw error
        }
    }

    deinit {
        Self.close(sockets)
    }

    private static func makeSocket() throws -> CInt {
        #if canImport(Glibc)
        let kind = CInt(SOCK_STREAM.rawValue)
        #else
        let kind = SOCK_STREAM
        #endif
        return try check(socket(AF_INET, kind, 0), "socket")
    }

    /// Binds a socket to a free port and returns the address it has got.
    private static func bind(_ descriptor: CInt) throws -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr = in_addr(s_addr: in_addr_t(0x7F00_0001).bigEndian)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        try unsafe withUnsafeMutablePointer(to: &address) { pointer in
            try unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                #if canImport(Darwin)
                try check(unsafe Darwin.bind(descriptor, pointer, size), "bind")
                #elseif canImport(Glibc)
                try check(unsafe Glibc.bind(descriptor, pointer, size), "bind")
                #else
                try check(unsafe Musl.bind(descriptor, pointer, size), "bind")
                #endif
                try check(unsafe getsockname(descriptor, pointer, &size), "getsockname")
            }
        }
        return address
    }

    /// Connects a client, and tells whether the queue had room for it.
    private static func connect(_ descriptor: CInt, to address: inout sockaddr_in) -> Bool {
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                #if canImport(Darwin)
                unsafe Darwin.connect(descriptor, pointer, size)
                #elseif canImport(Glibc)
                unsafe Glibc.connect(descriptor, pointer, size)
                #else
                unsafe Musl.connect(descriptor, pointer, size)
                #endif
            }
        }
        // A connection to this machine is made at once or, with the queue full, not at all.
        var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return unsafe poll(&waiting, 1, 100) > 0
    }

    @discardableResult
    private static func check(_ result: CInt, _ call: String) throws -> CInt {
        guard result >= 0 else {
            throw Failure(call: call, number: errno)
        }
        return result
    }

    private static func close(_ sockets: [CInt]) {
        for socket in sockets {
            #if canImport(Darwin)
            _ = Darwin.close(socket)
            #elseif canImport(Glibc)
            _ = Glibc.close(socket)
            #else
            _ = Musl.close(socket)
            #endif
        }
    }
}
