// SPDX-License-Identifier: MIT

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Writes to the standard streams: each piece whole, one after the other.
actor Output {
    static let standard = Output()

    /// Writes a line to standard error.
    static func error(_ line: String) {
        write(Data((line + "\n").utf8), to: STDERR_FILENO)
    }

    /// Writes bytes to standard output, and returns when they are written.
    func write(_ bytes: Data) {
        Self.write(bytes, to: STDOUT_FILENO)
    }

    /// Writes a line to standard output.
    func write(_ line: OutputLine) {
        write(line.bytes)
    }

    private static func write(_ bytes: Data, to descriptor: CInt) {
        bytes.withUnsafeBytes { buffer in
            var rest = buffer[...]
            while !rest.isEmpty {
                let count = UnsafeRawBufferPointer(rebasing: rest)
                    .withMemoryRebound(to: UInt8.self) {
                        #if canImport(Glibc)
                        Glibc.write(descriptor, $0.baseAddress, $0.count)
                        #elseif canImport(Musl)
                        Musl.write(descriptor, $0.baseAddress, $0.count)
                        #else
                        Darwin.write(descriptor, $0.baseAddress, $0.count)
                        #endif
                    }
                if count > 0 {
                    rest = rest.dropFirst(count)
                } else if errno != EINTR {
                    return
                }
            }
        }
    }
}
