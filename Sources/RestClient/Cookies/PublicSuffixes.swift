// SPDX-License-Identifier: MIT

/// The domains under which anybody may register names, such as `com` and `co.uk`: servers must not set cookies for
/// them.
///
/// ``common`` knows the rules that most of these domains follow, and the domains under which well-known hosting
/// services serve their customers. The list of <https://publicsuffix.org> knows them all:
///
/// ```swift
/// let text = try String(contentsOfFile: "/usr/share/publicsuffix/public_suffix_list.dat", encoding: .utf8)
/// let jar = CookieJar(publicSuffixes: PublicSuffixes(list: text))
/// ```
public struct PublicSuffixes: Sendable {
    /// Every domain with one label, those with a common second label beneath the code of a country, such as `com.au`,
    /// and those of hosting services, such as `github.io`.
    public static let common = PublicSuffixes()

    /// The countries whose registries have no second labels; companies offer names beneath these two.
    private static let flatCountries: Set<Substring> = ["ch", "de", "dk", "eu", "li", "nl"]
    private static let soldLabels: Set<Substring> = ["co", "com"]

    private static let hosts: Set<String> = [
        "amplifyapp.com", "appspot.com", "azureedge.net", "azurestaticapps.net", "azurewebsites.net", "blogspot.com",
        "cloudapp.net", "cloudfront.net", "deno.dev", "firebaseapp.com", "fly.dev", "github.io", "gitlab.io",
        "glitch.me", "herokuapp.com", "hf.space", "myshopify.com", "netlify.app", "ngrok-free.app", "ngrok.app",
        "ngrok.io", "onrender.com", "pages.dev", "r2.dev", "readthedocs.io", "repl.co", "replit.app", "run.app",
        "s3.amazonaws.com", "surge.sh", "trafficmanager.net", "up.railway.app", "vercel.app", "web.app",
        "workers.dev",
    ]

    private static let secondLabels: Set<Substring> = [
        "ac", "ad", "asn", "biz", "club", "co", "com", "ed", "edu", "firm", "gen", "go", "gob", "gouv", "gov", "govt",
        "gr", "gv", "id", "idv", "in", "inf", "info", "int", "k12", "lg", "ltd", "me", "mil", "name", "ne", "net",
        "nhs", "nom", "nsw", "or", "org", "plc", "police", "press", "pro", "qld", "sch", "school", "tm", "vic", "web",
    ]

    private var rules: Set<String>?
    private var wildcards: Set<String> = []
    private var exceptions: Set<String> = []

    private init() {}

    /// Reads the list of <https://publicsuffix.org>.
    ///
    /// - Parameter text: The text of the list, in UTF-8. Names outside ASCII are compared in the `xn--` form that hosts
    ///   have.
    public init(list text: String) {
        var rules: Set<String> = []
        for line in text.split(whereSeparator: \.isNewline) {
            guard let rule = line.split(whereSeparator: \.isWhitespace).first?.lowercased(), !rule.hasPrefix("//")
            else {
                continue
            }
            if rule.hasPrefix("*.") {
                wildcards.insert(Punycode.host(rule.dropFirst(2)))
            } else if rule.hasPrefix("!") {
                exceptions.insert(Punycode.host(rule.dropFirst()))
            } else {
                rules.insert(Punycode.host(rule))
            }
        }
        self.rules = rules
    }

    func contains(_ domain: String) -> Bool {
        let labels = domain.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count > 1, labels.allSatisfy({ !$0.isEmpty }) else {
            return true
        }
        guard let rules else {
            guard labels.count == 2, labels[1].count == 2 else {
                return Self.hosts.contains(domain)
            }
            let seconds = Self.flatCountries.contains(labels[1]) ? Self.soldLabels : Self.secondLabels
            return seconds.contains(labels[0]) || Self.hosts.contains(domain)
        }
        guard !exceptions.contains(domain) else {
            return false
        }
        return rules.contains(domain) || wildcards.contains(labels.dropFirst().joined(separator: "."))
    }

    /// Returns the site of a host: the name directly under a public suffix, which somebody has registered.
    func site(of host: String) -> String {
        // A longer one is no name of the DNS, and each of its dots is a step.
        guard host.utf8.count <= 253, !Cookie.isAddress(host) else {
            return host
        }
        var site = host[...]
        while let dot = site.firstIndex(of: "."), case let parent = site[site.index(after: dot)...],
            !contains(String(parent))
        {
            site = parent
        }
        return String(site)
    }
}

/// Writes names outside ASCII in the form in which hosts have them (RFC 3492).
enum Punycode {
    private static let (base, smallest, largest, skew, damp) = (36, 1, 26, 38, 700)
    private static let (firstBias, firstCode) = (72, 128)
    private static let digits = Array("abcdefghijklmnopqrstuvwxyz0123456789")

    /// Returns a host whose labels outside ASCII begin with `xn--`.
    static func host(_ name: some StringProtocol) -> String {
        name.split(separator: ".", omittingEmptySubsequences: false)
            .map { $0.utf8.allSatisfy { $0 < 0x80 } ? String($0) : "xn--" + encode($0) }
            .joined(separator: ".")
    }

    /// Returns the encoded form of a label (RFC 3492, section 6.3).
    static func encode(_ label: some StringProtocol) -> String {
        let codes = label.unicodeScalars.map { Int($0.value) }
        var output = String(String.UnicodeScalarView(label.unicodeScalars.filter(\.isASCII)))
        let plainCount = output.utf8.count
        if plainCount > 0 {
            output += "-"
        }
        var (done, delta, bias) = (plainCount, 0, firstBias)
        var code = firstCode
        while done < codes.count, let next = codes.filter({ $0 >= code }).min() {
            delta += (next - code) * (done + 1)
            code = next
            for other in codes {
                if other < code {
                    delta += 1
                } else if other == code {
                    append(delta, bias, to: &output)
                    bias = adapted(delta, count: done + 1, isFirst: done == plainCount)
                    delta = 0
                    done += 1
                }
            }
            delta += 1
            code += 1
        }
        return output
    }

    private static func append(_ number: Int, _ bias: Int, to output: inout String) {
        var rest = number
        var position = base
        while case let threshold = min(max(position - bias, smallest), largest), rest >= threshold {
            output.append(digits[threshold + (rest - threshold) % (base - threshold)])
            rest = (rest - threshold) / (base - threshold)
            position += base
        }
        output.append(digits[rest])
    }

    private static func adapted(_ delta: Int, count: Int, isFirst: Bool) -> Int {
        var rest = isFirst ? delta / damp : delta / 2
        rest += rest / count
        var bias = 0
        while rest > (base - smallest) * largest / 2 {
            rest /= base - smallest
            bias += base
        }
        return bias + (base - smallest + 1) * rest / (rest + skew)
    }
}
