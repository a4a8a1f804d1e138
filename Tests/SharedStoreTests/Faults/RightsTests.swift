// SPDX-License-Identifier: MIT

import Foundation
import SharedStore
import Testing

/// Files and folders that this user may not use.
///
/// Root may use them all, so another process opens the store, which gives up being root first.
@Suite(
    .timeLimit(.minutes(5)),
    .enabled(if: HelperProcess.executable != nil, "SharedStoreCrashHelper was not built")
)
struct RightsTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private static let stores = ["cache", "shared"]

    /// Opens a store as a user without rights; returns the error's code, or "opened".
    private func open(_ store: String, _ file: URL) throws -> String? {
        let helper = try HelperProcess("open-\(store)", file)
        return helper.line()
    }

    private func restrict(_ url: URL, to permissions: Int) throws {
        try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: url.path)
    }

    @Test(arguments: stores)
    func `a folder that may be written is accepted`(_ store: String) throws {
        try restrict(folder.url, to: 0o777)

        #expect(try open(store, folder.file()) == "opened")
    }

    @Test(arguments: stores)
    func `a folder without rights is an error`(_ store: String) throws {
        try restrict(folder.url, to: 0o555)
        defer { try? restrict(folder.url, to: 0o700) }

        #expect(try open(store, folder.file()) == "permissionDenied")
        #expect(try open(store, folder.url.appending(path: "a/store.sqlite")) == "cannotCreateDirectory")
    }

    @Test(arguments: stores)
    func `a file without rights is an error and is left alone`(_ store: String) throws {
        try restrict(folder.url, to: 0o777)
        #expect(try open(store, folder.file()) == "opened")
        let content = try Data(contentsOf: folder.file())
        try restrict(folder.file(), to: 0)
        defer { try? restrict(folder.file(), to: 0o600) }

        #expect(try open(store, folder.file()) == "permissionDenied")
        try restrict(folder.file(), to: 0o600)
        #expect(try Data(contentsOf: folder.file()) == content)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["store.sqlite"])
    }

    @Test(arguments: stores)
    func `a store in a folder that cannot be written can be opened`(_ store: String) throws {
        try restrict(folder.url, to: 0o777)
        #expect(try open(store, folder.file()) == "opened")
        try restrict(folder.file(), to: 0o444)
        try restrict(folder.url, to: 0o555)
        defer { try? restrict(folder.url, to: 0o700) }
        let content = try Data(contentsOf: folder.file())

        #expect(try open(store, folder.file()) == "opened")
        #expect(try Data(contentsOf: folder.file()) == content)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["store.sqlite"])
    }

    @Test(arguments: ["read-shared", "attach-shared"])
    func `a store in a folder that cannot be written can be read, and a write is an error`(_ role: String) throws {
        let key = SharedKey<Int>("count")
        // A name that a URI would misread.
        let file = folder.file("a?b#c%20 d.sqlite")
        let owner = try SharedData(file: file)
        try owner.set(1, for: key)
        owner.close()
        try restrict(file, to: 0o644)
        try restrict(folder.url, to: 0o555)
        defer { try? restrict(folder.url, to: 0o700) }

        let reader = try HelperProcess(role, file)
        #expect(reader.line() == "1")
        #expect(try HelperProcess("write-shared", file).line() == "readOnly")

        // Changes by those who may write are seen, while they have the store open and afterwards.
        let second = try SharedData(file: file)
        try second.set(2, for: key)
        reader.ask()
        #expect(reader.line() == "2")
        second.close()
        let third = try SharedData(file: file)
        try third.set(3, for: key)
        third.close()
        reader.ask()
        #expect(reader.line() == "3")
    }

    @Test
    func `a file that may only be read can be read, and a write is an error`() throws {
        try restrict(folder.url, to: 0o777)
        #expect(try open("shared", folder.file()) == "opened")
        let content = try Data(contentsOf: folder.file())
        try restrict(folder.file(), to: 0o444)
        defer { try? restrict(folder.file(), to: 0o600) }

        #expect(try open("shared", folder.file()) == "opened")
        let helper = try HelperProcess("write-shared", folder.file())
        #expect(helper.line() == "readOnly")
        #expect(try Data(contentsOf: folder.file()) == content)
    }
}
