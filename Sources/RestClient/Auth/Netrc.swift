// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials

/// The user names and passwords of a `.netrc` file, which curl, git and other tools read.
///
/// ```swift
/// manager.options = manager.options.netrc(try Netrc())
/// ```
///
/// A file has entries such as `machine api.example.com login kim password "a b"`, and at its end perhaps a `default`.
/// Accounts, macros and comments are skipped. The first entry of a machine counts.
public struct Netrc: Sendable {
    struct Entry: Hashable, Sendable {
        var user: String?
        var password = ""

        var field: String? { user.map { "Basic " + Data("\($0):\(password)".utf8).base64EncodedString() } }
    }

    private static let sizeLimit = 1 << 20

    private var machines: [String: Entry] = [:]
    private var fallback: Entry?

    /// Reads a file, once.
    ///
    /// - Parameter path: The path of the file. Defaults to that in the variable `NETRC` of the environment, otherwise
    ///   `.netrc` in the home folder.
    /// - Throws: ``RestClientError`` with the code ``RestClientError/Code-swift.struct/invalidNetrc`` if the file is
    ///   missing or malformed, if it belongs to another user, or if others can read or change it.
    public init(file path: String? = nil) throws(RestClientError) {
        let variables = ProcessInfo.processInfo.environment
        guard let path = path ?? variables["NETRC"] ?? variables["HOME"].map({ "\($0)/.netrc" }) else {
            throw Self.defect("the home folder is unknown; name the file")
        }
        var reason = "it does not exist or cannot be read"
        let bytes = UntrustedFile.bytes(at: path, upTo: Self.sizeLimit, followsLinks: true) { file in
            var information = stat()
            guard unsafe fstat(file, &information) == 0, information.st_mode & S_IFMT == S_IFREG else {
                reason = "it is not a regular file"
                return false
            }
            guard information.st_uid == geteuid() else {
                reason = "it belongs to another user"
                return false
            }
            guard information.st_mode & 0o077 == 0 else {
                reason = "others may read or change it; run 'chmod 600' on it"
                return false
            }
            reason = "it is longer than \(Self.sizeLimit) bytes"
            return true
        }
        guard let text = bytes.map({ String(validating: $0, as: UTF8.self) }) else {
            throw Self.defect(reason, path)
        }
        guard let text else {
            throw Self.defect("it is not UTF-8", path)
        }
        try self.init(text: text, path: path)
    }

    init(text: String, path: String = ".netrc") throws(RestClientError) {
        var tokens = NetrcTokens(text)
        var name: String?
        var entry: Entry?
        while let keyword = try tokens.next(skipsComments: true, path) {
            func value() throws(RestClientError) -> String {
                guard let value = try tokens.next(skipsComments: false, path) else {
                    throw Self.defect("a word is missing at its end", path)
                }
                return value
            }
            switch keyword {
            case "machine", "default":
                keep(entry, name)
                name = keyword == "machine" ? HTTPURL.withoutFinalDot(try value().lowercased()) : nil
                entry = Entry()
            case "login" where entry != nil:
                let user = try value()
                guard !user.utf8.contains(UInt8(ascii: ":")) else {
                    throw Self.defect("line \(tokens.line) has a login with a colon, which HTTP does not allow", path)
                }
                entry?.user = user
            case "password" where entry != nil:
                entry?.password = try value()
            case "account":
                _ = try value()
            case "macdef":
                tokens.skipMacro()
            default:
                // The word itself may be a part of a password.
                throw Self.defect(
                    "line \(tokens.line) has a word where 'machine', 'default', 'login' or 'password' must stand; "
                        + "quote values with spaces",
                    path
                )
            }
        }
        keep(entry, name)
    }

    private mutating func keep(_ entry: Entry?, _ name: String?) {
        guard let entry else {
            return
        }
        if let name {
            machines[name] = machines[name] ?? entry
        } else {
            fallback = fallback ?? entry
        }
    }

    func entry(for host: String, usesDefault: Bool) -> Entry? {
        machines[host] ?? (usesDefault ? fallback : nil)
    }

    static func defect(_ reason: String, _ path: String = ".netrc") -> RestClientError {
        let shown = MessageText.of(path, limit: MessageText.partLimit)
        return RestClientError(.invalidNetrc, "the file '\(shown)' was not used: \(reason)")
    }
}

extension Netrc: MirroredByDescription {
    /// The number of machines, without their names, users and passwords.
    public var description: String { "a .netrc file of \(machines.count) machines" }
}

/// The words of a `.netrc` file: pure.
private struct NetrcTokens {
    private var rest: Substring.UnicodeScalarView
    private(set) var line = 1

    init(_ text: String) {
        rest = Substring(text).unicodeScalars
    }

    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar.value <= 0x20 }

    private mutating func take() -> Unicode.Scalar? {
        let scalar = rest.popFirst()
        line += scalar == "\n" ? 1 : 0
        return scalar
    }

    mutating func next(skipsComments: Bool, _ path: String) throws(RestClientError) -> String? {
        while let first = rest.first {
            if Self.isBlank(first) {
                _ = take()
            } else if skipsComments, first == "#" {
                rest = rest.drop { $0 != "\n" }
            } else {
                return first == "\"" ? try quoted(path) : word()
            }
        }
        return nil
    }

    private mutating func word() -> String {
        let word = rest.prefix { !Self.isBlank($0) }
        rest = rest[word.endIndex...]
        return String(word)
    }

    private mutating func quoted(_ path: String) throws(RestClientError) -> String {
        let start = line
        _ = take()
        var text = "".unicodeScalars
        while let scalar = take() {
            switch scalar {
            case "\"":
                return String(text)
            case "\\":
                guard let next = take() else {
                    break
                }
                text.append(next == "n" ? "\n" : next == "r" ? "\r" : next == "t" ? "\t" : next)
            default:
                text.append(scalar)
            }
        }
        throw Netrc.defect("the quotation mark in line \(start) has no counterpart", path)
    }

    /// Skips a macro, which ends with a blank line.
    mutating func skipMacro() {
        var isEmpty = false
        while let scalar = take() {
            if scalar == "\n" {
                if isEmpty {
                    return
                }
                isEmpty = true
            } else if scalar != "\r" {
                isEmpty = false
            }
        }
    }
}

// MARK: - Calls

extension CallConfigurable {
    /// Sends user name and password of a `.netrc` file to the machines that it names, in the `Authorization` field
    /// (RFC 7617); none are sent if no level sets a file.
    ///
    /// The entry `default` is for registered servers only. An `Authorization` field or authentication of any level
    /// takes precedence, also ``Authentication/anonymous``. A redirect to another server gets neither this field nor
    /// that of an entry of its own, nor does a URL of a machine that another server named.
    ///
    /// - Parameter netrc: The file; `nil` for none, whatever an outer level says.
    /// - Returns: A changed copy.
    public consuming func netrc(_ netrc: Netrc?) -> Self {
        option(.netrc, netrc)
    }
}

extension CallOptionKey<Netrc?> {
    static var netrc: Self {
        Self("netrc", decidesResponse: true) { $0?.description ?? "none" }
    }
}

final class NetrcTerms: PolicyPart {
    /// Sets the field of the entry for a request, and returns the terms that explain it; `nil` if there is none.
    static func of(
        _ options: CallOptions,
        _ url: String,
        hasServer: Bool,
        hasToken: Bool,
        _ headers: inout HeaderFields
    ) -> NetrcTerms? {
        guard let netrc = options[.netrc] ?? nil, !hasToken, !headers.contains(.authorization),
            options[.authentication]?.scheme != nil || options[.authentication] == nil,
            let host = (try? HTTPURL(sent: url))?.comparedHost,
            let field = netrc.entry(for: host, usesDefault: hasServer)?.field
        else {
            return nil
        }
        headers.fields[.authorization] = field
        return NetrcTerms()
    }

    func origin(of field: HTTPField.Name, in options: CallOptions) -> (text: String, level: CallOptions.Level?)? {
        field == .authorization ? ("the .netrc file", options.level(of: .netrc)) : nil
    }
}
