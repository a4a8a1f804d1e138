// SPDX-License-Identifier: MIT

import HTTPTypes
public import JobGraphs
import RestEssentials

/// The way in which a server says how far a long-running operation is, and where its result is.
///
/// ```swift
/// .standard
/// .standard.status(at: "job.phase", failed: ["rejected"]).every(.interval(.seconds(5), limit: .seconds(3_600)))
/// .reading { response in try JSONDecoder().decode(Job.self, from: response.body).state }
/// ```
///
/// ``RequestNode/operation(_:)`` waits for the end of an operation by such a rule.
public struct OperationRule: Sendable {
    /// The state of an operation, as a response says it.
    public enum State: Sendable, Hashable {
        /// It is running. The next request goes to the URL, possibly a relative one; with `nil` to the last one's.
        case running(at: String? = nil)
        /// It has succeeded. The result is at the URL, possibly a relative one; with `nil` in the response itself.
        case succeeded(result: String? = nil)
        /// It has failed, or was cancelled; with the server's reason, whose secrets are masked in the error.
        case failed(String? = nil)
    }

    private var read: (@Sendable (RawResponse) throws -> State)?
    /// The path of the member of the body that is the status; `nil` for the usual ones.
    private var path: [String]?
    private var wordsOfSuccess: Set<String> = [
        "succeeded", "success", "successful", "completed", "complete", "done", "finished",
    ]
    private var wordsOfFailure: Set<String> = [
        "failed", "failure", "error", "canceled", "cancelled", "aborted", "rejected", "expired", "timedout",
    ]
    private(set) var policy = PollPolicy.exponential(from: .seconds(1), upTo: .seconds(30))
    private var origins = PageOrigins.any

    /// The rule for what most servers do.
    ///
    /// - An operation is running after 202 with `Location` (RFC 9110, section 15.3.3), and after 200, 201 or 202 with
    ///   `Operation-Location` or `Azure-AsyncOperation`. The node's response to anything else is the result; after 201
    ///   without a body it is at the `Location`.
    /// - At a `Location`, 202 says that the operation is running; any other success is the result.
    /// - At the other two, the member `status`, `state` or `properties.provisioningState` of the JSON body says it:
    ///   words such as `Succeeded` and `done`, or `Failed` and `canceled`, in any case; with any other word the
    ///   operation is running. The result is then at the member `resourceLocation`; after `PUT` and `PATCH` at the URL
    ///   of the request; after `POST` at the `Location`; otherwise it is the last response.
    public static var standard: OperationRule { OperationRule() }

    /// Returns a rule of your own.
    ///
    /// - Parameter read: Returns the state that a successful response says: the response to the node's own request, and
    ///   each one after that. An error that it throws becomes the underlying error of a
    ///   ``RestClientError/Code-swift.struct/decodingFailed``.
    /// - Returns: The rule.
    public static func reading(_ read: @escaping @Sendable (RawResponse) throws -> State) -> OperationRule {
        var rule = OperationRule()
        rule.read = read
        return rule
    }

    /// Sets the member of the JSON body that is the status, also of responses at a `Location`.
    ///
    /// A Boolean member says by `true` that the operation has succeeded.
    ///
    /// - Parameters:
    ///   - path: The names of the member and of those around it, as in `job.phase`.
    ///   - succeeded: Further words that say that the operation has succeeded, in any case.
    ///   - failed: Further words that say that it has failed, in any case.
    /// - Returns: A changed copy.
    public consuming func status(at path: String, succeeded: [String] = [], failed: [String] = []) -> Self {
        self.path = path.split(separator: ".").map(String.init)
        let (good, bad) = (Set(succeeded.map(Self.normalized)), Set(failed.map(Self.normalized)))
        wordsOfSuccess = wordsOfSuccess.subtracting(bad).union(good)
        wordsOfFailure = wordsOfFailure.subtracting(good).union(bad)
        return self
    }

    /// Sets the waits between two requests, and the limits on their number and the time.
    ///
    /// If a response says how long to wait (`Retry-After`), that counts in place of the policy's wait, but it is never
    /// shorter than the policy's first one.
    ///
    /// - Parameter policy: The waits; from 1 to 30 seconds without a limit by default, each twice the one before it.
    /// - Returns: A changed copy.
    public consuming func every(_ policy: PollPolicy) -> Self {
        self.policy = policy
        return self
    }

    /// Sets the origins allowed for the URLs that the server gives; any origin by default.
    ///
    /// The rules are those of pages: see ``PageRule/origins(_:)``.
    ///
    /// - Parameter origins: The allowed origins.
    /// - Returns: A changed copy.
    public consuming func origins(_ origins: PageOrigins) -> Self {
        self.origins = origins
        return self
    }
}

// MARK: - Reading

/// The properties of the requests of an operation that decide how the responses to them are read.
struct OperationTerms: Sendable {
    /// The method of the first request.
    var method: HTTPRequest.Method
    var allowsPlainHTTP: Bool
    /// True unless the model is `Void`, so that nothing has to be loaded for it.
    var wantsResult: Bool
}

/// The place where the state of an operation is asked for, which can be stored and resumed.
struct OperationPosition: Sendable, Hashable, Codable {
    enum Result: Sendable, Hashable, Codable {
        /// In the last response.
        case last
        /// At the URL of the first request.
        case own
        case url(String)
    }

    /// The whole URL.
    var address: String
    /// True if the body says what the state is, and not only the status of HTTP.
    var isMonitor: Bool
    /// The place of the result once the operation has succeeded.
    var result = Result.last
    /// The idempotency key with which the operation was begun; its name among the members is not that of a secret.
    var key: String?

    private enum CodingKeys: String, CodingKey {
        case address, isMonitor, result
        case key = "begunAs"
    }

    /// True if a URL contains what must not be stored readable, such as a signature.
    var isSecret: Bool {
        if case .url(let text) = result, Redaction.url(text) != text {
            return true
        }
        return Redaction.url(address) != address
    }
}

enum OperationReading: Sendable, Hashable {
    case running(OperationPosition)
    case succeeded(OperationPosition.Result)
    case failed(String?)
}

extension OperationRule {
    private enum Word {
        case running, succeeded, failed
    }

    /// The words for an operation, in errors.
    static let what = "the operation"

    private static let monitorFields = ["Operation-Location", "Azure-AsyncOperation"]
        .compactMap {
            HTTPField.Name($0)
        }

    /// Returns what a successful response says of an operation; `position` is where it was asked for, and `nil` for the
    /// first response.
    ///
    /// The URLs in the response are relative to its own, and obey the rules of pages.
    func reading(
        _ response: RawResponse,
        from url: String,
        at position: OperationPosition?,
        _ terms: OperationTerms
    ) throws(RestClientError) -> OperationReading {
        let links = Links(
            base: try PageURL.base(response.url ?? url),
            origins: origins,
            allowsPlainHTTP: terms.allowsPlainHTTP
        )
        let reading: OperationReading
        if let read {
            reading = try own(read, response, at: position, links)
        } else if let position {
            reading = try next(response, at: position, links)
        } else {
            reading = try first(response, links, terms)
        }
        if case .succeeded = reading, !terms.wantsResult {
            return .succeeded(.last)
        }
        return reading
    }

    private func first(
        _ response: RawResponse,
        _ links: Links,
        _ terms: OperationTerms
    ) throws(RestClientError) -> OperationReading {
        let status = response.status
        guard status == .ok || status == .created || status == .accepted else {
            return .succeeded(.last)
        }
        let location = Self.reference(response, .location)
        if let monitor = Self.monitor(response) {
            let result: OperationPosition.Result
            switch terms.method {
            case .put, .patch: result = .own
            case .post: result = try links.place(location)
            default: result = .last
            }
            return .running(OperationPosition(address: try links.url(monitor), isMonitor: true, result: result))
        }
        guard let location else {
            guard status != .accepted else {
                throw Self.addressMissing(response)
            }
            return .succeeded(.last)
        }
        if status == .accepted || (path != nil && word(in: Self.body(response)) == .running) {
            return .running(OperationPosition(address: try links.url(location), isMonitor: false))
        }
        let isElsewhere = status == .created && JSONText.isBlank(response.body)
        return .succeeded(isElsewhere ? try links.place(location) : .last)
    }

    private func next(
        _ response: RawResponse,
        at position: OperationPosition,
        _ links: Links
    ) throws(RestClientError) -> OperationReading {
        var position = position
        let location = Self.reference(response, .location)
        if let address = position.isMonitor ? Self.monitor(response) : response.status == .accepted ? location : nil {
            position.address = try links.url(address)
        }
        let readsBody = position.isMonitor || path != nil
        let body = readsBody ? Self.body(response) : nil
        switch readsBody ? word(in: body) : nil {
        case .running:
            return .running(position)
        case .failed:
            return .failed(Self.reason(in: body))
        case .succeeded:
            if let resource = body?["resourceLocation"]?.stringValue, !resource.isEmpty {
                return .succeeded(.url(try links.url(resource)))
            }
            return .succeeded(position.result == .last ? try links.place(location) : position.result)
        case nil:
            break
        }
        guard response.status != .accepted else {
            return .running(position)
        }
        guard !position.isMonitor || JSONText.isBlank(response.body) else {
            throw RestClientError(
                .decodingFailed,
                "the response does not say what the state of the operation is; name the member with "
                    + ".status(at:), or read it with .reading(_:)",
                response: response
            )
        }
        return .succeeded(position.result)
    }

    private func own(
        _ read: (RawResponse) throws -> State,
        _ response: RawResponse,
        at position: OperationPosition?,
        _ links: Links
    ) throws(RestClientError) -> OperationReading {
        let state: State
        do {
            state = try read(response)
        } catch {
            throw RestClientError(
                .decodingFailed,
                "the state of the operation cannot be read",
                response: response,
                underlying: error
            )
        }
        switch state {
        case .running(let reference?):
            return .running(OperationPosition(address: try links.url(reference), isMonitor: true, key: position?.key))
        case .running(nil):
            guard let position else {
                throw Self.addressMissing(response)
            }
            return .running(position)
        case .succeeded(let reference):
            return .succeeded(try links.place(reference))
        case .failed(let reason):
            return .failed(reason)
        }
    }

    /// Returns the failure that a response reports.
    static func failure(_ reason: String?, _ response: RawResponse) -> RestClientError {
        let words = reason.map { MessageText.of(Redaction.text($0), limit: 2 * MessageText.partLimit) } ?? ""
        return RestClientError(
            .operationFailed,
            "the operation has failed, or was cancelled" + (words.isEmpty ? "" : ": \(words)"),
            response: response
        )
    }

    private static func addressMissing(_ response: RawResponse) -> RestClientError {
        RestClientError(
            .decodingFailed,
            "the server has begun the operation, but does not say where its state is; if the body says it, read it "
                + "with OperationRule.reading(_:)",
            response: response
        )
    }

    // MARK: - Parts of responses

    private struct Links {
        let base: HTTPURL
        let origins: PageOrigins
        let allowsPlainHTTP: Bool

        func url(_ reference: String) throws(RestClientError) -> String {
            try PageURL.url(
                reference,
                of: base,
                origins: origins,
                allowsPlainHTTP: allowsPlainHTTP,
                to: OperationRule.what
            )
            .textForSending
        }

        func place(_ reference: String?) throws(RestClientError) -> OperationPosition.Result {
            guard let reference else {
                return .last
            }
            return .url(try url(reference))
        }
    }

    private static func reference(_ response: RawResponse, _ name: HTTPField.Name) -> String? {
        response.headers.reference(name).flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func monitor(_ response: RawResponse) -> String? {
        monitorFields.lazy.compactMap { reference(response, $0) }.first
    }

    private static func body(_ response: RawResponse) -> JSONValue? {
        JSONText.isBlank(response.body) ? nil : try? JSONText.value(of: response.body)
    }

    private func word(in body: JSONValue?) -> Word? {
        let values: [JSONValue?]
        if let path {
            values = [path.reduce(body) { $0?[$1] }]
        } else {
            values = [body?["status"], body?["state"], body?["properties"]?["provisioningState"]]
        }
        for case let value? in values {
            if path != nil, let isDone = value.boolValue {
                return isDone ? .succeeded : .running
            }
            if let text = value.stringValue {
                let word = Self.normalized(text)
                return wordsOfSuccess.contains(word) ? .succeeded : wordsOfFailure.contains(word) ? .failed : .running
            }
        }
        return nil
    }

    /// Returns a word in the form in which words are compared, as `timedout` for `TIMED_OUT`.
    private static func normalized(_ text: String) -> String {
        FieldList.token(text).filter { $0 != "_" && $0 != "-" && $0 != " " }
    }

    /// Returns the server's words for a failure: those of the member `error`, or of the body itself.
    private static func reason(in body: JSONValue?) -> String? {
        let error = body?["error"] ?? body?["properties"]?["error"] ?? body
        if let text = error?.stringValue {
            return text
        }
        let words = ["code", "title", "message", "detail"].compactMap { error?[$0]?.stringValue }.filter { !$0.isEmpty }
        return words.isEmpty ? nil : words.joined(separator: ": ")
    }
}
