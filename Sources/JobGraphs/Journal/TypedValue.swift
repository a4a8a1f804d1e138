// SPDX-License-Identifier: MIT

enum TypedValue {
    /// Returns a value in its own type, without `as?`: a cast costs more than most nodes.
    static func cast<Own, Value>(
        _ value: Own,
        to type: Value.Type = Value.self,
        orThrow error: @autoclosure () -> any Error
    ) throws -> Value {
        Own.self == Value.self ? unsafe unsafeBitCast(value, to: type) : try convert(value, orThrow: error())
    }

    /// Kept apart because it is rare: a function with an optional of a generic type looks up that type at each call.
    @inline(never)
    private static func convert<Own, Value>(_ value: Own, orThrow error: @autoclosure () -> any Error) throws -> Value {
        guard let other = value as? Value else {
            throw error()
        }
        return other
    }
}
