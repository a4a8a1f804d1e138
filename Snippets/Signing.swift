// SPDX-License-Identifier: MIT

// snippet.hide
import Crypto
import RestClient
import RestClientAWS

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

let manager = RestClientManager()
// snippet.show
/// Signs the time, the method, the URL and the body of each request.
struct HMACSigner: RequestSigner {
    let identity: String
    let key: SymmetricKey

    func sign(_ request: OutgoingRequest) async throws -> RequestSignature {
        guard let digest = try await request.bodyDigest(), let field = HTTPField.Name("X-Signature") else {
            throw UnsignableBody()
        }
        let time = Int(Date().timeIntervalSince1970)
        let text = "\(time) \(request.method) \(request.url) \(digest.base64EncodedString())"
        let code = HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: key)
        return RequestSignature(headers: [field: "\(identity) \(Data(code).base64EncodedString()) \(text)"])
    }
}
// snippet.hide
struct UnsignableBody: Error {}

func aws() async throws {
    // snippet.show
    // With the key in the variables AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY
    let signer = AWSSigner(try AWSCredentials(), region: "eu-central-1", service: "s3")
    manager.servers["bucket"] = Server("https://bucket.s3.eu-central-1.amazonaws.com").signing(signer)

    let upload = manager.request(Void.self).server("bucket").endpoint("/report.pdf").put().body(.file("report.pdf"))
    try await manager.run(upload)

    // A URL with which anybody may load the report within the next hour, without a key
    let address = "https://bucket.s3.eu-central-1.amazonaws.com/report.pdf"
    let link = try await signer.signedURL(address, for: .seconds(3_600))
    // snippet.hide
    print(link.utf8.count)
}

func netrc() throws {
    // snippet.show
    // The passwords of $NETRC or ~/.netrc, for the machines that it names
    manager.options = manager.options.netrc(try Netrc())
    // snippet.hide
}

func hmac(key: SymmetricKey) async throws {
    // snippet.show
    manager.servers["desk"] = Server("https://desk.example.com").signing(HMACSigner(identity: "client 7", key: key))
    // snippet.hide
    manager.dummies.mode = .strict
    manager.dummies.register {
        Dummy(.get, "/orders").responds(.text("[]"))
    }
    print(try await manager.request([Int].self).server("desk").endpoint("/orders").send())
}

try await hmac(key: SymmetricKey(size: .bits256))
