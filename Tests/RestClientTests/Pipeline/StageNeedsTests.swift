// SPDX-License-Identifier: MIT

import HTTPTypes
import TestSupport
import Testing

@testable import RestClient

/// The stages that calls pass, by their options.
@Suite
struct StageNeedsTests {
    private let client = StubbedClient()

    private func stages(_ describe: (RequestNode<Void>) -> RequestNode<Void>) throws -> [String] {
        let node = describe(client.manager.request(Void.self).endpoint("/a"))
        let call = try client.manager.runner
            .prepare(node.specification, CallContext.Beginning(id: .next(), start: .zero))
        return client.manager.runner.pipeline.stages(for: call).stages.map { "\(type(of: $0))" }
    }

    private static let plain = [
        "WorkerSlotStage", "AttemptStage", "EffectStage", "RedirectStage", "TransportStage",
    ]

    private typealias Describe = @Sendable (RequestNode<Void>) -> RequestNode<Void>

    private static let needs: [(added: [String], describe: Describe)] = [
        ([], { $0 }), ([], { $0.timeout(.seconds(1)) }), ([], { $0.timeouts(idle: .seconds(1)) }),
        ([], { $0.progressEvents(false) }), ([], { $0.sharingFlight(false) }),
        (["InvalidationStage"], { $0.post() }), (["RetryStage"], { $0.retry(2) }),
        (["AuthenticationStage"], { $0.authentication(.bearer(TokenSource { _ in AccessToken("a") })) }),
        (["HeaderProviderStage"], { $0.header(.userAgent) { "a" } }), (["SharingStage"], { $0.sharingFlight() }),
        (["HedgeStage"], { $0.hedging(.after(.seconds(1))) }),
        (["AdmissionStage"], { $0.rateLimit(.perSecond(1)) }),
        (["AdmissionStage", "CircuitStage"], { $0.concurrency(1).circuitBreaker(.standard) }),
        (
            ["RetryStage", "AdmissionStage", "CircuitStage"],
            { $0.concurrency(1).circuitBreaker(.standard).retryBudget(.standard) }
        ),
        (["AttemptTimeoutStage"], { $0.timeouts(attempt: .seconds(1)) }),
        (["HeaderProviderStage", "CookieStage"], { $0.cookies(CookieJar()) }),
        (["SigningStage"], { $0.signing(nil) }),
        (["HeaderLimitStage"], { $0.limits(headerFields: 1, headerBytes: 1) }),
        (["ProgressStage"], { $0.progressEvents() }), (["WireObserverStage"], { $0.wireObserver(nil) }),
        (["DummyStage"], { $0.dummies(.strict) }),
    ]

    @Test(arguments: needs.indices)
    func `a call passes only the stages that its options need`(index: Int) throws {
        let (added, describe) = Self.needs[index]

        let stages = try stages(describe)

        #expect(stages.filter { !Self.plain.contains($0) } == added)
        #expect(stages.filter(Self.plain.contains) == Self.plain)
    }

    @Test
    func `stages keep their order, whatever a call needs`() throws {
        let stages = try stages { node in
            Self.needs.reduce(node) { $1.describe($0) }
        }

        #expect(
            stages == [
                "InvalidationStage", "RetryStage", "AuthenticationStage", "HeaderProviderStage", "SharingStage",
                "HedgeStage", "AdmissionStage", "CircuitStage", "WorkerSlotStage", "AttemptStage",
                "AttemptTimeoutStage", "EffectStage", "RedirectStage", "CookieStage", "SigningStage",
                "HeaderLimitStage",
                "ProgressStage", "WireObserverStage", "DummyStage", "TransportStage",
            ]
        )
    }
}
