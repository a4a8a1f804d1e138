// SPDX-License-Identifier: MIT

import RestEssentials
import SeededRandom
import Testing

@testable import RestClient

@Suite
struct MultipartBodyTests {
    private func body(_ form: MultipartForm, _ boundary: String = "XX") throws -> MultipartBody {
        try MultipartBody(form, boundary: MultipartBoundary(boundary))
    }

    /// The bytes on the wire, with files from a dictionary.
    private func bytes(_ body: MultipartBody, files: [String: Data] = [:]) -> Data {
        body.segments.reduce(into: Data()) { bytes, segment in
            switch segment {
            case .bytes(let data): bytes.append(data)
            case .file(let file):
                let data = files[file.path] ?? Data()
                bytes.append(data.dropFirst(Int(file.offset)).prefix(Int(file.length ?? .max)))
            }
        }
    }

    @Test
    func `a form of a field and a file is written byte for byte as RFC 7578 has it`() throws {
        let form = MultipartForm().field("title", "Zoë")
            .data("photo", Data("PNG"), fileName: "a.png", headers: ["X-Part": "1"])

        let body = try body(form)

        let expected =
            "--XX\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nZoë\r\n"
            + "--XX\r\nContent-Disposition: form-data; name=\"photo\"; filename=\"a.png\"\r\n"
            + "Content-Type: image/png\r\nX-Part: 1\r\n\r\nPNG\r\n--XX--\r\n"
        #expect(bytes(body).text == expected)
        #expect(body.contentType == "multipart/form-data; boundary=XX")
        #expect(body.length == Int64(expected.utf8.count))
        #expect(body.segments.count == 1)
    }

    @Test
    func `an empty form is its end`() throws {
        #expect(bytes(try body(MultipartForm())).text == "--XX--\r\n")
    }

    @Test(arguments: [
        ("plain", "plain"), ("ü 🧶", "ü 🧶"), ("a\"b", "a%22b"), ("a\r\nb", "a%0D%0Ab"), ("a\nb", "a%0Ab"),
        ("a\rb", "a%0Db"), ("a%22b", "a%22b"), ("a\\b", "a\\b"), ("a;b=c", "a;b=c"), ("a'b/../c", "a'b/../c"),
        ("x\"; filename=\"evil", "x%22; filename=%22evil"),
    ])
    func `names are those of the HTML standard`(name: String, written: String) throws {
        let text = bytes(try body(MultipartForm().data(name, Data(), fileName: name))).text

        #expect(
            text.hasPrefix("--XX\r\nContent-Disposition: form-data; name=\"\(written)\"; filename=\"\(written)\"\r\n")
        )
        #expect(!text.contains("filename*"))
    }

    @Test
    func `a file is a segment of its own, and the form has a length once the file has one`() throws {
        let form = MultipartForm().field("a", "1").file("f", "/tmp/big.json").field("z", "2")

        let open = try body(form)
        let resolved = try body(form.resolved { path in path == "/tmp/big.json" ? 5 : 0 })

        #expect(open.length == nil)
        #expect(open.segments.count == 3)
        #expect(open.segments[1] == .file(FileRange("/tmp/big.json")))
        let written = bytes(resolved, files: ["/tmp/big.json": Data("[1,2]")])
        #expect(resolved.length == Int64(written.count))
        let parts = try MultipartReader.parts(of: written, contentType: resolved.contentType)
        #expect(parts.map { $0.parameter("name") } == ["a", "f", "z"])
        #expect(parts[1].parameter("filename") == "big.json")
        #expect(parts[1].headers.last == ["Content-Type", "application/json"])
        #expect(parts[1].content == Data("[1,2]"))
    }

    @Test
    func `large bytes are not copied into the lines around them`() throws {
        let large = Data(repeating: 7, count: 100_000)

        let body = try body(MultipartForm().data("a", large).data("b", large))

        #expect(body.segments.count == 5)
        #expect(body.segments[1] == .bytes(large))
        #expect(body.length == Int64(bytes(body).count))
    }

    @Test
    func `lengths that no number holds are none`() {
        let file = BodySegment.file(FileRange("/a", length: .max))

        #expect([file].length == .max)
        #expect([file, .bytes(Data([1]))].length == nil)
    }

    // MARK: - Injection

    @Test(arguments: ["a\r\nX: y", "a\ny", "a\u{0}", ""])
    func `a content type that would break out of its line is an error`(type: String) {
        let error = #expect(throws: RestClientError.self) {
            try body(MultipartForm().data("a", Data(), contentType: type))
        }

        #expect(error?.code == .invalidMultipart)
    }

    @Test(arguments: [
        ("X-A", "1\r\nX-B: 2", RestClientError.Code.invalidHeader), ("X-A", "1\u{0}", .invalidHeader),
        ("X A", "1", .invalidHeader), ("X-A:", "1", .invalidHeader), ("", "1", .invalidHeader),
        ("X\r\nY", "1", .invalidHeader), ("Content-Disposition", "attachment", .invalidMultipart),
        ("content-type", "text/plain", .invalidMultipart), ("Content-Transfer-Encoding", "base64", .invalidMultipart),
        ("CONTENT-LENGTH", "5", .invalidMultipart),
    ])
    func `a field of a part that would break out of its line, or that the form writes itself, is an error`(
        name: String,
        value: String,
        code: RestClientError.Code
    ) {
        let error = #expect(throws: RestClientError.self) {
            try body(MultipartForm().data("a", Data(), headers: KeyValuePairs(dictionaryLiteral: (name, value))))
        }

        #expect(error?.code == code)
        #expect(error?.message.contains("1\r\n") == false)
    }

    @Test(arguments: ["", "a\u{0}b"])
    func `a part needs a name`(name: String) {
        #expect(throws: RestClientError.self) { try body(MultipartForm().field(name, "1")) }
    }

    // MARK: - Boundary

    @Test(arguments: ["--XX", "\r\n--XX", "\r\n--XX--\r\n", "a--XXb", "---XX", "--X--XX", "--XXX"])
    func `a part that contains the boundary is an error`(content: String) {
        let error = #expect(throws: RestClientError.self) { try body(MultipartForm().field("a", content)) }

        #expect(error?.code == .boundaryInPart)
        #expect(error?.message == "the part 'a' contains the boundary of the form")
    }

    @Test(arguments: ["XX", "-XX", "--X", "--X-X", "-- XX", "--xx", "--X\r\nX"])
    func `what looks like the boundary is none`(content: String) throws {
        let body = try body(MultipartForm().field("a", content))

        #expect(try MultipartReader.parts(of: bytes(body), contentType: body.contentType)[0].content.text == content)
    }

    @Test
    func `a head that contains the boundary is an error, before a file too`() {
        for form in [MultipartForm().field("a--XX", ""), MultipartForm().file("a", "/tmp/--XX")] {
            let error = #expect(throws: RestClientError.self) { try body(form) }
            #expect(error?.code == .boundaryInPart)
        }
    }

    @Test
    func `a boundary cannot hide between two parts`() throws {
        let body = try body(MultipartForm().field("a", "--X").field("b", "X"))

        #expect(
            try MultipartReader.parts(of: bytes(body), contentType: body.contentType).map(\.content.text) == [
                "--X", "X",
            ]
        )
    }

    @Test
    func `a scanner finds the boundary wherever it stands in a large part, and forgets it with the part`() throws {
        let boundary = try MultipartBoundary("----form-0123456789")
        var generator = SeededGenerator(seed: 22)
        for _ in 0..<50 {
            var bytes = Data((0..<20_000).map { _ in UInt8.random(in: 0...255, using: &generator) })
            var scanner = BoundaryScanner(boundary)
            scanner.scan(bytes)
            #expect(!scanner.hasFound)
            scanner.reset()

            bytes.insert(
                contentsOf: Array("--\(boundary.text)".utf8),
                at: Int.random(in: 0...bytes.count, using: &generator)
            )
            for chunk in bytes.chunks(upTo: 3_000, using: &generator) {
                scanner.scan(chunk)
            }
            #expect(scanner.hasFound)
            scanner.reset()
            #expect(!scanner.hasFound)
        }
    }

    @Test
    func `a boundary does not begin in one part and end in the next`() throws {
        var scanner = BoundaryScanner(try MultipartBoundary("XX"))
        scanner.scan(Data("--X"))
        scanner.reset()
        scanner.scan(Data("X"))

        #expect(!scanner.hasFound)
    }

    @Test
    func `a scanner finds the boundary however the bytes are cut`() throws {
        var generator = SeededGenerator(seed: 6)
        let boundary = try MultipartBoundary("-a--a-")
        for _ in 0..<2_000 {
            let bytes = Data(
                (0..<60).map { _ in Bool.random(using: &generator) ? UInt8(ascii: "-") : UInt8(ascii: "a") }
            )
            var scanner = BoundaryScanner(boundary)
            for chunk in bytes.chunks(upTo: 9, using: &generator) {
                scanner.scan(chunk)
            }
            #expect(scanner.hasFound == (bytes.firstRange(of: Data("---a--a-")) != nil))
        }
    }

    @Test(arguments: [
        "", " ", "a ", "ä", "a\"b", "a\r\nb", "a[b]", String(repeating: "a", count: 71),
    ])
    func `a boundary that RFC 2046 does not allow is an error`(text: String) {
        let error = #expect(throws: RestClientError.self) { try MultipartBoundary(text) }

        #expect(error?.code == .invalidMultipart)
    }

    @Test(arguments: [
        ("abc", "abc"), ("a b", "\"a b\""), ("a:b", "\"a:b\""), ("(a)", "\"(a)\""), ("a=b?", "\"a=b?\""),
        ("'a+_.-", "'a+_.-"),
    ])
    func `a boundary that is not a token is quoted`(text: String, parameter: String) throws {
        #expect(try MultipartBoundary(text).parameter == parameter)
    }

    @Test
    func `random boundaries are valid, differ, and are tokens`() throws {
        var generator = SeededGenerator(seed: 7)
        var texts: Set<String> = []
        for _ in 0..<1_000 {
            let boundary = MultipartBoundary(using: &generator)
            #expect(try MultipartBoundary(boundary.text) == boundary)
            #expect(boundary.parameter == boundary.text)
            texts.insert(boundary.text)
        }
        #expect(texts.count == 1_000)
    }

    @Test
    func `a form that contains the first boundary gets another one`() throws {
        var first = SeededGenerator(seed: 8)
        var generator = SeededGenerator(seed: 8)
        let taken = "x--" + MultipartBoundary(using: &first).text

        let body = try MultipartBody(MultipartForm().field("a", taken), using: &generator)

        #expect(body.boundary == MultipartBoundary(using: &first))
        #expect(try MultipartReader.parts(of: bytes(body), contentType: body.contentType)[0].content.text == taken)
    }

    @Test
    func `any form is read as it was written`() throws {
        var generator = SeededGenerator(seed: 9)
        let pieces = ["a", "\r\n", "--", "\r\n--", "\"", "ü", ";", "%", "🧶", " ", "=", "\n"]
        func text(_ count: Int) -> String {
            (0..<count).map { _ in pieces[Int.random(in: 0..<pieces.count, using: &generator)] }.joined()
        }
        for _ in 0..<200 {
            var form = MultipartForm()
            var files: [String: Data] = [:]
            var expected: [(name: String, fileName: String?, content: Data)] = []
            for number in 0..<Int.random(in: 0...6, using: &generator) {
                // Percent signs are not encoded, so that names with them are ambiguous, by the standard.
                let name = "n" + text(4).filter { $0 != "%" }
                let content = Data(text(Int.random(in: 0...30, using: &generator)))
                if Bool.random(using: &generator) {
                    files["/f/\(number)"] = content
                    form = form.file(name, "/f/\(number)", fileName: name)
                    expected.append((name, name, content))
                } else {
                    form = form.data(name, content)
                    expected.append((name, nil, content))
                }
            }
            let resolved = try form.resolved { Int64(files[$0]?.count ?? -1) }

            let body = try MultipartBody(resolved, using: &generator)

            let written = bytes(body, files: files)
            #expect(body.length == Int64(written.count))
            let parts = try MultipartReader.parts(of: written, contentType: body.contentType)
            #expect(parts.map { $0.parameter("name") } == expected.map(\.name))
            #expect(parts.map { $0.parameter("filename") } == expected.map(\.fileName))
            #expect(parts.map(\.content) == expected.map(\.content))
        }
    }

    // MARK: - Reading

    private func read(
        _ text: String,
        _ contentType: String = "multipart/form-data; boundary=XX"
    ) throws -> MultipartForm {
        try MultipartForm(Data(text), contentType: contentType)
    }

    @Test(arguments: ["XX", "a b:c", "----form-0'()+_,-./:=?9"])
    func `a form is read as it was written`(boundary: String) throws {
        let names = [
            "plain", "ü 🧶", "a\"b", "a\r\nb", "a\\b", "a;b=c", "x\"; filename=\"evil", "\u{301}", "\"\u{301}", " a ",
        ]
        var form = MultipartForm()
        for name in names {
            form = form.field(name, "--X\r\n-\r\n").data(name, Data([0, 13, 10, 255]), fileName: name)
        }
        form = form.data("part", Data(), fileName: "a.png", headers: ["X-Part": "1: 2"])
        let body = try body(form, boundary)

        #expect(try MultipartForm(bytes(body), contentType: body.contentType) == form)
    }

    @Test
    func `forms of other clients are read`() throws {
        let head =
            "Content-disposition:form-data; filename=a.txt ; NAME=\"first\"\r\n"
            + "content-type:\ttext/plain\r\n\r\n"
        let form = try read(
            "preamble\r\n--XX \t\r\n\(head)1\r\n--XX--\r\nepilogue\r\n--XX\r\n",
            "Multipart/Form-Data; charset=utf-8; Boundary=\"XX\""
        )

        let part = MultipartForm.Part(
            name: "first",
            fileName: "a.txt",
            contentType: "text/plain",
            content: .bytes(Data("1"))
        )
        #expect(form.parts == [part])
        #expect(try read("--XX--") == MultipartForm())
    }

    @Test(arguments: [
        ("--XX--", "text/plain; boundary=XX", "content type"), ("--XX--", "multipart/form-data", "content type"),
        ("--XX--", "multipart/form-data; boundary=\"XX", "content type"),
        ("--XX--", "multipart/form-data; boundary=ü", "boundary"),
        ("", "multipart/form-data; boundary=XX", "last boundary"),
        ("--XX\r\n", "multipart/form-data; boundary=XX", "no end"),
        ("--XX\r\n\r\n--XX--", "multipart/form-data; boundary=XX", "no name"),
        ("--XX\r\nname\r\n\r\n--XX--", "multipart/form-data; boundary=XX", "header field"),
        (
            "--XX\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--XX\r\n", "multipart/form-data; boundary=XX",
            "no end"
        ),
        (
            "--XX\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--XXY", "multipart/form-data; boundary=XX",
            "last boundary"
        ),
        (
            "--XX\r\nContent-Disposition: form-data; name=a\r\n\r\n1--XX--", "multipart/form-data; boundary=XX",
            "last boundary"
        ),
    ])
    func `a body that is no form is an error that says why`(text: String, contentType: String, reason: String) {
        let error = #expect(throws: RestClientError.self) { try read(text, contentType) }
        #expect(error?.code == .invalidMultipart)
        #expect(error?.message.contains(reason) == true)
    }

    @Test
    func `no bytes whatever make the reader trap`() {
        var generator = SeededGenerator(seed: 7)
        let pieces = ["--XX", "--", "\r\n", ":", ";", "=", "\"", "name", "Content-Disposition", "form-data", "\0", "ü"]
        for _ in 0..<3_000 {
            let text = (0..<Int.random(in: 0..<30, using: &generator))
                .map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            _ = try? read(text)
            _ = try? read("--XX--", "multipart/form-data; boundary=\(text)")
            _ = try? read("--XX\r\nContent-Disposition: \(text)\r\n\r\n1\r\n--XX--")
        }
    }
}
