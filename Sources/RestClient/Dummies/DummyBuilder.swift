// SPDX-License-Identifier: MIT

/// Builds a list of dummies from the descriptions in a block.
@resultBuilder
public enum DummyBuilder {
    /// Accepts one description.
    public static func buildExpression(_ dummy: Dummy) -> [Dummy] { [dummy] }

    /// Accepts a list of descriptions, such as a set that several tests share.
    public static func buildExpression(_ dummies: [Dummy]) -> [Dummy] { dummies }

    /// Joins the parts of a block.
    public static func buildBlock(_ parts: [Dummy]...) -> [Dummy] { parts.flatMap(\.self) }

    /// Joins the results of a loop.
    public static func buildArray(_ parts: [[Dummy]]) -> [Dummy] { parts.flatMap(\.self) }

    /// Accepts the body of an `if`.
    public static func buildOptional(_ part: [Dummy]?) -> [Dummy] { part ?? [] }

    /// Accepts the first branch.
    public static func buildEither(first part: [Dummy]) -> [Dummy] { part }

    /// Accepts the second branch.
    public static func buildEither(second part: [Dummy]) -> [Dummy] { part }
}
