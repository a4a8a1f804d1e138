// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials

/// A curl command as the steps that make a request of it: pure.
///
/// An option that has no counterpart in a request is an error that names it and never its value, which may be a secret.
struct CurlReading {
    /// An argument of one method of a node.
    enum Step {
        case url(String)
        case method(HTTPRequest.Method)
        case header(HTTPField.Name, String)
        case basic(user: String, password: String)
        case bearer(String)
        case body(String, type: String?)
        case file(String, type: String?)
        case form([Field])
        case timeout(seconds: Double)
        case retry(RetryPolicy)
        case redirects(limit: Int)
    }

    /// A field of a form.
    struct Field {
        let name: String
        let isFile: Bool
        /// The text of the field, or the path of the file.
        let content: String
        var type: String?
        var fileName: String?
    }

    /// The options that say nothing about the request, or what is the case anyway.
    private static let idle: Set<String> = [
        "basic", "fail", "fail-with-body", "include", "location", "no-buffer", "no-progress-meter", "path-as-is",
        "progress-bar", "show-error", "silent", "verbose",
    ]

    private static let flags: Set<String> = idle.union(["compressed", "get", "globoff", "head"])

    private static let letters: [Character: String] = [
        "#": "progress-bar", "A": "user-agent", "F": "form", "G": "get", "H": "header", "I": "head", "L": "location",
        "N": "no-buffer", "S": "show-error", "T": "upload-file", "X": "request", "b": "cookie", "d": "data",
        "e": "referer", "f": "fail", "g": "globoff", "i": "include", "m": "max-time", "r": "range", "s": "silent",
        "u": "user", "v": "verbose",
    ]

    private var given: Set<String> = []
    private var url: String?
    private var method: HTTPRequest.Method?
    private var headers: [(name: HTTPField.Name, value: String)] = []
    /// The fields that curl would set itself, and shall not.
    private var removed: Set<HTTPField.Name> = []
    private var data: String?
    private var file: String?
    private var form: [Field] = []
    private var credentials: Step?
    private var terms: [Step] = []

    private(set) var steps: [Step] = []

    init(_ command: String) throws(RestClientError) {
        var words = try ShellWords(command).words[...]
        guard let name = words.popFirst(), name == "curl" || name.hasSuffix("/curl") else {
            throw ShellWords.defect("does not begin with 'curl'")
        }
        while let word = words.popFirst() {
            guard word.hasPrefix("-"), word != "-" else {
                try take("url", word)
                continue
            }
            if word.hasPrefix("--") {
                let option = String(word.dropFirst(2))
                if Self.flags.contains(option) {
                    given.insert(option)
                } else {
                    try take(option, try Self.value(words.popFirst(), of: word), shown: word)
                }
                continue
            }
            var cluster = word.dropFirst()
            while let letter = cluster.popFirst() {
                guard let option = Self.letters[letter] else {
                    throw Self.unknown("-\(letter)")
                }
                if Self.flags.contains(option) {
                    given.insert(option)
                } else {
                    let value = cluster.isEmpty ? words.popFirst() : String(cluster)
                    cluster = ""
                    try take(option, try Self.value(value, of: "-\(letter)"), shown: "-\(letter)")
                }
            }
        }
        steps = try makeSteps()
    }

    /// The first file that the request sends; `nil` for none.
    var path: String? {
        for step in steps {
            switch step {
            case .file(let path, _): return path
            case .form(let fields): return fields.first(where: \.isFile)?.content
            default: break
            }
        }
        return nil
    }

    // MARK: - Options

    private mutating func take(_ option: String, _ value: String, shown: String = "") throws(RestClientError) {
        switch option {
        case "url":
            guard url == nil else {
                throw ShellWords.defect(
                    "has two URLs; quote arguments with spaces, and write one command for each request"
                )
            }
            url = value
        case "request":
            guard let method = HTTPRequest.Method(value) else {
                throw ShellWords.defect("has a method that is not a token")
            }
            self.method = method
        case "header":
            try takeHeader(value)
        case "user-agent":
            try set(.userAgent, value)
        case "referer":
            guard !value.hasSuffix(";auto") else {
                throw Self.unknown("\(shown) …;auto")
            }
            try set(.referer, value)
        case "cookie":
            guard value.utf8.contains(UInt8(ascii: "=")) else {
                throw ShellWords.defect("takes cookies from a file with '\(shown)'; use .cookies(_:) with a CookieJar")
            }
            try set(.cookie, value)
        case "range":
            try set(.range, "bytes=\(value)")
        case "data", "data-ascii", "data-raw", "data-binary", "data-urlencode", "json":
            try takeData(value, by: option, shown)
        case "form", "form-string":
            form.append(try field(value, isLiteral: option == "form-string"))
        case "upload-file":
            try takeFile(value)
            given.insert(option)
        case "user":
            guard let colon = value.utf8.firstIndex(of: UInt8(ascii: ":")) else {
                throw ShellWords.defect("has a user without a password, for which curl would ask; write user:password")
            }
            let password = String(value[value.utf8.index(after: colon)...])
            credentials = .basic(user: String(value[..<colon]), password: password)
        case "oauth2-bearer":
            try Self.check(value, of: .authorization)
            credentials = .bearer(value)
        case "max-time":
            guard let seconds = Double(value), (0...1e9).contains(seconds) else {
                throw ShellWords.defect("has no number of seconds after '\(shown)'")
            }
            terms.append(.timeout(seconds: seconds))
        case "retry":
            terms.append(.retry(RetryPolicy(attempts: 1 + (try Self.count(value, shown)))))
        case "max-redirs":
            terms.append(.redirects(limit: try Self.count(value, shown)))
        default:
            throw Self.unknown(shown)
        }
    }

    private static func unknown(_ option: String) -> RestClientError {
        let name = option.prefix(40).prefix { $0 != "=" && !$0.isWhitespace }
        return ShellWords.defect(
            "has the option '\(name)', which has no counterpart here; remove it, or set what it means"
        )
    }

    private static func value(_ value: String?, of option: String) throws(RestClientError) -> String {
        guard let value else {
            throw unknown(option)
        }
        return value
    }

    private static func count(_ value: String, _ option: String) throws(RestClientError) -> Int {
        guard let count = Int(value), (0...1_000_000).contains(count) else {
            throw ShellWords.defect("has no count after '\(option)'")
        }
        return count
    }

    // MARK: - Header fields

    private static func check(_ value: String, of name: HTTPField.Name) throws(RestClientError) {
        if let defect = HeaderCheck.defect(in: value, of: name) {
            throw defect
        }
    }

    private mutating func set(_ name: HTTPField.Name, _ value: String) throws(RestClientError) {
        try Self.check(value, of: name)
        headers.append((name, value))
    }

    /// Takes a field: `Name: value`, `Name;` for an empty one, or `Name:` for one that curl shall not set itself.
    private mutating func takeHeader(_ text: String) throws(RestClientError) {
        guard !text.hasPrefix("@") else {
            throw ShellWords.defect("takes header fields from a file; write them in the command")
        }
        let end = text.utf8.firstIndex { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ";") }
        guard let end, text.utf8[end] == UInt8(ascii: ":") || text.utf8.index(after: end) == text.endIndex else {
            throw ShellWords.defect("has a header field without a colon")
        }
        let name = try HeaderCheck.name(String(FieldList.trimmed(text[..<end]))).get()
        let value = FieldList.trimmed(text[text.utf8.index(after: end)...])
        if value.isEmpty, text.utf8[end] == UInt8(ascii: ":") {
            removed.insert(name)
        } else {
            try set(name, String(value))
        }
    }

    // MARK: - Bodies

    private mutating func takeData(_ value: String, by option: String, _ shown: String) throws(RestClientError) {
        var value = value
        switch option {
        case "data-raw":
            break
        case "data-binary" where value.hasPrefix("@"):
            return try takeFile(String(value.dropFirst()))
        case "data-urlencode":
            let mark = value.utf8.firstIndex { $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: "@") }
            guard let mark else {
                value = PercentEncoding.encode(value)
                break
            }
            guard value.utf8[mark] == UInt8(ascii: "=") else {
                throw ShellWords.defect("takes data from a file with '\(shown)'; write the data in the command")
            }
            let (name, text) = (value[..<mark], PercentEncoding.encode(value[value.utf8.index(after: mark)...]))
            value = name.isEmpty ? text : "\(name)=\(text)"
        default:
            guard !value.hasPrefix("@") else {
                throw ShellWords.defect("takes data from a file with '\(shown)'; use --data-binary")
            }
        }
        let isJSON = option == "json"
        if isJSON {
            given.insert(option)
        }
        data = data.map { "\($0)\(isJSON ? "" : "&")\(value)" } ?? value
    }

    private mutating func takeFile(_ path: String) throws(RestClientError) {
        guard path != "-", path != ".", file == nil else {
            throw ShellWords.defect("sends several files, or its standard input; name one file")
        }
        file = path
    }

    /// Returns a field of a form: `name=text`, `name=@path`, with parameters as in `;type=text/plain;filename="a"`.
    private func field(_ text: String, isLiteral: Bool) throws(RestClientError) -> Field {
        guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")) else {
            throw ShellWords.defect("has a field of a form without an equals sign")
        }
        let name = String(text[..<equals])
        var rest = text[text.utf8.index(after: equals)...]
        guard !isLiteral else {
            return Field(name: name, isFile: false, content: String(rest))
        }
        let isFile = rest.utf8.first == UInt8(ascii: "@")
        if isFile {
            rest.unicodeScalars.removeFirst()
        }
        let isQuoted = rest.utf8.first == UInt8(ascii: "\"")
        let content = try Self.takeWord(&rest)
        guard isFile || isQuoted || content.utf8.first != UInt8(ascii: "<") else {
            throw ShellWords.defect("takes the text of a form's field from a file; write the text in the command")
        }
        guard !isFile || (content != "-" && (isQuoted || !content.utf8.contains(UInt8(ascii: ",")))) else {
            throw ShellWords.defect("sends several files, or its standard input, in one field of a form; name one file")
        }
        var field = Field(name: name, isFile: isFile, content: content)
        while rest.utf8.first == UInt8(ascii: ";") {
            rest = rest.dropFirst().drop { $0 == " " }
            let key = String(rest.prefix { $0 != "=" && $0 != ";" })
            if key == "type" || key == "filename" {
                rest = rest.dropFirst(key.count + 1)
                let value = try Self.takeWord(&rest)
                (field.type, field.fileName) = key == "type" ? (value, field.fileName) : (field.type, value)
            } else if let type = field.type, field.fileName == nil, !["headers", "encoder"].contains(key) {
                // A parameter of the media type.
                field.type = "\(type);\(try Self.takeWord(&rest))"
            } else {
                throw ShellWords.defect(
                    "has a field of a form with a semicolon that begins neither a type nor a filename; use --form-string"
                )
            }
        }
        return field
    }

    /// Takes a text up to the next semicolon, or one in double quotes.
    private static func takeWord(_ rest: inout Substring) throws(RestClientError) -> String {
        var scalars = rest.unicodeScalars
        defer { rest = Substring(scalars) }
        guard scalars.first == "\"" else {
            let word = scalars.prefix { $0 != ";" }
            scalars = scalars[word.endIndex...]
            return String(word)
        }
        scalars.removeFirst()
        var word = "".unicodeScalars
        while let scalar = scalars.popFirst() {
            if scalar == "\"" {
                guard scalars.isEmpty || scalars.first == ";" else {
                    break
                }
                return String(word)
            }
            let isEscape = scalar == "\\" && (scalars.first == "\\" || scalars.first == "\"")
            word.append(isEscape ? scalars.removeFirst() : scalar)
        }
        throw ShellWords.defect("has a field of a form whose quotation marks do not match")
    }

    // MARK: - The request

    private func makeSteps() throws(RestClientError) -> [Step] {
        let isGet = given.contains("get")
        guard [data != nil && !isGet, file != nil, !form.isEmpty].count(where: \.self) <= 1 else {
            throw ShellWords.defect("has two bodies: data, a form or a file; keep one")
        }
        var steps: [Step] = [.url(try makeURL(isGet))]
        let isUpload = given.contains("upload-file")
        let hasBody = (data != nil && !isGet) || file != nil || !form.isEmpty
        let implied: HTTPRequest.Method? = given.contains("head") ? .head : isUpload ? .put : hasBody ? .post : nil
        if let method = method ?? implied {
            steps.append(.method(method))
        }
        var fields = fields()
        let isJSON = given.contains("json")
        if isJSON, fields[.accept] == nil, !removed.contains(.accept) {
            fields[.accept] = "application/json"
        }
        var type: String?
        if hasBody {
            type = fields.removeValue(forKey: .contentType)
            if type == nil, !removed.contains(.contentType), !isUpload {
                type = isJSON ? "application/json" : "application/x-www-form-urlencoded"
            }
        }
        if removed.contains(.userAgent), fields[.userAgent] == nil {
            fields[.userAgent] = ""
        }
        steps += fields.sorted { $0.key.canonicalName < $1.key.canonicalName }.map { .header($0.key, $0.value) }
        if let credentials {
            steps.append(credentials)
        }
        if let data, !isGet {
            steps.append(.body(data, type: type))
        } else if let file {
            steps.append(.file(file, type: type))
        } else if !form.isEmpty {
            steps.append(.form(form))
        }
        return steps + terms
    }

    /// The fields without those that the transport sets; several of a name are one list.
    private func fields() -> [HTTPField.Name: String] {
        var fields: [HTTPField.Name: String] = [:]
        for (name, value) in headers where name != .contentLength {
            if name != .acceptEncoding || !given.contains("compressed") {
                fields[name] = fields[name].map { "\($0)\(name == .cookie ? ";" : ",") \(value)" } ?? value
            }
        }
        return fields
    }

    private func makeURL(_ isGet: Bool) throws(RestClientError) -> String {
        guard var text = url, !text.isEmpty else {
            throw ShellWords.defect("has no URL")
        }
        if !text.contains("://") {
            let host = text.prefix { !"/?#".contains($0) }.prefix { $0 != ":" }
            // A server's address has the same schemes; curl takes 'http' for all.
            text = "\(HTTPURL.isLoopback(String(host)) ? "http" : "https")://\(text)"
        }
        text = String(HTTPURL.withoutFragment(text))
        if isGet, let data {
            text += (HTTPURL.query(of: text) == nil ? "?" : "&") + data
        }
        do throws(HTTPURL.Defect) {
            let parsed = try HTTPURL(whole: text)
            guard given.contains("globoff") || !parsed.target.utf8.contains(where: { "{}[]".utf8.contains($0) }) else {
                throw HTTPURL.Defect(reason: "curl makes several requests of brackets; name one, or add --globoff")
            }
            if given.contains("upload-file"), parsed.path.hasSuffix("/"), let file {
                throw HTTPURL.Defect(
                    reason: "curl appends a name to it; write '\(FileRange(file).name)' at its end"
                )
            }
        } catch {
            throw RestClientError(.invalidURL, "'\(Redaction.url(text))' is not a valid request URL: \(error.reason)")
        }
        return text
    }
}
