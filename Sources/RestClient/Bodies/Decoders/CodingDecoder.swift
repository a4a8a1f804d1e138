// SPDX-License-Identifier: MIT

import RestEssentials
import SharedStore

/// Removes one content coding from bytes that arrive in pieces.
///
/// Limits are not its task: it returns output in pieces of a bounded size, so that its reader can count them before
/// forged input fills the memory.
protocol CodingDecoder: AnyObject {
    /// Decodes bytes from the front of the input, and removes them from it; returns the next output.
    ///
    /// It is empty if more input is needed. The rest of the input then comes again, with more.
    func decode(_ input: inout Data) throws(StoreError) -> Data

    func finish(_ rest: Data) throws(StoreError)

    func decode(whole input: Data, limit: Int) throws(StoreError) -> Data
}

extension CodingDecoder {
    func decode(whole input: Data, limit: Int) throws(StoreError) -> Data {
        var input = input
        var output = Data()
        while true {
            let piece = try decode(&input)
            guard !piece.isEmpty else {
                try finish(input)
                return output
            }
            guard piece.count <= limit - output.count else {
                throw StoreError(.limitExceeded, "the data decodes to more than \(limit) bytes")
            }
            output.append(piece)
        }
    }
}
