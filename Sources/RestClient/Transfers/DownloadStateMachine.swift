// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials

/// Loads a file, in parts where that is possible and safe: no lock, clock or I/O.
///
/// A part is asked for with `Range` and `If-Range` (RFC 9110, sections 14.2 and 13.1.5), with a strong validator only:
/// parts of different versions of a file must never be joined. A server that has another version sends the whole file,
/// which then takes the place of all that was there. The owner performs the actions in order, writes bytes where
/// ``received(_:from:)`` says, and keeps ``state`` beside the file once they are written.
///
/// A request that would have its effect again for each part is not resumable: each start sends one request, for the
/// whole file, whatever the response to it is.
struct DownloadStateMachine: Sendable {
    enum Action: Sendable {
        case send(DownloadRequest)
        /// Cancels an exchange; what it still delivers is neither reported nor used.
        case cancel(Int)
        case truncate
        /// Moves the file to its place, once its digest is right.
        case finish(length: Int64, DigestField?)
        /// Nothing is under way: goes on with ``DownloadStateMachine/start()`` after a wait, or ends with the error.
        ///
        /// The bytes that are there stay, for later.
        case pause(any Error)
        case fail(RestClientError)
    }

    enum Placement: Sendable {
        case write(at: Int64)
        /// They are dropped: the exchange was given up, or it sends more bytes than it should.
        case drop([Action])
    }

    private struct Exchange: Sendable {
        let request: DownloadRequest
        /// The place of the next byte; `nil` before the head of the response.
        var position: Int64?
        var end: Int64?
        var isWhole = false
    }

    private(set) var state: DownloadState

    private let policy: DownloadPolicy
    /// False if the request has its effect each time it is sent.
    private let isResumable: Bool
    private var exchanges: [Exchange] = []
    private var planned: [Range<Int64>] = []
    private var requestCount = 0
    private(set) var restarts = 0
    /// False if the request is not resumable, or once the server has shown that it cannot send parts that are safe to
    /// join.
    private var usesRanges: Bool
    private var lastError: (any Error)?
    private var isOver = false

    /// Creates a download whose state is limited to what the file confirms; it is dropped if the request is not
    /// resumable.
    init(
        _ policy: DownloadPolicy = DownloadPolicy(),
        state: DownloadState = DownloadState(),
        isResumable: Bool = true
    ) {
        self.policy = policy
        self.isResumable = isResumable
        self.state = isResumable ? state : DownloadState(source: state.source)
        usesRanges = isResumable
    }

    mutating func start() -> [Action] {
        guard !isOver, exchanges.isEmpty else {
            return []
        }
        lastError = nil
        var actions: [Action] = []
        if state.received.isEmpty {
            // Bytes that nobody vouches for may lie there.
            actions.append(.truncate)
        } else if state.validator == nil || !usesRanges {
            actions.append(.truncate)
            forget()
        }
        return actions + advance()
    }

    mutating func responded(_ status: Int, _ headers: HTTPFields, to id: Int, now: Date) -> [Action] {
        guard !isOver, let index = exchanges.firstIndex(where: { $0.request.id == id && $0.position == nil }) else {
            return []
        }
        switch status {
        case 200: return takeWhole(index, headers, now)
        case 206: return takePart(index, headers, now)
        case 416: return takeRefusal(index, headers)
        case 412 where exchanges[index].request.start != nil: return restart()
        case 201..<400 where exchanges[index].request.start != nil:
            // The same request would have the same response again.
            return abandonRanges()
        default:
            let error = RestClientError(
                .unacceptableStatus,
                "the server responded with \(status)",
                response: RawResponse(status: HTTPResponse.Status(code: status), headers: headers)
            )
            return [.cancel(id)] + lose(index, error)
        }
    }

    mutating func received(_ count: Int, from id: Int) -> Placement {
        guard !isOver, let index = exchanges.firstIndex(where: { $0.request.id == id }),
            let position = exchanges[index].position
        else {
            return .drop([])
        }
        let end = position + Int64(count)
        if let limit = exchanges[index].end, end > limit {
            let isWhole = exchanges[index].isWhole
            if !isWhole, position <= exchanges[index].request.start ?? 0 {
                // The response has brought nothing, and the same request would have the same response again.
                return .drop(abandonRanges())
            }
            let reason = "the server sent more than the \(limit - position) bytes that it announced"
            let actions = fail(.malformedResponse, reason)
            if isWhole {
                // Its length contradicts what was known of the same version.
                forget()
            }
            return .drop(actions)
        }
        exchanges[index].position = end
        state.received.insert(position..<end)
        return .write(at: position)
    }

    /// Records that bytes could not be written where ``received(_:from:)`` said; the download ends.
    mutating func lost(_ range: Range<Int64>) {
        state.received.remove(range)
    }

    mutating func ended(_ id: Int, _ error: (any Error)? = nil) -> [Action] {
        guard !isOver, let index = exchanges.firstIndex(where: { $0.request.id == id }) else {
            return []
        }
        let exchange = exchanges[index]
        if exchange.request.start != nil, exchange.position == nil, let error = error as? RestClientError,
            error.code == .unacceptableStatus, let status = error.response?.status.code,
            Self.rangeRefusals.contains(status)
        {
            return abandonRanges()
        }
        guard error == nil, let position = exchange.position, exchange.end.map({ position >= $0 }) ?? true else {
            let cut = RestClientError(.connectionClosed, "the connection was cut before the response was complete")
            return lose(index, error ?? cut)
        }
        exchanges.remove(at: index)
        if exchange.end == nil {
            // The end of the response is the end of the file: only a whole one has no length.
            state.total = position
        }
        return advance()
    }

    /// Ends the download; what is there stays, for later.
    mutating func cancel() -> [Action] {
        guard !isOver else {
            return []
        }
        isOver = true
        return giveUp()
    }
}

// MARK: - Responses

extension DownloadStateMachine {
    private mutating func takeWhole(_ index: Int, _ headers: HTTPFields, _ now: Date) -> [Action] {
        var exchange = exchanges[index]
        let isPart = exchange.request.start != nil
        let isCoded = Self.isCoded(headers)
        let length = headers[.contentLength].flatMap { Int64($0) }.flatMap { $0 >= 0 && !isCoded ? $0 : nil }
        guard Self.isWhole(headers, of: length, isPart: isPart) else {
            return isPart
                ? abandonRanges() : fail(.malformedResponse, "the server sent a part of the file as the whole")
        }
        let others = exchanges.filter { $0.request.id != exchange.request.id }
        var actions: [Action] = others.map { .cancel($0.request.id) }
        let strong = Validators(headers).strong(now: now)
        let isSame = strong != nil && strong == state.validator
        if isPart, strong == nil || isSame || state.validator == nil,
            isCoded || !mayBeWhole(length, exchange.request, isSame)
        {
            return abandonRanges()
        }
        let known = isSame ? state : DownloadState()
        if !state.received.isEmpty {
            if isSame {
                // The server does not send parts.
                usesRanges = false
            } else if let failure = countChange() {
                return failure
            }
            actions.append(.truncate)
        }
        forget()
        let knowsParts = headers[.acceptRanges].map { FieldList.token(FieldList.trimmed($0[...])) != "none" } ?? true
        if !isCoded {
            // The content of this response is the whole file; that of a 206 is a part of it.
            state.digest =
                known.digest ?? Self.digest("Repr-Digest", headers) ?? Self.digest("Content-Digest", headers)
            state.validator = knowsParts && isResumable ? strong : nil
        }
        state.total = length ?? (isCoded ? nil : known.total)
        exchange.isWhole = true
        exchange.position = 0
        exchange.end = state.total
        exchanges = [exchange]
        return actions
    }

    private mutating func takePart(_ index: Int, _ headers: HTTPFields, _ now: Date) -> [Action] {
        let request = exchanges[index].request
        guard let start = request.start else {
            return fail(.malformedResponse, "the server sent a part of the file that was not asked for")
        }
        guard !Self.isCoded(headers) else {
            // Positions would be those of coded bytes.
            return abandonRanges()
        }
        // A server may send other bytes than those asked for (RFC 9110, section 15.3.7). They are used if the first
        // missing one is among them, so that each response brings the download on.
        guard case .bytes(let range, let total)? = headers[.contentRange].flatMap({ ContentRange($0) }),
            range.contains(start), total != nil || range.upperBound <= state.total ?? .max,
            headers[.contentLength].map({ Int64($0) == range.length }) ?? true, !Self.hasSeveralParts(headers)
        else {
            return abandonRanges()
        }
        let validators = Validators(headers)
        guard !hasChanged(validators, total, headers) else {
            return restart()
        }
        state.total = state.total ?? total
        state.digest = state.digest ?? Self.digest("Repr-Digest", headers)
        state.validator = state.validator ?? validators.strong(now: now)
        guard state.validator != nil || state.total == range.upperBound else {
            // The other parts could be those of another version.
            return abandonRanges()
        }
        exchanges[index].position = range.lowerBound
        exchanges[index].end = range.upperBound
        return plan()
    }

    /// The statuses with which servers and what stands before them refuse a request because it asks for a part.
    private static let rangeRefusals: Set<Int> = [400, 405, 406, 409, 422, 431, 501, 505]

    private mutating func takeRefusal(_ index: Int, _ headers: HTTPFields) -> [Action] {
        let request = exchanges[index].request
        let have = state.received.prefixCount
        if case .unsatisfied(let total)? = headers[.contentRange].flatMap({ ContentRange($0) }),
            total == have, request.start == have, exchanges.count == 1,
            !hasChanged(Validators(headers), total, headers)
        {
            state.total = total
            exchanges = []
            return advance()
        }
        guard request.start != nil else {
            return fail(.rangeRefused, "the server refuses a range of bytes, although none was asked for")
        }
        return state.received.isEmpty ? abandonRanges() : restart()
    }

    /// Returns false if a 200 to a request for a part may hold just that part: it names no version, and its length is
    /// not that of the file.
    private func mayBeWhole(_ length: Int64?, _ request: DownloadRequest, _ isSame: Bool) -> Bool {
        guard state.validator != nil else {
            // The first range of several: nothing is known.
            return length != request.end
        }
        guard let total = state.total else {
            return false
        }
        return length == total || length == nil && isSame
    }

    private func hasChanged(_ validators: Validators, _ total: Int64?, _ headers: HTTPFields) -> Bool {
        if let known = state.total, let total, known != total {
            return true
        }
        if let known = state.digest, let digest = Self.digest("Repr-Digest", headers),
            digest.algorithm == known.algorithm, digest != known
        {
            return true
        }
        guard let validator = state.validator else {
            return false
        }
        if let tag = validators.tag {
            return !(EntityTag(validator)?.matchesStrongly(tag) ?? false)
        }
        // A tag is quoted, a date is not; a part may come without its tag.
        guard !validator.utf8.contains(UInt8(ascii: "\"")), let lastModified = validators.lastModified else {
            return false
        }
        return lastModified != validator
    }
}

// MARK: - Going on

extension DownloadStateMachine {
    /// Sends what is missing, as far as there are connections; ends if nothing is.
    private mutating func advance() -> [Action] {
        if state.isComplete {
            isOver = true
            return giveUp() + [.finish(length: state.total ?? 0, state.digest)]
        }
        if exchanges.isEmpty, let lastError {
            planned = []
            return [.pause(lastError)]
        }
        if exchanges.isEmpty, planned.isEmpty, state.received.isEmpty {
            if usesRanges, policy.connections > 1 {
                return [send(0, max(1, policy.minimumRange))]
            }
            return [send(nil, nil)]
        }
        return plan()
    }

    private mutating func plan() -> [Action] {
        let connections = max(1, policy.connections)
        // After a failure the other connections end what they have; the rest is left to the next start.
        guard lastError == nil, exchanges.count < connections else {
            return []
        }
        guard let total = state.total else {
            return exchanges.isEmpty ? [send(state.received.prefixCount, nil)] : []
        }
        if planned.isEmpty {
            planned = RangePlan.ranges(
                covering: missing(of: total),
                connections: connections - exchanges.count,
                minimum: policy.minimumRange
            )
        }
        var actions: [Action] = []
        while exchanges.count < connections, !planned.isEmpty {
            let range = planned.removeFirst()
            actions.append(send(range.lowerBound, range.upperBound == total ? nil : range.upperBound))
        }
        return actions
    }

    private func missing(of total: Int64) -> [Range<Int64>] {
        var taken = state.received
        for exchange in exchanges {
            let start = exchange.request.start ?? 0
            taken.insert(start..<max(start, exchange.end ?? exchange.request.end ?? total))
        }
        return taken.gaps(in: 0..<total)
    }

    private mutating func send(_ start: Int64?, _ end: Int64?) -> Action {
        requestCount += 1
        let validator = start == nil || state.received.isEmpty && exchanges.isEmpty ? nil : state.validator
        let request = DownloadRequest(id: requestCount, start: start, end: end, validator: validator)
        exchanges.append(Exchange(request: request))
        return .send(request)
    }

    private mutating func lose(_ index: Int, _ error: any Error) -> [Action] {
        exchanges.remove(at: index)
        lastError = error
        return advance()
    }

    private mutating func restart() -> [Action] {
        countChange() ?? begin()
    }

    /// Counts a change of the file; returns what ends the download if there were too many.
    private mutating func countChange() -> [Action]? {
        restarts += 1
        return restarts <= policy.restartLimit
            ? nil : fail(.downloadChanged, "the file changed \(restarts) times while it was downloaded")
    }

    private mutating func forget() {
        planned = []
        state = DownloadState(source: state.source)
    }

    private mutating func begin() -> [Action] {
        let actions: [Action] = giveUp() + [.truncate]
        forget()
        lastError = nil
        return actions + advance()
    }

    /// Begins with an empty file, and without ranges from now on.
    private mutating func abandonRanges() -> [Action] {
        usesRanges = false
        return begin()
    }

    private mutating func fail(_ code: RestClientError.Code, _ message: String) -> [Action] {
        isOver = true
        return giveUp() + [.fail(RestClientError(code, message))]
    }

    private mutating func giveUp() -> [Action] {
        defer { exchanges = [] }
        return exchanges.map { .cancel($0.request.id) }
    }

    /// Returns false if the head of a 200 says that its content is a part of the file.
    private static func isWhole(_ headers: HTTPFields, of length: Int64?, isPart: Bool) -> Bool {
        if isPart, hasSeveralParts(headers) {
            return false
        }
        guard let text = headers[.contentRange] else {
            return true
        }
        guard case .bytes(let range, let total)? = ContentRange(text) else {
            return false
        }
        return range == 0..<(total ?? 0) && length ?? range.length == range.length
    }

    /// True if the content is made of several parts, with heads between them (RFC 9110, section 14.6).
    private static func hasSeveralParts(_ headers: HTTPFields) -> Bool {
        MediaType.essence(of: headers[.contentType]) == "multipart/byteranges"
    }

    private static func digest(_ field: String, _ headers: HTTPFields) -> DigestField? {
        HTTPField.Name(field).flatMap { DigestField.strongest(in: headers[values: $0]) }
    }

    private static func isCoded(_ headers: HTTPFields) -> Bool {
        FieldList.elements(of: headers[values: .contentEncoding]).contains { FieldList.token($0) != "identity" }
    }
}
