// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials
import Testing

@testable import RestClientAWS

@Suite
struct SignatureV4Tests {
    struct Vector: Sendable, CustomTestStringConvertible {
        let name: String
        let method: String
        let target: String
        var fields: [(name: String, value: String)]
        var payload = SignatureV4.emptyPayload
        let signature: String

        var testDescription: String { name }
    }

    // MARK: - Vectors that AWS publishes

    /// The secret that the test suite and the documentation of S3 share, but for one sign.
    private static func secret(_ sign: String) -> String { "wJalrXUtnFEMI/K7MDENG\(sign)bPxRfiCYEXAMPLEKEY" }

    // 2015-08-30T12:36:00Z
    private static let suite = SignatureV4.Scope(
        Date(timeIntervalSince1970: 1_440_938_160),
        region: "us-east-1",
        service: "service"
    )

    private static let suiteFields: [(name: String, value: String)] = [
        ("Host", "example.amazonaws.com"), ("X-Amz-Date", "20150830T123600Z"),
    ]

    /// Of the AWS Signature Version 4 test suite.
    static let vectors = [
        Vector(
            name: "get-vanilla",
            method: "GET",
            target: "/",
            fields: suiteFields,
            signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"
        ),
        Vector(
            name: "get-vanilla-query-order-key-case",
            method: "GET",
            target: "/?Param2=value2&Param1=value1",
            fields: suiteFields,
            signature: "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"
        ),
        Vector(
            name: "post-vanilla",
            method: "POST",
            target: "/",
            fields: suiteFields,
            signature: "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"
        ),
    ]

    @Test(arguments: vectors)
    func `vectors of the test suite are signed as published`(vector: Vector) {
        let signature = SignatureV4(
            Self.suite,
            vector.method,
            target: vector.target,
            fields: vector.fields,
            payload: vector.payload
        )

        #expect(signature.signature(Self.secret("+")) == vector.signature)
    }

    @Test
    func `the intermediate forms are those of the test suite`() {
        let signature = SignatureV4(
            Self.suite,
            "GET",
            target: "/",
            fields: Self.suiteFields,
            payload: SignatureV4.emptyPayload
        )

        #expect(
            signature.canonicalRequest == """
                GET
                /

                host:example.amazonaws.com
                x-amz-date:20150830T123600Z

                host;x-amz-date
                e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
                """
        )
        #expect(
            signature.stringToSign == """
                AWS4-HMAC-SHA256
                20150830T123600Z
                20150830/us-east-1/service/aws4_request
                bb579772317eb040ac9ed261061d46c1f17a8133879d6129b6e1c25292927e63
                """
        )
    }

    // 2013-05-24T00:00:00Z
    static let documentationDate = Date(timeIntervalSince1970: 1_369_353_600)

    private static func fields(of payload: String, _ others: (String, String)...) -> [(name: String, value: String)] {
        [
            ("Host", "examplebucket.s3.amazonaws.com"), ("x-amz-content-sha256", payload),
            ("x-amz-date", "20130524T000000Z"),
        ] + others
    }

    private static let welcome = "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072"

    /// Of the chapter of the documentation of S3 about signatures in the header.
    static let documented = [
        Vector(
            name: "GET object",
            method: "GET",
            target: "/test.txt",
            fields: fields(of: SignatureV4.emptyPayload, ("Range", "bytes=0-9")),
            signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
        ),
        Vector(
            name: "PUT object",
            method: "PUT",
            target: "/test$file.text",
            fields: fields(
                of: welcome,
                ("Date", "Fri, 24 May 2013 00:00:00 GMT"),
                ("x-amz-storage-class", "REDUCED_REDUNDANCY")
            ),
            payload: welcome,
            signature: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"
        ),
        Vector(
            name: "GET bucket lifecycle",
            method: "GET",
            target: "/?lifecycle",
            fields: fields(of: SignatureV4.emptyPayload),
            signature: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"
        ),
        Vector(
            name: "GET bucket",
            method: "GET",
            target: "/?max-keys=2&prefix=J",
            fields: fields(of: SignatureV4.emptyPayload),
            signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"
        ),
    ]

    @Test(arguments: documented)
    func `examples of the documentation of S3 are signed as published`(vector: Vector) {
        let scope = SignatureV4.Scope(Self.documentationDate, region: "us-east-1", service: "s3")
        let signature = SignatureV4(
            scope,
            vector.method,
            target: vector.target,
            fields: vector.fields,
            payload: vector.payload
        )

        #expect(signature.signature(Self.secret("/")) == vector.signature)
    }

    // MARK: - An independent computation

    /// The expected value was computed with the HMAC of Python's standard library.
    @Test
    func `a request with everything in it is signed as another program signs it`() {
        let signature = SignatureV4(
            SignatureV4.Scope(
                Date(timeIntervalSince1970: 1_772_323_199),
                region: "eu-central-1",
                service: "execute-api"
            ),
            "POST",
            target: "//example/./c/../a%20b/%C3%A4?b=2&a/b=%c3%a4&a=1+%2b&a",
            fields: [
                ("My-Header1", "value1"), ("X-Amz-Date", "20260228T235959Z"), ("my-header1", " value2 \t x "),
                ("Content-Type", "application/json"), ("Host", "api.example.com:8443"),
                ("X-Amz-Security-Token", "tok/en=="),
            ],
            payload: "015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862"
        )

        #expect(
            signature.canonicalRequest == """
                POST
                /example/a%2520b/%25C3%25A4
                a=&a=1%20%2B&a%2Fb=%C3%A4&b=2
                content-type:application/json
                host:api.example.com:8443
                my-header1:value1,value2 x
                x-amz-date:20260228T235959Z
                x-amz-security-token:tok/en==

                content-type;host;my-header1;x-amz-date;x-amz-security-token
                015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862
                """
        )
        #expect(
            signature.signature("secret/key+") == "fa5e0b68f0136f93d7a4f27afa19e1afe55b3aa3e7357d462804b5e5e678958e"
        )
    }

    // MARK: - Canonical forms

    @Test(arguments: [
        ("", "/"), ("/", "/"), ("//", "/"), ("/example/..", "/"), ("/example1/example2/../..", "/"), ("/./", "/"),
        ("/./example", "/example"), ("//example//", "/example/"), ("/../a", "/a"), ("/a/", "/a/"),
        ("/example%20space/", "/example%2520space/"), ("/-._~0Az", "/-._~0Az"), ("/a:b@(c)", "/a%3Ab%40%28c%29"),
    ])
    func `a path is normalized, and encoded once more`(path: String, canonical: String) {
        #expect(SignatureV4.path(path[...]) == canonical)
    }

    @Test(arguments: [
        ("", "/"), ("/", "/"), ("//a//", "//a//"), ("/a/../b", "/a/../b"), ("/a%20b+c", "/a%20b%2Bc"),
        ("/a%2fb", "/a/b"), ("/%41%c3%a4%ff", "/A%C3%A4%FF"), ("/a%zz%", "/a%25zz%25"), ("/(a)!", "/%28a%29%21"),
    ])
    func `a path of S3 is encoded once, and not normalized`(path: String, canonical: String) {
        #expect(SignatureV4.path(ofS3: path[...]) == canonical)
    }

    @Test(arguments: [
        ("", ""), ("&&", ""), ("a", "a="), ("a=", "a="), ("=b", "=b"), ("a=b=c", "a=b%3Dc"), ("b=1&a=2", "a=2&b=1"),
        ("a=2&a=1", "a=1&a=2"), ("B=1&a=2&b=3", "B=1&a=2&b=3"), ("a=b+c", "a=b%20c"), ("a=b%2bc%7e", "a=b%2Bc~"),
        ("a=/?:@$", "a=%2F%3F%3A%40%24"), ("%ff=%", "%FF=%25"),
    ])
    func `a query is sorted and strictly encoded`(query: String, canonical: String) {
        #expect(SignatureV4.query(query[...]) == canonical)
    }

    @Test(
        arguments: [
            (0, "19700101T000000Z"), (-1, "19691231T235959Z"), (951_782_399.9, "20000228T235959Z"),
            (951_782_400, "20000229T000000Z"), (1_369_353_600, "20130524T000000Z"), (.infinity, "99991231T235959Z"),
            (-.infinity, "00010101T000000Z"),
        ] as [(Double, String)]
    )
    func `a time is written in UTC`(seconds: Double, text: String) {
        let scope = SignatureV4.Scope(Date(timeIntervalSince1970: seconds), region: "r", service: "s")

        #expect(scope.time == text)
        #expect(scope.text == "\(text.prefix(8))/r/s/aws4_request")
    }
}
