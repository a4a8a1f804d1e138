// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials

/// The details of a problem that a server reports with the media type `application/problem+json` (RFC 9457).
///
/// ```swift
/// if let problem = error.problem, problem.type == "https://example.com/probs/out-of-credit" {
///     offerTopUp(missing: problem.members["missing"]?.intValue)
/// }
/// ```
///
/// The values are those of the server, without changes; the description has their secrets masked.
public struct ProblemDetails: Sendable, Hashable {
    /// The type of the problem: a URL, as the server wrote it, maybe a relative one.
    ///
    /// `about:blank` if the server names none: the problem is then what the status says.
    public let type: String

    /// A short summary of the type of the problem.
    public let title: String?

    /// An explanation of this occurrence of the problem.
    public let detail: String?

    /// The URL of this occurrence of the problem, as the server wrote it.
    public let instance: String?

    /// The status that the server generated; a server between may have sent another one, which is
    /// ``RestClientError/status``.
    public let status: Int?

    /// The members that the type of the problem adds to these.
    public let members: [String: JSONValue]

    private static let usualType = "about:blank"

    /// Reads the body of a response; `nil` if its media type says that it is something else, or if it is no JSON
    /// object.
    ///
    /// Members of another type than the RFC gives them are ignored, as it asks for (section 3.1).
    init?(_ response: RawResponse) {
        guard MediaType.essence(of: response.headers[.contentType]) == "application/problem+json",
            let value = try? JSONText.value(of: response.body), case .object(var members) = value
        else {
            return nil
        }
        type = members.removeValue(forKey: "type")?.stringValue ?? Self.usualType
        title = members.removeValue(forKey: "title")?.stringValue
        detail = members.removeValue(forKey: "detail")?.stringValue
        instance = members.removeValue(forKey: "instance")?.stringValue
        status = members.removeValue(forKey: "status")?.intValue
        self.members = members
    }

    /// Returns the body of a response.
    static func body(
        _ status: HTTPResponse.Status,
        type: String?,
        title: String?,
        detail: String?,
        instance: String?,
        _ members: [String: JSONValue]
    ) -> JSONValue {
        let known: [(String, JSONValue?)] = [
            ("status", .int(Int64(status.code))), ("type", type.map(JSONValue.string)),
            ("title", title.map(JSONValue.string)), ("detail", detail.map(JSONValue.string)),
            ("instance", instance.map(JSONValue.string)),
        ]
        var all = members
        for case (let name, let value?) in known {
            all[name] = value
        }
        return .object(all)
    }

    /// Returns the title and the detail with their secrets masked, each cut to a limit; empty if there is neither.
    ///
    /// A title that only repeats the reason of the status is left out.
    private func text(besides reason: String = "") -> String {
        [title == reason ? nil : title, detail].compactMap(\.self)
            .map { MessageText.of(Redaction.text($0), limit: 2 * MessageText.partLimit) }
            .filter { !$0.isEmpty }
            .joined(separator: ": ")
    }

    /// Returns what follows the status in a message, as in `: out of credit: the balance is 30`.
    fileprivate func addition(to status: HTTPResponse.Status) -> String {
        let text = text(besides: status.reasonPhrase)
        return text.isEmpty ? "" : ": \(text)"
    }
}

extension ProblemDetails: MirroredByDescription {
    /// The title, the detail and the type, with secrets masked.
    public var description: String {
        let words = text()
        guard type != Self.usualType || words.isEmpty else {
            return words
        }
        let shown = MessageText.of(Redaction.text(Redaction.url(type)), limit: MessageText.partLimit)
        return words.isEmpty ? shown : "\(words) (\(shown))"
    }
}

extension RestClientError {
    /// The details of the problem that the server reports; `nil` unless the response has the media type
    /// `application/problem+json` and is a JSON object.
    ///
    /// The title and the detail are part of the ``message``. The whole body is in ``response``, and
    /// ``decodedBody(as:)`` decodes it into a type of your own.
    public var problem: ProblemDetails? { response.flatMap { ProblemDetails($0) } }

    /// True if the server responded with a status that the call does not accept.
    package var isOfStatus: Bool { code == .unacceptableStatus || code == .preconditionFailed }

    /// Returns the failure that a response reports with its status.
    static func unacceptable(_ response: RawResponse, adding addition: String = "") -> RestClientError {
        let problem = ProblemDetails(response)?.addition(to: response.status) ?? ""
        return RestClientError(
            response.status == .preconditionFailed ? .preconditionFailed : .unacceptableStatus,
            "the server responded with \(Redaction.status(response.status))\(addition)\(problem)",
            response: response
        )
    }
}
