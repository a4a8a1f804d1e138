// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import Testing

@testable import RestClient

@Suite
struct DownloadStateMachineTests {
    private struct Cut: Error {}

    private typealias Machine = DownloadStateMachine

    private let now = Date(timeIntervalSince1970: 784_111_777)

    private func texts(_ actions: [Machine.Action]) -> [String] {
        actions.map { action in
            switch action {
            case .send(let request):
                "\(request.id): " + (request.headers[.range] ?? "all")
                    + (request.headers[.ifRange].map { " if \($0)" } ?? "")
            case .cancel(let id): "cancel \(id)"
            case .truncate: "truncate"
            case .finish(let length, let digest):
                "finish \(length)" + (digest.map { " \($0.algorithm.rawValue)" } ?? "")
            case .pause(let error): "pause \((error as? RestClientError)?.code.description ?? "\(type(of: error))")"
            case .fail(let error): "fail \(error.code)"
            }
        }
    }

    private func place(_ placement: Machine.Placement) -> String {
        switch placement {
        case .write(let position): "write \(position)"
        case .drop(let actions): "drop " + texts(actions).joined(separator: ", ")
        }
    }

    /// The state of a file of which the first bytes are there.
    private func state(_ count: Int64, of total: Int64?, _ validator: String? = "\"v1\"") -> DownloadState {
        var state = DownloadState()
        state.validator = validator
        state.total = total
        state.received = ByteRanges([0..<count])
        return state
    }

    private let whole: HTTPFields = [.contentLength: "10", .eTag: "\"v1\""]

    private func part(_ range: String, _ tag: String? = "\"v1\"") -> HTTPFields {
        var headers: HTTPFields = [.contentRange: "bytes \(range)"]
        headers[.eTag] = tag
        return headers
    }

    // MARK: - From the beginning

    @Test
    func `a file comes whole`() {
        var machine = Machine()

        #expect(texts(machine.start()) == ["truncate", "1: all"])
        #expect(machine.responded(200, whole, to: 1, now: now).isEmpty)
        #expect(place(machine.received(4, from: 1)) == "write 0")
        #expect(place(machine.received(6, from: 1)) == "write 4")
        #expect(texts(machine.ended(1)) == ["finish 10"])
        #expect(machine.state.isComplete)
        #expect(texts(machine.start()) == [])
    }

    @Test
    func `the requests decline content codings and ask for a digest`() {
        let request = DownloadRequest(id: 1, start: nil, end: nil, validator: "\"v1\"")

        #expect(request.headers[.acceptEncoding] == "identity")
        #expect(request.headers[.range] == nil)
        #expect(request.headers[.ifRange] == nil)
        #expect(HTTPField.Name("Want-Repr-Digest").flatMap { request.headers[$0] } == "sha-512=10, sha-256=5")
    }

    @Test
    func `a file of unknown length ends with its response`() {
        var machine = Machine()
        _ = machine.start()
        _ = machine.responded(200, [:], to: 1, now: now)
        _ = machine.received(7, from: 1)

        #expect(texts(machine.ended(1)) == ["finish 7"])
    }

    @Test
    func `an empty file is whole`() {
        var machine = Machine()
        _ = machine.start()
        _ = machine.responded(200, [.contentLength: "0"], to: 1, now: now)

        #expect(texts(machine.ended(1)) == ["finish 0"])
    }

    @Test(arguments: ["Repr-Digest", "Content-Digest"])
    func `the server's digest goes along`(field: String) throws {
        let name = try #require(HTTPField.Name(field))
        var headers = whole
        headers[name] = "sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:"
        var machine = Machine()
        _ = machine.start()
        _ = machine.responded(200, headers, to: 1, now: now)
        _ = machine.received(10, from: 1)

        #expect(texts(machine.ended(1)) == ["finish 10 sha-256"])
    }

    @Test
    func `the digest of a part's content says nothing of the file`() throws {
        let name = try #require(HTTPField.Name("Content-Digest"))
        var machine = Machine(state: state(4, of: 10))
        _ = machine.start()
        var headers = part("4-9/10")
        headers[name] = "sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:"
        _ = machine.responded(206, headers, to: 1, now: now)
        _ = machine.received(6, from: 1)

        #expect(texts(machine.ended(1)) == ["finish 10"])
    }

    // MARK: - Going on

    @Test
    func `a cut download goes on with Range and If-Range`() {
        var machine = Machine()
        _ = machine.start()
        _ = machine.responded(200, whole, to: 1, now: now)
        _ = machine.received(4, from: 1)

        #expect(texts(machine.ended(1, Cut())) == ["pause Cut"])
        #expect(machine.state == state(4, of: 10))
        #expect(texts(machine.start()) == ["2: bytes=4- if \"v1\""])
        #expect(texts(machine.responded(206, part("4-9/10"), to: 2, now: now)) == [])
        #expect(place(machine.received(6, from: 2)) == "write 4")
        #expect(texts(machine.ended(2)) == ["finish 10"])
    }

    @Test
    func `a response that ends too early is cut`() {
        var machine = Machine()
        _ = machine.start()
        _ = machine.responded(200, whole, to: 1, now: now)
        _ = machine.received(4, from: 1)

        #expect(texts(machine.ended(1)) == ["pause connectionClosed"])
    }

    @Test
    func `a download goes on in another process`() throws {
        let kept = try JSONEncoder().encode(state(4, of: 10))
        let read = try JSONDecoder().decode(DownloadState.self, from: kept)
        var machine = Machine(state: read.limited(to: 4, of: ""))

        #expect(texts(machine.start()) == ["1: bytes=4- if \"v1\""])
    }

    @Test
    func `what the file does not bear out is loaded again`() {
        var shorter = Machine(state: state(8, of: 10).limited(to: 3, of: ""))
        var gone = Machine(state: state(8, of: 10).limited(to: 0, of: ""))
        var unsafe = Machine(state: state(8, of: 10, nil).limited(to: 8, of: ""))

        #expect(texts(shorter.start()) == ["1: bytes=3- if \"v1\""])
        #expect(texts(gone.start()) == ["truncate", "1: all"])
        #expect(texts(unsafe.start()) == ["truncate", "1: all"])
    }

    @Test
    func `the bytes of another file, or of another form, are not gone on with`() throws {
        var kept = DownloadState(source: "a")
        kept.validator = "\"v1\""
        kept.received = ByteRanges([0..<4])

        let newer = Data(#"{"version":2,"source":"a","validator":"\"v1\"","received":[0,4]}"#.utf8)

        #expect(kept.limited(to: 4, of: "b") == DownloadState(source: "b"))
        #expect(kept.limited(to: 4, of: "a") == kept)
        let read = try JSONDecoder().decode(DownloadState.self, from: newer)
        #expect(read.limited(to: 4, of: "a") == DownloadState(source: "a"))
    }

    @Test
    func `a file that is there is asked for no more`() {
        var machine = Machine(state: state(10, of: 10))

        #expect(texts(machine.start()) == ["finish 10"])
    }

    @Test(
        arguments: [
            (HTTPFields([HTTPField(name: .eTag, value: "\"v1\"")]), "\"v1\""),
            ([.eTag: "W/\"v1\""], nil), ([:], nil), ([.eTag: "\"v1\"", .acceptRanges: "none"], nil),
            ([.eTag: "\"v1\"", .contentEncoding: "gzip"], nil),
            ([.eTag: "\"v1\"", .contentEncoding: "identity"], "\"v1\""),
            (
                [.lastModified: "Sun, 06 Nov 1994 08:49:37 GMT", .date: "Sun, 06 Nov 1994 08:50:37 GMT"],
                "Sun, 06 Nov 1994 08:49:37 GMT"
            ),
            ([.lastModified: "Sun, 06 Nov 1994 08:49:37 GMT", .date: "Sun, 06 Nov 1994 08:49:38 GMT"], nil),
            ([.lastModified: "Sun, 06 Nov 1994 08:49:37 GMT"], nil),
            (
                [
                    .eTag: "W/\"v1\"", .lastModified: "Sun, 06 Nov 1994 08:49:37 GMT",
                    .date: "Sun, 06 Nov 1994 09:49:37 GMT",
                ], nil
            ),
        ] as [(HTTPFields, String?)]
    )
    func `only a strong validator lets a download go on`(headers: HTTPFields, validator: String?) {
        var machine = Machine()
        _ = machine.start()
        _ = machine.responded(200, headers, to: 1, now: now)
        _ = machine.received(4, from: 1)
        _ = machine.ended(1, Cut())

        #expect(machine.state.validator == validator)
        #expect(texts(machine.start()) == (validator.map { ["2: bytes=4- if \($0)"] } ?? ["truncate", "2: all"]))
    }

    @Test
    func `the whole file takes the place of a part, because it is another one`() {
        var machine = Machine(state: state(4, of: 10))
        _ = machine.start()

        #expect(texts(machine.responded(200, [.contentLength: "3", .eTag: "\"v2\""], to: 1, now: now)) == ["truncate"])
        #expect(place(machine.received(3, from: 1)) == "write 0")
        #expect(texts(machine.ended(1)) == ["finish 3"])
        #expect(machine.state.validator == "\"v2\"")
    }

    // MARK: - Parts that do not fit

    @Test(arguments: [
        ("4-9/11", "\"v1\""), ("4-9/10", "\"v2\""), ("4-9/10", "W/\"v1\""), ("4-8/9", "\"v1\""),
    ])
    func `a part of another version begins the download again`(range: String, tag: String) {
        var machine = Machine(state: state(4, of: 10))
        _ = machine.start()

        let actions = machine.responded(206, part(range, tag), to: 1, now: now)

        #expect(texts(actions) == ["cancel 1", "truncate", "2: all"])
        #expect(machine.state == DownloadState())
        #expect(place(machine.received(6, from: 1)) == "drop ")
    }

    @Test
    func `a part with another digest, or another date, is of another version`() throws {
        let name = try #require(HTTPField.Name("Repr-Digest"))
        let digests = ["A", "B"].map { "sha-256=:" + String(repeating: $0, count: 43) + "=:" }
        var digested = state(4, of: 10)
        digested.digest = DigestField.strongest(in: [digests[0]])
        var headers = part("4-9/10", nil)
        headers[name] = digests[1]
        var machine = Machine(state: digested)
        _ = machine.start()
        #expect(texts(machine.responded(206, headers, to: 1, now: now)) == ["cancel 1", "truncate", "2: all"])
        headers[name] = digests[0]
        machine = Machine(state: digested)
        _ = machine.start()
        #expect(texts(machine.responded(206, headers, to: 1, now: now)) == [])

        let date = "Sun, 06 Nov 1994 08:49:37 GMT"
        for (other, expected) in [("Sun, 06 Nov 1994 08:50:37 GMT", 3), (date, 0)] {
            var machine = Machine(state: state(4, of: 10, date))
            #expect(texts(machine.start()) == ["1: bytes=4- if \(date)"])
            var headers = part("4-9/10", nil)
            headers[.lastModified] = other
            #expect(texts(machine.responded(206, headers, to: 1, now: now)).count == expected)
        }
    }

    @Test(arguments: [
        ("bytes 3-9/10", 3), ("bytes 0-9/10", 0), ("bytes 0-6/10", 0),
    ])
    func `a part that begins before the missing bytes is used`(range: String, position: Int) {
        var machine = Machine(state: state(4, of: 10))
        _ = machine.start()

        #expect(texts(machine.responded(206, [.contentRange: range, .eTag: "\"v1\""], to: 1, now: now)) == [])
        #expect(place(machine.received(7, from: 1)) == "write \(position)")
        #expect(machine.state.received == ByteRanges([0..<Int64(position + 7)]))
    }

    @Test
    func `a part without having asked for one fails the download`() {
        var unasked = Machine()
        _ = unasked.start()

        #expect(texts(unasked.responded(206, part("0-9/10"), to: 1, now: now)).last == "fail malformedResponse")
    }

    @Test
    func `a part without its validator is of the version that If-Range named`() {
        var machine = Machine(state: state(4, of: 10))
        _ = machine.start()

        #expect(machine.responded(206, part("4-9/10", nil), to: 1, now: now).isEmpty)
    }

    @Test
    func `a shorter part is followed by the rest`() {
        var machine = Machine(state: state(4, of: 10))
        _ = machine.start()
        _ = machine.responded(206, part("4-6/10"), to: 1, now: now)
        _ = machine.received(3, from: 1)

        #expect(texts(machine.ended(1)) == ["2: bytes=7- if \"v1\""])
    }

    @Test
    func `a server that sends more than it announced fails the download`() {
        var machine = Machine()
        _ = machine.start()
        _ = machine.responded(200, whole, to: 1, now: now)
        _ = machine.received(10, from: 1)

        #expect(place(machine.received(1, from: 1)) == "drop cancel 1, fail malformedResponse")
        #expect(place(machine.received(1, from: 1)) == "drop ")
    }

    @Test
    func `a part with a content coding is not joined`() {
        var headers = part("4-9/10")
        headers[.contentEncoding] = "gzip"
        var machine = Machine(state: state(4, of: 10))
        _ = machine.start()

        #expect(texts(machine.responded(206, headers, to: 1, now: now)) == ["cancel 1", "truncate", "2: all"])
    }

    // MARK: - Refusals

    @Test
    func `416 with the length that is there ends the download`() {
        var machine = Machine(state: state(10, of: nil))

        #expect(texts(machine.start()) == ["1: bytes=10- if \"v1\""])
        #expect(texts(machine.responded(416, part("*/10"), to: 1, now: now)) == ["finish 10"])
    }

    @Test(arguments: [("*/8", "\"v1\""), ("*/12", "\"v1\""), ("*/10", "\"v2\""), ("nonsense", "\"v1\"")])
    func `any other 416 begins the download again`(range: String, tag: String) {
        var machine = Machine(state: state(10, of: nil))
        _ = machine.start()

        let actions = machine.responded(416, part(range, tag), to: 1, now: now)

        #expect(texts(actions) == ["cancel 1", "truncate", "2: all"])
        #expect(texts(machine.responded(416, [:], to: 2, now: now)) == ["cancel 2", "fail rangeRefused"])
    }

    @Test
    func `412 begins the download again`() {
        var machine = Machine(state: state(4, of: 10))
        _ = machine.start()

        #expect(texts(machine.responded(412, [:], to: 1, now: now)) == ["cancel 1", "truncate", "2: all"])
    }

    @Test
    func `a server that ignores ranges does not make the file another one, however often it is cut`() {
        var machine = Machine(state: state(4, of: 10))
        #expect(texts(machine.start()) == ["1: bytes=4- if \"v1\""])
        for id in 1...9 {
            #expect(texts(machine.responded(200, whole, to: id, now: now)) == (id == 1 ? ["truncate"] : []))
            _ = machine.received(4, from: id)
            #expect(texts(machine.ended(id, Cut())) == ["pause Cut"])
            #expect(texts(machine.start()) == ["truncate", "\(id + 1): all"])
        }
    }

    @Test
    func `a file that changes again and again fails the download`() {
        var policy = DownloadPolicy()
        policy.restartLimit = 2
        var machine = Machine(policy, state: state(4, of: 10))
        _ = machine.start()
        for version in 2...3 {
            _ = machine.responded(200, [.contentLength: "10", .eTag: "\"v\(version)\""], to: version - 1, now: now)
            _ = machine.received(1, from: version - 1)
            _ = machine.ended(version - 1, Cut())
            #expect(texts(machine.start()) == ["\(version): bytes=1- if \"v\(version)\""])
        }

        let actions = machine.responded(200, [.contentLength: "10", .eTag: "\"v4\""], to: 3, now: now)

        #expect(texts(actions) == ["cancel 3", "fail downloadChanged"])
    }

    @Test(arguments: [401, 404, 429, 500, 503])
    func `any other status pauses the download, and what is there stays`(status: Int) {
        var machine = Machine(state: state(4, of: 10))
        _ = machine.start()

        #expect(texts(machine.responded(status, [:], to: 1, now: now)) == ["cancel 1", "pause unacceptableStatus"])
        #expect(machine.state == state(4, of: 10))
        #expect(texts(machine.start()) == ["2: bytes=4- if \"v1\""])
    }

    // MARK: - Unsafe methods

    @Test
    func `a request that is not resumable loads the whole file, and leaves nothing to resume`() {
        var machine = Machine(wide(3), state: state(4, of: 10), isResumable: false)

        #expect(texts(machine.start()) == ["truncate", "1: all"])
        #expect(texts(machine.responded(200, whole, to: 1, now: now)) == [])
        _ = machine.received(4, from: 1)
        #expect(texts(machine.ended(1, Cut())) == ["pause Cut"])
        #expect(machine.state.validator == nil)
        #expect(texts(machine.start()) == ["truncate", "2: all"])
    }

    @Test(arguments: [(206, "fail malformedResponse"), (412, "pause unacceptableStatus"), (416, "fail rangeRefused")])
    func `no response makes the machine send such a request again`(status: Int, end: String) {
        var machine = Machine(wide(3), isResumable: false)
        _ = machine.start()

        #expect(texts(machine.responded(status, part("0-9/10"), to: 1, now: now)) == ["cancel 1", end])
    }

    // MARK: - Several at once

    private func wide(_ connections: Int, _ minimum: Int64 = 10) -> DownloadPolicy {
        var policy = DownloadPolicy()
        policy.connections = connections
        policy.minimumRange = minimum
        return policy
    }

    @Test
    func `several ranges are loaded at once, once the first one told the length`() {
        var machine = Machine(wide(3))

        #expect(texts(machine.start()) == ["truncate", "1: bytes=0-9"])
        #expect(
            texts(machine.responded(206, part("0-9/90"), to: 1, now: now))
                == ["2: bytes=10-49 if \"v1\"", "3: bytes=50- if \"v1\""]
        )
        #expect(texts(machine.responded(206, part("50-89/90"), to: 3, now: now)) == [])
        #expect(place(machine.received(40, from: 3)) == "write 50")
        #expect(texts(machine.ended(3)) == [])
        #expect(place(machine.received(10, from: 1)) == "write 0")
        #expect(texts(machine.ended(1)) == [])
        #expect(texts(machine.responded(206, part("10-49/90"), to: 2, now: now)) == [])
        _ = machine.received(40, from: 2)
        #expect(texts(machine.ended(2)) == ["finish 90"])
    }

    @Test
    func `a small file needs one range, an empty one none`() {
        var small = Machine(wide(3))
        _ = small.start()
        #expect(small.responded(206, part("0-4/5", nil), to: 1, now: now).isEmpty)
        _ = small.received(5, from: 1)
        var empty = Machine(wide(3))
        _ = empty.start()

        #expect(texts(small.ended(1)) == ["finish 5"])
        #expect(texts(empty.responded(416, part("*/0", nil), to: 1, now: now)) == ["finish 0"])
    }

    @Test(arguments: [nil, "W/\"v1\""])
    func `without a strong validator the file comes whole`(tag: String?) {
        var machine = Machine(wide(3))
        _ = machine.start()

        #expect(
            texts(machine.responded(206, part("0-9/90", tag), to: 1, now: now)) == ["cancel 1", "truncate", "2: all"]
        )
    }

    @Test
    func `a server without ranges sends the whole file at once`() {
        var machine = Machine(wide(3, 4))
        _ = machine.start()

        #expect(texts(machine.responded(200, whole, to: 1, now: now)) == [])
        _ = machine.received(10, from: 1)
        #expect(texts(machine.ended(1)) == ["finish 10"])
    }

    @Test
    func `a range that fails is loaded later, the others end first`() {
        var machine = Machine(wide(2))
        _ = machine.start()
        _ = machine.responded(206, part("0-9/30"), to: 1, now: now)
        _ = machine.received(3, from: 1)

        #expect(texts(machine.responded(503, [:], to: 2, now: now)) == ["cancel 2"])
        _ = machine.received(7, from: 1)
        #expect(texts(machine.ended(1)) == ["pause unacceptableStatus"])
        #expect(machine.state == state(10, of: 30))
        #expect(texts(machine.start()) == ["3: bytes=10-19 if \"v1\"", "4: bytes=20- if \"v1\""])
    }

    @Test
    func `a file that changes while its ranges are loaded begins again`() {
        var machine = Machine(wide(2))
        _ = machine.start()
        _ = machine.responded(206, part("0-9/30"), to: 1, now: now)
        _ = machine.received(3, from: 1)

        let actions = machine.responded(200, [.contentLength: "4", .eTag: "\"v2\""], to: 2, now: now)

        #expect(texts(actions) == ["cancel 1", "truncate"])
        #expect(place(machine.received(7, from: 1)) == "drop ")
        #expect(place(machine.received(4, from: 2)) == "write 0")
        #expect(texts(machine.ended(2)) == ["finish 4"])
    }

    /// Three gaps for two connections: the third range waits.
    private func withGaps() -> Machine {
        var kept = state(5, of: 60)
        kept.received = ByteRanges([0..<5, 15..<25, 35..<45])
        return Machine(wide(2), state: kept)
    }

    @Test
    func `a range waits for a connection`() {
        var machine = withGaps()

        #expect(texts(machine.start()) == ["1: bytes=5-14 if \"v1\"", "2: bytes=25-34 if \"v1\""])
        _ = machine.responded(206, part("25-34/60"), to: 2, now: now)
        _ = machine.received(10, from: 2)
        #expect(texts(machine.ended(2)) == ["3: bytes=45- if \"v1\""])
    }

    @Test
    func `a range that waited is not loaded before those that failed`() {
        var machine = withGaps()
        _ = machine.start()
        _ = machine.ended(1, Cut())

        #expect(texts(machine.ended(2, Cut())) == ["pause Cut"])
        #expect(texts(machine.start()) == ["3: bytes=5-14 if \"v1\"", "4: bytes=25-34 if \"v1\""])
    }

    @Test
    func `a range that waited is forgotten with its file`() {
        var replaced = withGaps()
        _ = replaced.start()
        _ = replaced.responded(200, [.contentLength: "30", .eTag: "\"v2\""], to: 1, now: now)
        _ = replaced.received(10, from: 1)
        _ = replaced.ended(1, Cut())
        var changed = withGaps()
        _ = changed.start()

        #expect(texts(replaced.start()) == ["3: bytes=10-19 if \"v2\"", "4: bytes=20- if \"v2\""])
        let actions = changed.responded(206, part("5-14/20", "\"v2\""), to: 1, now: now)
        #expect(texts(actions) == ["cancel 1", "cancel 2", "truncate", "3: bytes=0-9"])
        #expect(texts(changed.responded(206, part("0-9/20", "\"v2\""), to: 3, now: now)) == ["4: bytes=10- if \"v2\""])
    }

    @Test
    func `cancelling cancels every exchange, and what is there stays`() {
        var machine = Machine(wide(3))
        _ = machine.start()
        _ = machine.responded(206, part("0-9/90"), to: 1, now: now)
        _ = machine.received(5, from: 1)

        #expect(texts(machine.cancel()) == ["cancel 1", "cancel 2", "cancel 3"])
        #expect(texts(machine.cancel()) == [])
        #expect(texts(machine.ended(1, Cut())) == [])
        #expect(machine.state == state(5, of: 90))
    }
}
