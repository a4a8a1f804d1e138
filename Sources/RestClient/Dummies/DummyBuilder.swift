// SPDX-License-Identifier: MIT

/// Makes a list of dummies of the descriptions that stand in a block.
@resultBuilder
public enum DummyBuilder {
    /// Takes one description.
    public static func buildExpression(_ dummy: Dummy) -> [Dummy] { [dummy] }

    /// Takes a list of descriptions, for example a set that several tests share.
    public static func buildExpression(_ dummies: [Dummy]) -> [Dummy] { dummies }

    /// Joins what stands in a block.
    public static func buildBlock(_ parts: [Dummy]...) -> [Dummy] { parts.flatMap(\.self) }

    /// Joins what a loop makes.
    public static func buildArray(_ parts: [[Dummy]]) -> [Dummy] { parts.flatMap(\.self) }

    /// Takes what stands in an `if`.
    public static func buildOptional(_ part: [Dummy]?) -> [Dummy] { part ?? [] }

    /// Takes what stands in the first branch.
    public static func buildEither(first part: [Dummy]) -> [Dummy] { part }

    /// Takes what stands in the second branch.
    public static func buildEither(second part: [Dummy]) -> [Dummy] { part }
}
