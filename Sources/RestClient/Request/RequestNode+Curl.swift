// SPDX-License-Identifier: MIT

import HTTPTypes
public import RestEssentials

extension RequestNode where Model == Data {
    /// Creates the call that a curl command makes, as documentation and browsers show them.
    ///
    /// ```swift
    /// let order = try RequestNode(curl: "curl -H 'Accept: text/csv' 'https://api.example.com/orders/7'")
    /// ```
    ///
    /// The command is read as a POSIX shell reads it, and nothing of it is run. It sets the method, the URL, header
    /// fields, credentials, the body (data, JSON, a form, a file), the timeout, retries and the limit of redirects,
    /// which are followed without `--location`, too. Options about the output are ignored. An address without a scheme
    /// gets `https`, except loopback.
    ///
    /// - Parameters:
    ///   - command: The command, in one line or several.
    ///   - readsFiles: Pass `true` for a command that may name files to send. Defaults to `false`, so that somebody
    ///     else's command cannot take a file along.
    /// - Throws: ``RestClientError`` with the code ``RestClientError/Code-swift.struct/invalidCurlCommand`` for any
    ///   other option, which the message names, for variables of the shell, and for files;
    ///   ``RestClientError/Code-swift.struct/invalidURL`` and ``RestClientError/Code-swift.struct/invalidHeader``.
    public init(curl command: String, readsFiles: Bool = false) throws(RestClientError) {
        self = try CurlReading(command).node(RequestNode(), readsFiles: readsFiles)
    }
}

extension RequestNode where Model: Decodable {
    /// Creates the call that a curl command makes, and decodes the response; see ``init(curl:readsFiles:)``.
    ///
    /// - Parameters:
    ///   - model: The type to which the response is decoded.
    ///   - command: The command, in one line or several.
    ///   - readsFiles: Pass `true` for a command that may name files to send. Defaults to `false`.
    /// - Throws: ``RestClientError`` for a command that is no single request.
    public init(_ model: Model.Type, curl command: String, readsFiles: Bool = false) throws(RestClientError) {
        self = try CurlReading(command).node(RequestNode(model), readsFiles: readsFiles)
    }
}

extension CurlCommand {
    /// Returns Swift source that makes the request of a curl command, to be pasted into a program.
    ///
    /// Credentials of the command are in it as they are: replace them, as with a ``TokenSource``. All other texts are
    /// literals, so that no command can add code.
    ///
    /// - Parameter command: The command, see ``RequestNode/init(curl:readsFiles:)``; it may name files.
    /// - Returns: An expression over several lines, which begins with `try await manager.request()`.
    /// - Throws: ``RestClientError`` for a command that is no single request.
    public static func swiftSource(of command: String) throws(RestClientError) -> String {
        let calls = try CurlReading(command).steps.map { "    .\($0.source)" }
        return (["try await manager.request()"] + calls + ["    .send()"]).joined(separator: "\n")
    }
}

extension CurlReading {
    func node<Model>(
        _ node: RequestNode<Model>,
        readsFiles: Bool
    ) throws(RestClientError) -> RequestNode<Model> {
        if let path, !readsFiles {
            throw ShellWords.defect(
                "sends the file '\(MessageText.of(FileRange(path).name, limit: MessageText.partLimit))'; if it may, pass "
                    + "readsFiles: true"
            )
        }
        return steps.reduce(node) { $1.applied(to: $0) }
    }
}

// MARK: - Steps

extension CurlReading.Step {
    fileprivate func applied<Model>(to node: RequestNode<Model>) -> RequestNode<Model> {
        switch self {
        case .url(let url): node.url(url)
        case .method(let method): node.method(method)
        case .header(let name, let value): node.header(name, value)
        case .basic(let user, let password): node.basic(user: user, password: password)
        case .bearer(let token): node.bearer(token)
        case .body(let text, let type): node.body(.bytes(Data(text.utf8), contentType: type))
        case .file(let path, let type): node.body(.file(path, contentType: type))
        case .form(let fields): node.body(.multipart(fields.reduce(MultipartForm()) { $1.added(to: $0) }))
        case .timeout(let seconds): node.timeout(seconds > 0 ? .seconds(seconds) : nil)
        case .retry(let policy): node.retry(policy)
        case .redirects(let limit): node.redirects(.follow(limit: limit))
        }
    }

    /// The method call that does the same.
    fileprivate var source: String {
        switch self {
        case .url(let url): "url(\(SwiftLiteral.of(url)))"
        case .method(let method): Self.source(of: method)
        case .header(let name, let value): "header(\(SwiftLiteral.of(name.rawName)), \(SwiftLiteral.of(value)))"
        case .basic(let user, let password):
            "basic(user: \(SwiftLiteral.of(user)), password: \(SwiftLiteral.of(password)))"
        case .bearer(let token): "bearer(\(SwiftLiteral.of(token)))"
        case .body(let text, let type):
            "body(.bytes(Data(\(SwiftLiteral.of(text)).utf8), contentType: \(type.map(SwiftLiteral.of) ?? "nil")))"
        case .file(let path, let type):
            "body(.file(\(SwiftLiteral.of(path))\(SwiftLiteral.argument("contentType", type))))"
        case .form(let fields): "body(.multipart(MultipartForm()\(fields.map { ".\($0.source)" }.joined())))"
        case .timeout(let seconds): seconds > 0 ? "timeout(.seconds(\(seconds)))" : "timeout(nil)"
        case .retry(let policy): "retry(\(policy.attempts))"
        case .redirects(let limit): "redirects(.follow(limit: \(limit)))"
        }
    }

    private static func source(of method: HTTPRequest.Method) -> String {
        switch method {
        case .get, .head, .post, .put, .patch, .delete: "\(method.rawValue.lowercased())()"
        case .options, .trace, .connect: "method(.\(method.rawValue.lowercased()))"
        default: "method(HTTPRequest.Method(\(SwiftLiteral.of(method.rawValue)))!)"
        }
    }
}

extension CurlReading.Field {
    fileprivate func added(to form: MultipartForm) -> MultipartForm {
        if isFile {
            form.file(name, content, fileName: fileName, contentType: type)
        } else if type == nil, fileName == nil {
            form.field(name, content)
        } else {
            form.data(name, Data(content.utf8), fileName: fileName, contentType: type)
        }
    }

    fileprivate var source: String {
        let terms = SwiftLiteral.argument("fileName", fileName) + SwiftLiteral.argument("contentType", type)
        let (name, content) = (SwiftLiteral.of(name), SwiftLiteral.of(content))
        return isFile
            ? "file(\(name), \(content)\(terms))"
            : terms.isEmpty ? "field(\(name), \(content))" : "data(\(name), Data(\(content).utf8)\(terms))"
    }
}

/// Writes texts as literals of Swift, which end nowhere but at their ends, whatever the texts are.
enum SwiftLiteral {
    /// Returns a text as a literal: a raw one if that needs no escape sequences.
    static func of(_ text: String) -> String {
        let scalars = text.unicodeScalars
        // A quotation mark behind the opening one would begin a literal of several lines.
        guard scalars.first != "\"", !scalars.contains(where: MessageText.isHidden) else {
            return "\"\(scalars.map(escaped).joined())\""
        }
        // The numbers of signs behind a quotation mark or a backslash, with which the literal would end or escape.
        var (longest, run) = (-1, -1)
        for scalar in scalars {
            run = scalar == "\"" || scalar == "\\" ? 0 : scalar == "#" && run >= 0 ? run + 1 : -1
            longest = max(longest, run)
        }
        let signs = String(repeating: "#", count: longest + 1)
        return "\(signs)\"\(text)\"\(signs)"
    }

    static func argument(_ name: String, _ value: String?) -> String {
        value.map { ", \(name): \(of($0))" } ?? ""
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\"", "\\": "\\\(scalar)"
        case _ where MessageText.isHidden(scalar): "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
        default: "\(scalar)"
        }
    }
}
