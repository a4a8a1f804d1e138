// SPDX-License-Identifier: MIT

/// Makes a list of jobs from a block that names one a line, with `if`, `switch` and `for`.
@resultBuilder
public enum JobList {
    /// Takes one job.
    public static func buildExpression(_ job: any Job) -> [any Job] { [job] }

    /// Takes several jobs.
    public static func buildExpression(_ jobs: [any Job]) -> [any Job] { jobs }

    /// Joins the lines of a block.
    public static func buildBlock(_ parts: [any Job]...) -> [any Job] { parts.flatMap(\.self) }

    /// Takes what an `if` without `else` gives.
    public static func buildOptional(_ part: [any Job]?) -> [any Job] { part ?? [] }

    /// Takes one branch.
    public static func buildEither(first part: [any Job]) -> [any Job] { part }

    /// Takes the other branch.
    public static func buildEither(second part: [any Job]) -> [any Job] { part }

    /// Joins what a loop gives.
    public static func buildArray(_ parts: [[any Job]]) -> [any Job] { parts.flatMap(\.self) }

    /// Takes what only newer systems have.
    public static func buildLimitedAvailability(_ part: [any Job]) -> [any Job] { part }
}
