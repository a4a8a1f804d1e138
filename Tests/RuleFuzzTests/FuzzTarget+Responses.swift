// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import SeededRandom
import SharedStore

@testable import RestClient

/// The header fields of servers: freshness, lists, links, limits and dates.
extension FuzzTarget {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    private static let directives = [
        "max-age=60", "max-age=0", "max-age=\"60\"", "max-age = 60", "max-age=-1", "max-age=99999999999999999999",
        "max-age", "no-store",
        "no-cache", "no-cache=\"set-cookie, x\"", "private", "private=\"a\"", "public", "must-revalidate",
        "must-understand", "immutable",
        "stale-while-revalidate=30", "stale-if-error=30", "max-stale", "max-stale=10", "min-fresh=20", "only-if-cached",
        "x=\"a, no-store\"",
        "NO-STORE", " ", "", "\"", "=", "=1", "max-age=1.5", "s-maxage=5", "x=\"\\\"",
    ]

    private static func control(_ input: inout FuzzInput) -> String {
        let text = input.list(0...4) { $0.pick(directives) }.joined(separator: input.pick([",", ", ", ",,", " , "]))
        return input.chance(4) ? input.changed(text, with: [",", "\"", "=", "max-age="]) : text
    }

    private static func date(_ input: inout FuzzInput) -> String {
        let text = HTTPDate.text(
            now.addingTimeInterval(Double(input.int(-200...200)) * Double(input.pick([1, 1, 100_000_000])))
        )
        return input.chance(6) ? input.changed(text, with: ["0", "-", ":", " "]) : text
    }

    private static func headers(_ input: inout FuzzInput) -> HTTPFields {
        var headers: HTTPFields = [.cacheControl: control(&input)]
        if input.chance(2) { headers[.date] = date(&input) }
        if input.chance(3) { headers[.expires] = input.chance(4) ? "0" : date(&input) }
        if input.chance(3) { headers[.lastModified] = date(&input) }
        if input.chance(3) {
            headers[.age] = input.pick(["0", "5", "59", "60", "99999999999999999999", "-1", "x", "1, 2"])
        }
        if input.chance(3) { headers[.eTag] = input.pick(["\"1\"", "W/\"1\"", "1", "\"", "", "W/"]) }
        if input.chance(4) { headers[.vary] = input.pick(["*", "accept", "Accept, X", ", *", "a b", ""]) }
        return headers
    }

    static let cacheControl = FuzzTarget("cache-control", 750) { input in
        let text = control(&input)
        let fields: HTTPFields = [.cacheControl: text]
        let written = fields[.cacheControl] ?? ""
        let control = CacheControl(fields)
        // A second computation where nothing is quoted.
        if !written.contains("\"") {
            let names = written.split(separator: ",")
                .map { FieldList.trimmed($0.prefix { $0 != "=" }).lowercased() }
            for name in [CacheControl.Name.noStore, .noCache, .isPublic, .mustRevalidate, .maxAge, .onlyIfCached] {
                try demand(
                    control.contains(name) == names.contains(name.rawValue),
                    "'\(written)' has \(name): \(control)"
                )
            }
        }
        for name in [CacheControl.Name.maxAge, .maxStale, .minFresh, .staleIfError, .staleWhileRevalidate] {
            if let duration = control.seconds(name).duration {
                let isSensible = duration >= .zero && duration <= .seconds(100 * 366 * 86_400)
                try demand(isSensible, "'\(written)' says \(name) \(duration)")
            }
        }
        // One field of two values is the same as two fields.
        var two: HTTPFields = [.cacheControl: text]
        two.append(HTTPField(name: .cacheControl, value: "min-fresh=1"))
        if FieldList.elements(of: written + ",min-fresh=1").count == FieldList.elements(of: written).count + 1 {
            try demand(
                CacheControl(two) == CacheControl([.cacheControl: written + ",min-fresh=1"]),
                "'\(written)' twice"
            )
        }
        let elements = FieldList.elements(of: written).map(String.init)
        try demand(
            FieldList.elements(of: elements.joined(separator: ", ")).map(String.init) == elements
                || !isPaired(elements),
            written
        )
    }

    /// True if no element has a quote that is not closed.
    private static func isPaired(_ elements: [String]) -> Bool {
        elements.allSatisfy { $0.count { $0 == "\"" } % 2 == 0 && !$0.contains("\\") }
    }

    private static func stored(_ headers: HTTPFields, age: Double, status: Int) -> StoredResponse {
        let time = now.addingTimeInterval(-age)
        let head = StoredHead(
            bodyID: 1,
            status: .init(code: status),
            headers: headers,
            method: .get,
            requestURL: "https://h/",
            requestTime: time,
            responseTime: time,
            selecting: SelectingFields([]),
            requestedRange: nil,
            limit: nil,
            isInvalidated: false
        )
        return StoredResponse(
            key: "k",
            head: head,
            entry: CacheEntry(body: Data("0123456789".utf8), storedAt: time),
            isInMemory: false
        )
    }

    static let cacheUse = FuzzTarget("cache-use", 350) { input in
        let (headers, status) = (headers(&input), input.pick([200, 200, 203, 301, 404, 206, 500, 302]))
        let request = CacheRequest(method: .get, headers: input.chance(3) ? [.cacheControl: control(&input)] : [:])
        func isFresh(_ age: Double) -> Bool {
            let lookup = CacheEngine.lookup(
                stored(headers, age: age, status: status),
                request: request,
                policy: .http,
                now: now
            )
            if case .use(let use) = lookup { return use.staleness == nil }
            return false
        }
        let age = Double(input.int(0...200))
        if isFresh(age) {
            try demand(!request.control.contains(.noStore), "no-store was ignored")
            try demand(!CacheControl(headers).isUnqualified(.noCache), "no-cache was ignored: \(headers)")
            // Time only takes freshness away. Fields with dates are measured against a fixed clock, and left out.
            if !headers.contains(.date), !headers.contains(.expires), !headers.contains(.lastModified) {
                try demand(
                    isFresh(max(0, age - Double(input.int(0...60)))),
                    "\(headers) of \(age) s was not fresh before"
                )
            }
        }
        let freshness = ResponseFreshness(
            status: .init(code: status),
            headers: headers,
            control: CacheControl(headers),
            responseTime: now
        )
        try demand(freshness.lifetime >= .zero, "the lifetime is \(freshness.lifetime)")
        let initial = ResponseFreshness.initialAge(of: headers, requestTime: now, responseTime: now)
        let later = ResponseFreshness.age(
            of: headers,
            requestTime: now,
            responseTime: now,
            now: now.addingTimeInterval(age)
        )
        try demand(initial >= .zero && later >= initial, "\(headers): the age \(later) after \(initial)")
        let response = RawResponse(status: .init(code: status), headers: headers, body: Data("0123456789".utf8))
        let storing = CacheEngine.storing(
            request,
            FetchedResponse(response, requestTime: now, responseTime: now),
            .http
        )
        if case .store = storing {
            let control = CacheControl(headers)
            try demand(!control.contains(.noStore) || control.contains(.mustUnderstand), "stored despite \(headers)")
            try demand(!request.control.contains(.noStore), "stored despite the request")
            try demand(
                headers[.vary].map { !FieldList.elements(of: $0).contains("*") } ?? true,
                "stored despite \(headers)"
            )
        }
    }

    static let fields = FuzzTarget("fields", 750) { input in
        let (first, count) = (Int64(input.int(0...1_000)), Int64(input.int(1...1_000)))
        let whole = input.chance(2) ? nil : first + count + Int64(input.int(0...5))
        let text = "bytes \(first)-\(first + count - 1)/\(whole.map { "\($0)" } ?? "*")"
        try demand(ContentRange(text) == .bytes(first..<first + count, of: whole), "'\(text)'")
        if case .bytes(let range, let whole) = ContentRange(
            input.changed(text, with: ["-", "/", "*", "9223372036854775807", " "])
        ) {
            try demand(
                !range.isEmpty && range.lowerBound >= 0 && whole.map { range.upperBound <= $0 } ?? true,
                "\(range) of \(whole ?? -1)"
            )
        }
        let any = input.anyText(0...10)
        let elements = FieldList.elements(of: any)
        for element in elements {
            try demand(
                !element.isEmpty && FieldList.trimmed(element) == element,
                "'\(any)' has the element '\(element)'"
            )
        }
        // Nothing but commas and spaces is lost.
        let kept = { (text: Substring) in text.utf8.filter { ![0x2C, 0x20, 0x09].contains($0) } }
        try demand(kept(any[...]) == elements.flatMap { kept($0) }, "'\(any)' became \(elements)")
        _ = FieldList.unquoted(any[...])
        if let tag = EntityTag(any) {
            try demand(tag.matchesWeakly(tag) && tag.matchesStrongly(tag) == !tag.isWeak, "'\(any)'")
        }
        let digest = Data((0..<32).map { UInt8($0) ^ UInt8(input.int(0...255)) })
        let line = "sha-256=:\(digest.base64EncodedString()):"
        try demand(DigestField.strongest(in: [line])?.value == digest, line)
        if let found = DigestField.strongest(in: [input.changed(line, with: ["=", ":", ",", ";a=1", "sha-512=:"])]) {
            try demand(found.value.count == found.algorithm.length, "\(found)")
        }
        _ = ByteRange.demand(
            .get,
            [.range: input.changed("bytes=0-5", with: ["-", ",", "18446744073709551616", "bytes="])]
        )
        _ = SelectingFields.normalized([input.anyText(0...8), "a;q=0.5, b;q=x, *"], of: "accept")
    }

    static let links = FuzzTarget("links", 400) { input in
        let links = input.list(1...3) { input in
            WebLink(
                target: input.text(of: ["/a", "?page=2", "https://h/", "b", ";", ",", "%20"], 0...4),
                relations: input.list(1...2) { $0.pick(["next", "prev", "last", "https://h/rel"]) },
                parameters: input.list(0...2) {
                    .init(name: $0.pick(["title", "type", "x"]), value: $0.text(of: ["a", " ", ",", ";", "="], 0...4))
                }
            )
        }
        let line =
            links.map { link in
                "<\(link.target)>; rel=\"\(link.relations.joined(separator: " "))\""
                    + link.parameters.map { "; \($0.name)=\"\($0.value)\"" }.joined()
            }
            .joined(separator: input.pick([",", ", ", " , "]))
        let found = WebLink.links(in: [line])
        try demand(found.map(\.target) == links.map(\.target), "'\(line)' became \(found)")
        try demand(found.map(\.relations) == links.map(\.relations), "'\(line)' became \(found)")
        _ = WebLink.links(in: [
            input.changed(line, with: ["<", ">", ";", ",", "\"", "title*=UTF-8''%e2", "\\"]), input.anyText(0...12),
        ])
    }

    static let rateHints = FuzzTarget("rate-hints", 500) { input in
        let numbers = [
            "0", "1", "30", "100", "999999999", "1000000000", "1800000100", "999999999999999", "-1", "1.5", "x", "",
        ]
        var headers: HTTPFields = [:]
        func set(_ name: String, _ value: String) {
            if let name = HTTPField.Name(name) { headers[name] = value }
        }
        let (remaining, reset) = (input.pick(numbers), input.pick(numbers))
        switch input.int(0...3) {
        case 0: set("RateLimit", "\"a\";r=\(remaining);t=\(reset)" + (input.chance(2) ? ", \"b\";r=5;t=1" : ""))
        case 1: set("RateLimit", "limit=10, remaining=\(remaining), reset=\(reset)")
        case 2:
            set("X-RateLimit-Remaining", remaining)
            set("X-RateLimit-Reset", reset)
        default: set("RateLimit", input.changed("\"a\";r=1;t=2", with: [";", "=", ",", "r=", "t="]))
        }
        if input.chance(2) { headers[.retryAfter] = input.chance(2) ? date(&input) : input.pick(numbers) }
        if input.chance(2) {
            let (quota, window) = (input.pick(numbers), input.pick(numbers))
            let policy = input.pick(["\"a\";q=\(quota);w=\(window)", "10;w=\(window)", "\"a\";qu=\"requests\";w=7"])
            set(
                "RateLimit-Policy",
                input.chance(2) ? policy : input.changed(policy, with: [";", "=", ",", "\"", "\\", "q=", "w=", "qu="])
            )
        }
        let hints = RateHints(status: .init(code: input.pick([200, 429, 503])), headers: headers, now: now)
        if let pause = hints.pause {
            try demand(pause >= .zero && pause <= RateHints.longestPause, "\(headers) asks for \(pause)")
        }
        if let quota = hints.quota {
            try demand(
                quota.remaining >= 0 && quota.reset >= .zero && quota.reset <= RateHints.longestPause,
                "\(headers): \(quota)"
            )
            if let renewal = quota.renewal {
                try demand(
                    renewal.count > 0 && renewal.window > .zero && renewal.window <= RateHints.longestPause,
                    "\(headers): \(renewal)"
                )
            }
        }
    }

    static let dates = FuzzTarget("dates", 500) { input in
        let seconds = input.chance(2) ? input.int(-62_135_596_800...253_402_300_799) : input.int(0...4_000_000_000)
        let date = Date(timeIntervalSince1970: Double(seconds))
        let text = HTTPDate.text(date)
        try demand(HTTPDate.date(text, now: now) == date, "'\(text)' is \(seconds)")
        try demand(text.utf8.count == 29, text)
        // A second computation: Foundation's.
        let iso = Date.ISO8601FormatStyle().format(date)
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let month =
            Int(iso.dropFirst(5).prefix(2)).flatMap { months.indices.contains($0 - 1) ? months[$0 - 1] : nil } ?? "?"
        let other = "\(iso.dropFirst(8).prefix(2)) \(month) \(iso.prefix(4)) \(iso.dropFirst(11).prefix(8)) GMT"
        try demand(text.hasSuffix(", " + other) || seconds < -12_219_292_800, "'\(text)' is '\(other)' to Foundation")
        if seconds > -11_644_473_600 {
            try demand(
                CookieDate.date(text[...]) == date,
                "cookies read '\(text)' as \(String(describing: CookieDate.date(text[...])))"
            )
        }
        let changed = input.changed(
            input.pick([text, "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"]),
            with: ["0", " ", "-", ":", "99"]
        )
        if let read = HTTPDate.date(changed, now: now) {
            try demand(HTTPDate.date(HTTPDate.text(read), now: now) == read, "'\(changed)' was read as \(read)")
        }
        _ = CookieDate.date(changed[...])
        _ = CookieDate.date(input.anyText(0...12)[...])
    }
}
