// SPDX-License-Identifier: MIT

enum SampleText {
    /// Strings that a strategy reads; without escapes.
    static let special = [
        "2026-11-22T11:05:38Z", "2026-11-22T11:05:38+01:00", "2026-02-29T00:00:00Z", "2024-02-29T23:59:59Z",
        "1500-01-01T00:00:00Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "2026-11-22T11:05:60Z",
        "2026-11-22T24:00:00Z", "2026-11-22", "2026-13-22T11:05:38Z", "2026-11-22t11:05:38z", "1600-02-29T12:30:30Z",
        "2026-11-22T11:05:38.123Z", "20261122T110538Z", "aGVsbG8=", "aGVsbG8", "aGVs\u{7F}bG8=", "/+8=", "====",
        "https://example.com/a?b=c", "not a url", "http://[::1]/", "", "inf", "-inf", "nan", "1", "true",
        "E621E1F8-C36C-495A-93FC-0C247A3E6E5F", "e621e1f8c36c", "alpha", "beta", "naïve",
    ]
}
