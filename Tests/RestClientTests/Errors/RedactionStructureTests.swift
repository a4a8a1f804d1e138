// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import Testing

@testable import RestClient

/// Secrets in all places that a URL has, and in fields of any name.
@Suite
struct RedactionStructureTests {
    @Test(arguments: [
        ("https://a/?next=%2Fcb%3Ftoken%3Ds3cret&y=1", "https://a/?next=<redacted>&y=1"),
        ("https://a/?next=/cb?token=s3cret&y=1", "https://a/?next=/cb?token=<redacted>&y=1"),
        ("https://a/?next=%252Fcb%253Ftoken%253Ds3cret", "https://a/?next=<redacted>"),
        ("https://a/?next=%2Fcb%23access_token%3Ds3cret", "https://a/?next=<redacted>"),
        ("https://a/?q=token%3Ds3cret%26x%3D1&y=1", "https://a/?q=<redacted>&y=1"),
        ("https://a/?next=..%2Fapp%3Bjsessionid%3Ds3cret", "https://a/?next=<redacted>"),
        ("https://a/?next=%2F%2Fkim%3As3cret%40b%2F", "https://a/?next=<redacted>"),
        ("https://a/?next=%2Fcb%3Fpage%3D2&y=1", "https://a/?next=%2Fcb%3Fpage%3D2&y=1"),
        ("https://a/?a=1;token=s3cret", "https://a/?a=1;token=<redacted>"),
        ("https://a/?a=1;token=s3cret;more&b=2", "https://a/?a=1;token=<redacted>&b=2"),
        ("https://a/?a;sid=s3cret&b=2", "https://a/?a;sid=<redacted>&b=2"),
        ("https://a/?token=s3;cret&b=2", "https://a/?token=<redacted>&b=2"),
        ("https://a/?a=1;b=2", "https://a/?a=1;b=2"),
        ("https://a/app;jsessionid=s3cret", "https://a/app;jsessionid=<redacted>"),
        ("https://a/app;JSESSIONID=s3cret/b?x=1", "https://a/app;JSESSIONID=<redacted>/b?x=1"),
        ("/app;v=1;sid=s3cret;w=2#x", "/app;v=1;sid=<redacted>;w=2#x"),
        ("https://a/app%3Bjsessionid%3Ds3cret/b?x=1", "https://a/<redacted>/b?x=1"),
        ("https://a/app%3Bv%3D1/b?x=1", "https://a/app%3Bv%3D1/b?x=1"),
        ("https://a/?x=1;https://kim:s3;cret@b/?y=1", "https://a/?x=1;https://<redacted>@b/?y=1"),
        ("https://a/?x=1,sid=s3cret&y=1", "https://a/?x=1,sid=<redacted>&y=1"),
        ("https://a/?sid%3Ds3cret&y=1", "https://a/?<redacted>&y=1"),
        ("https://a/cb?code=s3cret&state=s3cret", "https://a/cb?code=<redacted>&state=<redacted>"),
        ("https://a/issues?state=open&page=2", "https://a/issues?state=open&page=2"),
    ])
    func `a URL loses the secrets of all its parts`(url: String, masked: String) {
        #expect(Redaction.url(url) == masked)
        #expect(Redaction.text("see \(url) now") == "see \(masked) now")
    }

    @Test(arguments: [
        "sid", "SID", "connect.sid", "PHPSESSID", "JSESSIONID", "ASPSESSIONIDABC", "otp", "otp_code", "totp", "ticket",
        "service_ticket", "SAMLResponse", "SAMLRequest", "RelayToken", "pass", "user_pass", "userPass", "pw", "user_pw",
        "pin", "card-pin", "passcode", "pass_code", "sig", "url_sig", "csrf", "xsrf", "csrfmiddlewaretoken", "nonce",
        "device_code", "user_code", "verification_code", "mfa_code", "smsCode", "recovery-code", "bearer", "hmac",
        "otp2",
    ])
    func `a name that means a secret masks its value`(name: String) {
        #expect(Redaction.url("?\(name)=7") == "?\(name)=<redacted>")
    }

    @Test(arguments: [
        "author", "page", "spin", "spinner", "shipping", "pinned", "opinion", "ping", "compass", "passenger", "bypass",
        "pass_count", "passed", "design", "signal", "assign", "inside", "side", "residence", "footprint", "option",
        "hotpot", "support_ticket", "ticket_id", "country_code", "postal_code", "status_code", "language_code", "codec",
        "state", "announce", "pronounced", "powder", "machine", "sort", "query", "limit",
    ])
    func `a name that only resembles one masks nothing`(name: String) {
        #expect(Redaction.url("?\(name)=7") == "?\(name)=7")
    }

    @Test(arguments: [
        "Operation-Location", "X-Ms-Copy-Source", "Refresh", "X-Next", "Azure-AsyncOperation", "Destination",
    ])
    func `a URL in a field of any name is masked`(name: String) throws {
        let field = try #require(HTTPField.Name(name))
        let value = "0; url=https://kim:s3cret@a.example/b?sig=s3cret&x=1"
        let fields: HTTPFields = [field: value]

        #expect(Redaction.headers(fields) == "\(name): 0; url=https://<redacted>@a.example/b?sig=<redacted>&x=1")
        #expect(Redaction.holdsSecret(HTTPField(name: field, value: value)))
        #expect(Redaction.holdsSecret(HTTPField(name: field, value: "/b?access_token=s3cret")))
        #expect(!Redaction.holdsSecret(HTTPField(name: field, value: "https://a.example/b?x=1")))
        let curl = CurlCommand(method: .get, url: "https://a.example/", headers: fields).description
        #expect(!curl.contains("s3cret"))
    }

    @Test
    func `a URL in a member of JSON is masked`() {
        let body = Data(#"{"next":"https://a/?token=s3cret","x":1}"#.utf8)
        #expect(Redaction.body(body, contentType: nil) == #"{"next":"https://a/?token=<redacted>","x":1}"#)
    }

    @Test(arguments: [
        String(repeating: "?a=%25", count: 20_000), String(repeating: ";a=1", count: 20_000),
        String(repeating: "/;x=", count: 20_000), "?" + String(repeating: "a=%3D%26&", count: 20_000),
    ])
    func `long values are masked without effort and without a trap`(text: String) {
        #expect(!Redaction.url("https://a/\(text)?&token=s3cret").contains("s3cret"))
        #expect(!Redaction.text("x https://a/\(text)?&token=s3cret").contains("s3cret"))
    }
}
