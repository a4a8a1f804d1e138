// SPDX-License-Identifier: MIT

import Foundation

/// Inputs to begin from: valid ones, ones that were once a problem, and ones that look dangerous.
///
/// Add an input here whenever one is found that behaves badly; the fuzz suite runs each as it is and changed.
enum FuzzCorpus {
    /// Envelopes of shared values, in hexadecimal.
    static let envelopes: [Data] = [
        // "identity", JSON 1, schema 1.
        "53d7010001000000086964656e7469747931",
        // "gzip", JSON "hello".
        "53d70100010000000 4677a6970 1f8b0800000000000003 cb48cdc9c907008 6a6103605000000",
        // "identity", bytes.
        "53d7010101000000086964656e7469747900ff",
        // No payload.
        "53d7010001000000086964656e74697479",
        // Schema version 2³² - 1.
        "53d70100ffffffff086964656e7469747931",
        // The longest identifier announced, none there.
        "53d701000100000040",
        // An identifier longer than allowed.
        "53d7010001000000ff",
        // An identifier that is no UTF-8.
        "53d70100010000000 3ff80c0",
        // Sealed, with nothing that could be sealed.
        "53d7010001000000067365616c6564",
        // Sealed, zeros of the right length.
        "53d7010001000000067365616c6564" + String(repeating: "00", count: 40),
        "53d7010001000000 0b677a69702b7365616c6564" + String(repeating: "00", count: 64),
        "53d7", "53", "",
        String(repeating: "53d701", count: 20),
    ]
    .map { Data(hex: $0) }

    /// Compressed streams, in hexadecimal.
    static let streams: [Data] = [
        // "hello" as gzip with a name, as zlib and raw.
        "1f8b0808d202496700036100cb48cdc9c9070086a6103605000000",
        "789ccb48cdc9c90700062c0215",
        "cb48cdc9c90700",
        // Empty streams.
        "1f8b080000000000000303000000000000000000",
        "789c030000000001",
        "0300",
        // Gzip headers that announce extra fields, a name, a comment and a checksum that never end.
        "1f8b08ff00000000000 3ffff",
        "1f8b080800000000000341414141",
        // A trailer that claims 4 GiB.
        "1f8b0808d202496700036100cb48cdc9c9070086a61036ffffffff",
        // Reserved method, reserved flags, a preset dictionary.
        "1f8b070000000000000303000000000000000000",
        "1f8b08e000000000000303000000000000000000",
        "78bb00000001cb48cdc9c90700",
        // A stored block of 65,535 bytes that are not there, a block of the reserved type.
        "01ffff0000",
        "0700",
        // Distances beyond the beginning.
        "4b04820000",
        // Two members, the second one cut.
        "1f8b0800000000000003030000000000000000001f8b08",
    ]
    .map { Data(hex: $0) }
}
