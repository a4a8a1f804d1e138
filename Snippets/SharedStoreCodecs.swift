// SPDX-License-Identifier: MIT

// snippet.hide
import Foundation
import SharedStore

let folder = FileManager.default.temporaryDirectory.appending(path: "SharedStoreCodecs-\(UUID().uuidString)")
defer { try? FileManager.default.removeItem(at: folder) }
let elsewhere = folder.appending(path: "elsewhere")
struct Session: Codable, Sendable { var token: String }
enum Keychain {
    static let kept = SealingKey.generate()
    static func bytes(for name: String) throws -> Data { try kept.withBytes { $0 } }
}
// snippet.show
let key = SealingKey { try Keychain.bytes(for: "store") }

let report = SharedKey<String>("report", codec: .gzip(level: 9))
let session = SharedKey<Session>("session", codec: .gzipSealed(key))

let data = try SharedData(file: folder.appending(path: "shared.sqlite"))
try data.set(Session(token: "secret"), for: session)

// Later: a new key seals, the old one still opens, and everything is sealed again in the background.
let newKey = SealingKey.generate()
let rotated = SharedKey<Session>("session", codec: .gzipSealed(newKey, previous: [key]))
let token = try data.value(for: rotated)?.token
let result = try await data.reseal(with: .gzipSealed(newKey, previous: [key]))
if result.unreadable.isEmpty { print("the old key is of no use any more") }

// Marks in another place detect an older copy of the file, or of a value.
let marks = try RollbackGuard.file(elsewhere.appending(path: "marks.sqlite"), key: key)
let licence = SharedKey<String>("licence", codec: .sealed(key), rollbackGuard: marks)
try data.set("expired", for: licence)

// A codec of your own.
let reversed = StorageCodec(
    "example.reversed",
    encode: { data, _ in Data(data.reversed()) },
    decode: { data, _ in Data(data.reversed()) }
)
let mirrored = SharedKey<String>("mirrored", codec: reversed)
// snippet.hide
try data.set("text", for: report)
try data.set("text", for: mirrored)
print(token ?? "none", try data.value(for: mirrored) ?? "none")
data.close()
