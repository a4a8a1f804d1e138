// SPDX-License-Identifier: MIT

/// The name under which a ``Dogma`` is registered.
public struct DogmaAlias: TextAlias {
    /// The name as text; case matters.
    public let rawValue: String

    /// Creates a name from text.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The name of the built-in ``JSONDogma``.
    public static let json: DogmaAlias = "json"

    /// The name of the built-in ``FormDogma``.
    public static let form: DogmaAlias = "form"

    /// The name of the built-in dogma for unconverted bytes and text: `Data` or `String`.
    public static let raw: DogmaAlias = "raw"
}
