// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials

/// A request as a curl command, for logs, shells and bug reports.
///
/// Secrets are masked by default: credentials in header fields, secret-looking query items of the URL, and
/// secret-looking fields of JSON and form bodies. For any other body only the length is shown.
///
/// ```swift
/// print(try await manager.request(.orders).curlCommand())
/// // curl --request GET 'https://api.example.com/orders' --header 'Authorization: <redacted>'
/// ```
///
/// Fields that the transport adds, such as `Host` and `Accept-Encoding`, are not shown.
public struct CurlCommand: Sendable, Hashable, CustomStringConvertible {
    /// The arguments of the command, without quotes.
    public let arguments: [String]

    /// The command as one line for a POSIX shell.
    public var description: String {
        var isBody = false
        return
            arguments
            .map { argument in
                defer { isBody = argument == "--data-raw" }
                return Self.quoted(argument, keepsLines: isBody)
            }
            .joined(separator: " ")
    }

    /// Creates the command for a request.
    ///
    /// - Parameters:
    ///   - request: The request, as interceptors see it.
    ///   - showsSecrets: Pass `true` to show credentials and whole bodies. Defaults to `false`.
    public init(_ request: OutgoingRequest, showsSecrets: Bool = false) {
        self.init(
            method: request.method,
            url: request.url,
            headers: showsSecrets ? request.headers : request.headersWithoutToken,
            body: request.body,
            showsSecrets: showsSecrets
        )
    }

    init(
        method: HTTPRequest.Method,
        url: String,
        headers: HTTPFields = [:],
        body: RequestBody? = nil,
        showsSecrets: Bool = false
    ) {
        // With `--request HEAD`, curl would wait for a body that does not arrive.
        var arguments = method == .head ? ["curl", "--head"] : ["curl", "--request", method.rawValue]
        // Brackets and braces in a URL are literal, not curl patterns, and dot segments are sent.
        arguments.append("--globoff")
        if HTTPURL.path(of: url).utf8.split(separator: UInt8(ascii: "/"))
            .contains(where: { HTTPURL.isDotSegment(Substring($0)) })
        {
            arguments.append("--path-as-is")
        }
        arguments.append(showsSecrets ? url : Redaction.url(url))
        for field in headers where body.map({ !Self.isImplied(field.name, by: $0) }) ?? true {
            let value = showsSecrets ? field.value : Redaction.value(of: field)
            // "Name:" would remove the field; "Name;" sends it empty.
            arguments += ["--header", value.isEmpty ? "\(field.name.rawName);" : "\(field.name.rawName): \(value)"]
        }
        if let body {
            arguments += Self.arguments(for: body, headers[.contentType], showsSecrets: showsSecrets)
            if headers[.contentType] == nil {
                // Otherwise curl would set the media type of a form.
                arguments += ["--header", "Content-Type:"]
            }
        }
        self.arguments = arguments
    }

    /// True for a field that curl sets itself, or that does not apply to the body in the command.
    private static func isImplied(_ name: HTTPField.Name, by body: RequestBody) -> Bool {
        (name == .contentType && body.hasFixedType) || (name == .contentEncoding && !body.codings.isEmpty)
    }

    private static func arguments(
        for body: RequestBody,
        _ contentType: String?,
        showsSecrets: Bool
    ) -> [String] {
        switch body.content.uncoded {
        case .bytes(let bytes):
            ["--data-raw", text(of: bytes, contentType, showsSecrets: showsSecrets)]
        case .file(let file) where file.offset == 0:
            ["--data-binary", "@\(file.path)"]
        case .form(let form):
            arguments(for: form, showsSecrets: showsSecrets)
        case .multipart(let body):
            arguments(for: body.form, showsSecrets: showsSecrets)
        case .file, .stream, .coded:
            ["--data-raw", "<\(body)>"]
        }
    }

    private static func arguments(for form: MultipartForm, showsSecrets: Bool) -> [String] {
        form.parts.flatMap { part in
            switch part.content {
            case .file(let file):
                let type = part.contentType.map { ";type=\($0)" } ?? ""
                let name = part.fileName.map { ";filename=\"\(MultipartForm.Part.escaped($0))\"" } ?? ""
                return ["--form", "\(part.name)=@\"\(Self.escaped(file.path))\"\(type)\(name)"]
            case .bytes(let bytes):
                let value = text(of: part, bytes, showsSecrets: showsSecrets) ?? "<\(bytes.count) bytes>"
                return ["--form-string", "\(part.name)=\(value)"]
            }
        }
    }

    private static func escaped(_ path: String) -> String {
        path.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    }

    private static func text(of part: MultipartForm.Part, _ bytes: Data, showsSecrets: Bool) -> String? {
        let text = part.fileName == nil ? String(validating: bytes, as: UTF8.self) : nil
        guard !showsSecrets else {
            return text
        }
        guard !Credentials.isSecret(part.name) else {
            return Redaction.mask
        }
        guard let text else {
            return nil
        }
        if let body = Redaction.body(bytes, contentType: part.contentType) {
            return body
        }
        let isText = part.contentType.map { MediaType.essence(of: $0).hasPrefix("text/") } ?? true
        return isText ? Redaction.text(text) : nil
    }

    private static func text(of body: Data, _ contentType: String?, showsSecrets: Bool) -> String {
        let text =
            showsSecrets
            ? String(validating: body, as: UTF8.self) : Redaction.body(body, contentType: contentType)
        guard let text, !text.utf8.contains(0) else {
            return "<\(body.count) bytes>"
        }
        return text
    }

    private static func quoted(_ argument: String, keepsLines: Bool) -> String {
        let isPlain = argument.allSatisfy { $0.isASCII && ($0.isLetter || $0 == "-") }
        guard !isPlain || argument.isEmpty else {
            return argument
        }
        let isHidden = argument.unicodeScalars.contains { scalar in
            MessageText.isHidden(scalar) && !(keepsLines && (scalar == "\n" || scalar == "\t"))
        }
        guard !isHidden else {
            // The quotes of bash and zsh that name bytes.
            return "$'\(argument.unicodeScalars.map(Self.escaped).joined())'"
        }
        // The shell sees bytes: a quote with a combining mark behind it ends the argument, too.
        let parts = argument.utf8.split(separator: UInt8(ascii: "'"), omittingEmptySubsequences: false)
        return "'\(parts.map { Substring($0) }.joined(separator: #"'\''"#))'"
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        if scalar == "'" || scalar == "\\" {
            return "\\\(scalar)"
        }
        guard MessageText.isHidden(scalar) else {
            return "\(scalar)"
        }
        return "\(scalar)".utf8.map { "\\x\($0 < 16 ? "0" : "")\(String($0, radix: 16, uppercase: true))" }.joined()
    }
}
