// SPDX-License-Identifier: MIT

import Foundation

/// A file for each entry, written beside its place and renamed into it.
struct FilePerEntry: Sendable {
    private let folder: String

    init(folder: URL) throws {
        self.folder = folder.appending(path: "files").path
        for part in 0..<256 {
            try FileManager.default.createDirectory(
                atPath: "\(self.folder)/\(part)",
                withIntermediateDirectories: true
            )
        }
        for number in 0..<Rows.count { put(number, Rows.body(number, generation: 0)) }
    }

    private func path(_ number: Int) -> String {
        "\(folder)/\(number & 255)/\(number)"
    }

    func value(_ number: Int) -> Data? {
        let descriptor = open(path(number), O_RDONLY)
        guard descriptor >= 0 else {
            return nil
        }
        defer { close(descriptor) }
        var information = stat()
        guard fstat(descriptor, &information) == 0 else {
            return nil
        }
        var data = Data(count: Int(information.st_size))
        let count = data.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
        return count == data.count ? data : nil
    }

    func put(_ number: Int, _ value: Data) {
        let path = path(number)
        let descriptor = open(path + ".new", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        let count = value.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        close(descriptor)
        let renamed = rename(path + ".new", path)
        expect(count == value.count && renamed == 0)
    }
}
