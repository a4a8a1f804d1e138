// SPDX-License-Identifier: MIT

import HTTPTypes
import TestSupport
import Testing

@testable import RestClient

@Suite
struct EventDescriptionTests {
    private struct Login: Sendable {
        var token = "s3cret"
    }

    private struct OwnError: Error, CustomStringConvertible {
        var description: String { "refused by https://kim:s3cret@example.com/?token=s3cret" }
    }

    @Test(
        arguments: [
            (.modelLoaded(Login(), source: .network), "modelLoaded model=Login source=network"),
            (
                .callFailed(OwnError()),
                "callFailed error=refused by https://<redacted>@example.com/?token=<redacted> failureClass=internal"
            ),
            (
                .custom(identifier: "synced", payload: ["user": ["password": "s3cret", "name": "kim"], "count": 3]),
                #"custom customIdentifier=synced payload={"count":3,"user":{"name":"kim","password":"<redacted>"}}"#
            ),
            (
                .groupFinished(GroupReport(id: GroupID(), outcomes: [.success(1), .notRun])),
                "groupFinished isStopped=true outcomes=1 of 2 succeeded"
            ),
        ] as [(ClientEvent.Kind, String)]
    )
    func `an event describes itself without credentials`(kind: ClientEvent.Kind, text: String) {
        #expect(kind.description == text)
        #expect(ClientEvent(kind).description == text)
        #expect(!"\(ClientEvent(kind))".contains("s3cret"))
    }

    @Test
    func `an event names its call, its group and its request`() async {
        let client = StubbedClient(answering: .status(.notFound))
        let log = EventRecorder(client.manager)
        _ = await client.manager.concurrently([client.manager.request(Int.self).endpoint("/a")])
        let last = log.events.dropLast().last
        let ids = "\(last?.callID?.description ?? "") \(last?.groupID?.description ?? "")"
        #expect(last?.description.hasPrefix("\(ids) callFailed error=unacceptableStatus") == true)
        #expect(last?.description.hasSuffix("status=404 (GET https://api.example.com/v1/a)") == true)
    }
}
