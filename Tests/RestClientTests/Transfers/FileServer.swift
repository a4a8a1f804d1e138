// SPDX-License-Identifier: MIT

import HTTPTypes

@testable import RestClient

/// A server of one file, as RFC 9110 describes it, or as it should not be.
struct FileServer {
    enum Validator: CaseIterable {
        case strongTag, weakTag, date, none
    }

    struct Response {
        var status: Int
        var headers: HTTPFields
        var body: [UInt8]
    }

    var content: [UInt8]
    var version = 1
    var validator = Validator.strongTag
    var knowsRanges = true
    /// False for one that sends a part although the file is another one.
    var knowsIfRange = true
    var knowsLength = true
    /// How many bytes of a range are sent at most.
    var rangeLimit = Int.max

    private var fields: HTTPFields {
        var headers: HTTPFields = [.date: "Sun, 06 Nov 1994 09:00:00 GMT"]
        switch validator {
        case .strongTag: headers[.eTag] = "\"v\(version)\""
        case .weakTag: headers[.eTag] = "W/\"v\(version)\""
        case .date: headers[.lastModified] = "Sun, 06 Nov 1994 08:0\(version % 10):37 GMT"
        case .none: break
        }
        return headers
    }

    private var strong: String? {
        switch validator {
        case .strongTag: fields[.eTag]
        case .date: fields[.lastModified]
        case .weakTag, .none: nil
        }
    }

    func response(to request: DownloadRequest) -> Response {
        let headers = request.headers
        var fields = fields
        let matches = headers[.ifRange].map { !knowsIfRange || $0 == strong } ?? true
        guard knowsRanges, matches, let text = headers[.range] else {
            fields[.contentLength] = knowsLength ? String(content.count) : nil
            return Response(status: 200, headers: fields, body: content)
        }
        let bounds = text.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false)
        let first = Int(bounds[0]) ?? 0
        guard first < content.count else {
            fields[.contentRange] = "bytes */\(content.count)"
            return Response(status: 416, headers: fields, body: [])
        }
        let last = min(Int(bounds[1]) ?? .max, content.count - 1, first + rangeLimit.clamped - 1)
        let body = Array(content[first...last])
        fields[.contentRange] = "bytes \(first)-\(last)/" + (knowsLength ? String(content.count) : "*")
        fields[.contentLength] = String(body.count)
        return Response(status: 206, headers: fields, body: body)
    }
}

extension Int {
    fileprivate var clamped: Int { Swift.min(self, 1 << 40) }
}
