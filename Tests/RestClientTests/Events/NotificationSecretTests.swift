// SPDX-License-Identifier: MIT

import Foundation
import HTTPTypes
import RestClient
import RestClientFoundation
import TestSupport
import Testing

/// Plants marker secrets in calls, and searches the classic notifications of their events.
@Suite
struct NotificationSecretTests {
    private let secrets = PlantedSecrets()

    @Test
    func `no secret of a call comes out in a notification`() async throws {
        let client = StubbedClient(
            answering: .redirect(302, to: "/b?subscription-key=\(secrets.marker("location"))"),
            .text(
                "x",
                headers: [
                    .setCookie: "session=\(secrets.marker("set-cookie"))",
                    .contentLocation: "/b?access_key=\(secrets.marker("content-location"))",
                ]
            ),
            .status(.unauthorized, headers: [.wwwAuthenticate: "Token \(secrets.marker("challenge"))"])
        )
        let center = NotificationCenter()
        let posting = client.manager.postNotifications(to: center)
        let observer = center.addObserver(forName: .restClientEvent, object: client.manager, queue: nil) {
            [secrets] note in secrets.note("notification", printing: note.userInfo ?? [:])
        }
        let node = client.manager.request(String.self).endpoint("/a").query(["password": secrets.marker("query")])
            .bearer(secrets.marker("bearer"))

        _ = try await node.send()
        _ = try? await node.send()
        _ = try? await node.server("unknown").send()

        posting.cancel()
        center.removeObserver(observer)
        #expect(secrets.count(of: "notification") > 8)
        secrets.expectNothingLeaked()
    }
}
