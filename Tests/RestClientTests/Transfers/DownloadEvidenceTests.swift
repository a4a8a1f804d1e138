// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import Testing

@testable import RestClient

/// Responses that are not what they should be: the file is whole and of one version, and no refusal comes twice.
@Suite
struct DownloadEvidenceTests {
    /// A response to the request for the bytes from 4 on, of a file of ten bytes with a strong validator.
    struct Reply: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var status = 200
        var headers: HTTPFields
    }

    private typealias Machine = DownloadStateMachine

    private let now = Date(timeIntervalSince1970: 784_111_777)

    private func state(_ count: Int64, of total: Int64?) -> DownloadState {
        var state = DownloadState()
        state.validator = "\"v1\""
        state.total = total
        state.received = ByteRanges([0..<count])
        return state
    }

    private func texts(_ actions: [Machine.Action]) -> [String] {
        actions.map { action in
            switch action {
            case .send(let request): "\(request.id): " + (request.headers[.range] ?? "all")
            case .cancel(let id): "cancel \(id)"
            case .truncate: "truncate"
            case .finish(let length, _): "finish \(length)"
            case .pause: "pause"
            case .fail(let error): "fail \(error.code)"
            }
        }
    }

    private static let same: HTTPFields = [.eTag: "\"v1\""]

    private static func fields(_ change: [HTTPField.Name: String], _ base: HTTPFields = same) -> HTTPFields {
        change.reduce(into: base) { $0[$1.key] = $1.value }
    }

    /// Responses whose content is not, or cannot be told to be, the whole file or the missing part of it.
    static let unusable: [Reply] = [
        Reply(
            testDescription: "200 with the range of a part",
            headers: fields([.contentRange: "bytes 4-9/10", .contentLength: "6"])
        ),
        Reply(
            testDescription: "200 of another version with the range of a part",
            headers: [.eTag: "\"v2\"", .contentRange: "bytes 4-9/10", .contentLength: "6"]
        ),
        Reply(testDescription: "200 with a range without a total", headers: fields([.contentRange: "bytes 0-9/*"])),
        Reply(
            testDescription: "200 with a range that its length contradicts",
            headers: fields([.contentRange: "bytes 0-9/10", .contentLength: "6"])
        ),
        Reply(testDescription: "200 with a malformed range", headers: fields([.contentRange: "4-9"])),
        Reply(testDescription: "200 of the same version, shorter", headers: fields([.contentLength: "6"])),
        Reply(testDescription: "200 of the same version, longer", headers: fields([.contentLength: "14"])),
        Reply(testDescription: "200 without a validator, shorter", headers: [.contentLength: "6"]),
        Reply(testDescription: "200 without a validator or a length", headers: [:]),
        Reply(testDescription: "200 with a weak validator", headers: [.eTag: "W/\"v1\"", .contentLength: "6"]),
        Reply(
            testDescription: "200 of several parts",
            headers: [.eTag: "\"v2\"", .contentType: "Multipart/ByteRanges; boundary=x"]
        ),
        Reply(testDescription: "200 with a content coding", headers: fields([.contentEncoding: "gzip"])),
        Reply(testDescription: "206 without a range", status: 206, headers: same),
        Reply(testDescription: "206 of other units", status: 206, headers: fields([.contentRange: "items 4-9/10"])),
        Reply(testDescription: "206 of no bytes", status: 206, headers: fields([.contentRange: "bytes */10"])),
        Reply(testDescription: "206 without a total sign", status: 206, headers: fields([.contentRange: "bytes 4-9"])),
        Reply(testDescription: "206 backwards", status: 206, headers: fields([.contentRange: "bytes 9-4/10"])),
        Reply(testDescription: "206 behind the gap", status: 206, headers: fields([.contentRange: "bytes 5-9/10"])),
        Reply(testDescription: "206 before the gap", status: 206, headers: fields([.contentRange: "bytes 0-3/10"])),
        Reply(testDescription: "206 beyond the end", status: 206, headers: fields([.contentRange: "bytes 4-12/10"])),
        Reply(
            testDescription: "206 longer than the file",
            status: 206,
            headers: fields([.contentRange: "bytes 4-12/*"])
        ),
        Reply(
            testDescription: "206 with another length",
            status: 206,
            headers: fields([.contentRange: "bytes 4-9/10", .contentLength: "7"])
        ),
        Reply(
            testDescription: "206 of several parts",
            status: 206,
            headers: fields([.contentRange: "bytes 4-9/10", .contentType: "multipart/byteranges; boundary=x"])
        ),
        Reply(
            testDescription: "206 of another version",
            status: 206,
            headers: [.eTag: "\"v2\"", .contentRange: "bytes 4-9/10"]
        ),
        Reply(
            testDescription: "206 with a content coding",
            status: 206,
            headers: fields([.contentRange: "bytes 4-9/10", .contentEncoding: "gzip"])
        ),
        Reply(testDescription: "204", status: 204, headers: same),
        Reply(testDescription: "205", status: 205, headers: same),
        Reply(testDescription: "304", status: 304, headers: same),
        Reply(testDescription: "412", status: 412, headers: [:]),
        Reply(testDescription: "416 of a longer file", status: 416, headers: fields([.contentRange: "bytes */10"])),
        Reply(testDescription: "416 of a shorter file", status: 416, headers: fields([.contentRange: "bytes */4"])),
        Reply(testDescription: "416 without a range", status: 416, headers: [:]),
    ]

    @Test(arguments: unusable)
    func `a response to a resume that cannot be used is followed by a request for the whole file`(reply: Reply) {
        var machine = Machine(state: state(4, of: 10))
        #expect(texts(machine.start()) == ["1: bytes=4-"])

        let actions = machine.responded(reply.status, reply.headers, to: 1, now: now)

        #expect(texts(actions) == ["cancel 1", "truncate", "2: all"])
        #expect(machine.state == DownloadState())
        // The length of the whole file is what a response to a request for it says.
        #expect(machine.responded(200, [.contentLength: "6", .eTag: "\"v1\""], to: 2, now: now).isEmpty)
        _ = machine.received(6, from: 2)
        #expect(texts(machine.ended(2)) == ["finish 6"])
    }

    @Test
    func `a whole file of the same version has the length that is known, also if the response has none`() {
        var machine = Machine(state: state(4, of: 10))
        _ = machine.start()

        #expect(texts(machine.responded(200, Self.same, to: 1, now: now)) == ["truncate"])
        _ = machine.received(6, from: 1)

        #expect(texts(machine.ended(1)) == ["pause"])
    }

    @Test
    func `a 200 to a resume is not taken for the whole file if the total was never known`() {
        var machine = Machine(state: state(4, of: nil))
        _ = machine.start()

        let actions = machine.responded(200, [.eTag: "\"v1\"", .contentLength: "6"], to: 1, now: now)

        #expect(texts(actions) == ["cancel 1", "truncate", "2: all"])
    }

    @Test
    func `a first range that comes as a 200 of just its length is asked for as a whole`() {
        var policy = DownloadPolicy()
        policy.connections = 2
        policy.minimumRange = 4
        var machine = Machine(policy)
        #expect(texts(machine.start()) == ["truncate", "1: bytes=0-3"])

        let actions = machine.responded(200, [.contentLength: "4", .eTag: "\"v1\""], to: 1, now: now)

        #expect(texts(actions) == ["cancel 1", "truncate", "2: all"])
    }

    @Test(arguments: ["bytes 4-9/10", "bytes 0-5/10", "bytes 0-9/*", "items 0-9/10", "bytes */10"])
    func `a 200 that says it is a part of the file fails a request for the whole one`(range: String) {
        var machine = Machine()
        _ = machine.start()

        let actions = machine.responded(200, [.contentRange: range, .eTag: "\"v1\""], to: 1, now: now)

        #expect(texts(actions) == ["cancel 1", "fail malformedResponse"])
        #expect(machine.state == DownloadState())
    }

    @Test
    func `a range that covers the whole file is no evidence against it`() {
        var machine = Machine()
        _ = machine.start()

        #expect(
            machine.responded(200, [.contentRange: "bytes 0-9/10", .contentLength: "10"], to: 1, now: now).isEmpty
        )
    }

    @Test
    func `a whole file that is longer than the same version was leaves nothing behind`() {
        var machine = Machine(state: state(4, of: 10))
        _ = machine.start()
        _ = machine.responded(200, Self.same, to: 1, now: now)

        guard case .drop(let actions) = machine.received(11, from: 1) else {
            Issue.record("the bytes are written")
            return
        }

        #expect(texts(actions) == ["cancel 1", "fail malformedResponse"])
        #expect(machine.state == DownloadState())
    }

    @Test(arguments: [204, 304, 412])
    func `a refusal of a request for the whole file is left to the retries`(status: Int) {
        var machine = Machine()
        _ = machine.start()

        #expect(texts(machine.responded(status, [:], to: 1, now: now)) == ["cancel 1", "pause"])
    }

    @Test(arguments: [400, 405, 406, 409, 422, 431, 501, 505])
    func `a request that is refused for its range is sent again without one`(status: Int) {
        var machine = Machine(DownloadPolicy(), state: state(4, of: 10))
        #expect(texts(machine.start()) == ["1: bytes=4-"])
        let error = RestClientError(.unacceptableStatus, "", response: RawResponse(status: .init(code: status)))

        #expect(texts(machine.ended(1, error)) == ["cancel 1", "truncate", "2: all"])
        // Without a range, the status is that of the download.
        #expect(texts(machine.ended(2, error)) == ["pause"])
    }

    @Test
    func `a part that begins with surplus is loaded as a whole`() {
        var machine = Machine(DownloadPolicy(), state: state(4, of: 10))
        _ = machine.start()
        let part = Self.fields([.contentRange: "bytes 4-9/10"])
        #expect(texts(machine.responded(206, part, to: 1, now: now)) == [])

        guard case .drop(let actions) = machine.received(7, from: 1) else {
            Issue.record("surplus was kept")
            return
        }
        #expect(texts(actions) == ["cancel 1", "truncate", "2: all"])
    }
}
