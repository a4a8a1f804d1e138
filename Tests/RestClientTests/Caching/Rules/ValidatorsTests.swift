// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import Testing

@testable import RestClient

/// RFC 9110, sections 8.8 and 13.
@Suite
struct ValidatorsTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    private static func date(_ offset: Double) -> String {
        HTTPDate.text(now.addingTimeInterval(offset))
    }

    @Test(arguments: [
        (#""1""#, #""1""#, true, true), (#"W/"1""#, #"W/"1""#, true, false), (#"W/"1""#, #""1""#, true, false),
        (#""1""#, #""2""#, false, false), (#"W/"1""#, #"W/"2""#, false, false), ("1", #""1""#, true, true),
        (#"w/"1""#, #"W/"1""#, true, false), (#""""#, #""""#, true, true),
    ])
    func `RFC 9110, 8.8.3.2: tags are compared weakly or strongly`(
        left: String,
        right: String,
        weakly: Bool,
        strongly: Bool
    ) throws {
        let (left, right) = (try #require(EntityTag(left)), try #require(EntityTag(right)))
        #expect(left.matchesWeakly(right) == weakly)
        #expect(left.matchesStrongly(right) == strongly)
    }

    @Test
    func `an empty text is not a tag`() {
        #expect(EntityTag("") == nil)
        #expect(EntityTag("W/") == nil)
    }

    private static let strong: [(HTTPFields, String?)] = [
        ([.eTag: #""1""#], #""1""#),
        ([.eTag: #"W/"1""#], nil),
        ([.eTag: #"W/"1""#, .lastModified: date(-100), .date: date(0)], nil),
        ([.lastModified: date(-100), .date: date(0)], date(-100)),
        ([.lastModified: date(-59), .date: date(0)], nil),
        ([.lastModified: date(-100)], nil),
        ([:], nil),
    ]

    @Test(arguments: strong)
    func `RFC 9110, 8.8.1: a strong validator names the very bytes`(headers: HTTPFields, validator: String?) {
        #expect(Validators(headers).strong(now: Self.now) == validator)
    }

    @Test(
        arguments: [
            ([.eTag: #""1""#], [.eTag: #""1""#], true),
            ([.eTag: #""1""#], [.eTag: #"W/"1""#], true),
            ([.eTag: #""1""#], [.eTag: #""2""#], false),
            ([.eTag: #""1""#], [:], true),
            ([.lastModified: "a"], [.lastModified: "a"], true),
            ([.lastModified: "a"], [.lastModified: "b"], false),
            ([.eTag: #""1""#, .lastModified: "a"], [.lastModified: "b"], true),
        ] as [(HTTPFields, HTTPFields, Bool)]
    )
    func `RFC 9111, 4.3.4: a 304 confirms the state that it names`(
        stored: HTTPFields,
        update: HTTPFields,
        isConfirmed: Bool
    ) {
        #expect(Validators(stored).areConfirmed(by: Validators(update)) == isConfirmed)
    }

    @Test
    func `RFC 9111, 4.3.1: each validator is asked for in its own field`() {
        let stored: HTTPFields = [.eTag: #"W/"1""#, .lastModified: "Wed, 21 Oct 2015 07:28:00 GMT"]
        let conditions = Preconditions.validating(Validators(stored))
        #expect(conditions == [.ifNoneMatch: #"W/"1""#, .ifModifiedSince: "Wed, 21 Oct 2015 07:28:00 GMT"])
        #expect(Preconditions.validating(Validators([.date: "x"])).isEmpty)
    }

    @Test(
        arguments: [
            ([.ifNoneMatch: #""1""#], true), ([.ifNoneMatch: #"W/"1""#], true), ([.ifNoneMatch: #""2""#], false),
            ([.ifNoneMatch: #""2", "1""#], true), ([.ifNoneMatch: "*"], true), ([.ifNoneMatch: #""2,1""#], false),
            ([.ifModifiedSince: date(-100)], true), ([.ifModifiedSince: date(0)], true),
            ([.ifModifiedSince: date(-200)], false), ([.ifModifiedSince: "x"], false),
            ([.ifNoneMatch: #""2""#, .ifModifiedSince: date(0)], false),
            ([.ifMatch: #""1""#], nil), ([.ifUnmodifiedSince: date(0)], nil), ([.ifRange: #""1""#], false),
        ] as [(HTTPFields, Bool?)]
    )
    func `RFC 9111, 4.3.2: a condition of the caller's is judged by the stored response`(
        request: HTTPFields,
        isKnown: Bool?
    ) {
        let stored = Validators([.eTag: #""1""#, .lastModified: Self.date(-100)])
        #expect(Preconditions.isKnown(stored, to: request, now: Self.now) == isKnown)
    }

    @Test(
        arguments: [
            ([:], [.eTag: #""1""#], true),
            ([.ifRange: #""1""#], [.eTag: #""1""#], true),
            ([.ifRange: #""2""#], [.eTag: #""1""#], false),
            ([.ifRange: #"W/"1""#], [.eTag: #"W/"1""#], false),
            ([.ifRange: date(-100)], [.lastModified: date(-100), .date: date(0)], true),
            ([.ifRange: date(-99)], [.lastModified: date(-100), .date: date(0)], false),
            ([.ifRange: date(-100)], [.lastModified: date(-100)], false),
        ] as [(HTTPFields, HTTPFields, Bool)]
    )
    func `RFC 9110, 13.1.5: a part goes only with parts of the same bytes`(
        request: HTTPFields,
        stored: HTTPFields,
        isAllowed: Bool
    ) {
        #expect(Preconditions.allowsRange(Validators(stored), request, now: Self.now) == isAllowed)
    }
}
