// SPDX-License-Identifier: MIT

// Writes the public declarations of each library, a line each, to OUTPUT/LIBRARY.txt:
//
//     Listing SYMBOL_GRAPHS OUTPUT SWIFT_VERSION LIBRARY...
//
// The first folder holds LIBRARY.symbols.json and LIBRARY@OTHER.symbols.json, as 'swift symbolgraph-extract' leaves
// them.

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct Graph: Decodable {
    struct Symbol: Decodable {
        struct Kind: Decodable { let identifier: String }
        struct Identifier: Decodable { let precise: String }
        struct Fragment: Decodable { let spelling: String }
        struct Location: Decodable {}
        struct Constraint: Decodable, Hashable {
            let kind: String
            let lhs: String
            let rhs: String
        }
        struct Constraints: Decodable { let constraints: [Constraint]? }
        struct Availability: Decodable { let isUnconditionallyUnavailable: Bool? }

        let kind: Kind
        let identifier: Identifier
        let pathComponents: [String]
        let declarationFragments: [Fragment]?
        let swiftGenerics: Constraints?
        let swiftExtension: Constraints?
        let location: Location?
        let availability: [Availability]?

        var isExtension: Bool { kind.identifier == "swift.extension" }
    }

    struct Relationship: Decodable {
        let kind: String
        let source: String
        let target: String
        let targetFallback: String?
    }

    let symbols: [Symbol]
    let relationships: [Relationship]
}

/// True for a conformance that nearly every type has, or that follows from another one.
func isNoise(_ conformance: String, among all: Set<String>) -> Bool {
    switch conformance {
    case "Copyable", "Escapable", "SendableMetatype", "BitwiseCopyable": true
    case "Equatable": all.contains("Hashable") || all.contains("Comparable") || all.contains("OptionSet")
    case "ExpressibleByUnicodeScalarLiteral", "ExpressibleByExtendedGraphemeClusterLiteral":
        all.contains("ExpressibleByStringLiteral")
    case "ExpressibleByStringLiteral": all.contains("ExpressibleByStringInterpolation")
    case "RawRepresentable", "SetAlgebra", "ExpressibleByArrayLiteral": all.contains("OptionSet")
    default: false
    }
}

/// The public declarations of one library.
struct Listing {
    private let library: String
    private let version: String
    private var symbols: [Graph.Symbol]
    private var conformances: [String: Set<String>] = [:]
    /// The constraints that each type states itself: its extensions need not repeat them.
    private var constraints: [[String]: Set<Graph.Symbol.Constraint>] = [:]

    init(of library: String, in folder: String, version: String) throws {
        self.library = library
        self.version = version
        let graphs = try FileManager.default.contentsOfDirectory(atPath: folder)
            .filter { $0 == "\(library).symbols.json" || $0.hasPrefix("\(library)@") }
            .map { try JSONDecoder().decode(Graph.self, from: Data(contentsOf: URL(filePath: "\(folder)/\($0)"))) }
        symbols = graphs.flatMap(\.symbols)
        var titles: [String: String] = [:]
        for symbol in symbols {
            titles[symbol.identifier.precise] = symbol.pathComponents.joined(separator: ".")
            if !symbol.isExtension {
                constraints[symbol.pathComponents] = Set(symbol.swiftGenerics?.constraints ?? [])
            }
        }
        for relationship in graphs.flatMap(\.relationships) where relationship.kind == "conformsTo" {
            let fallback = relationship.targetFallback?.split(separator: ".").last.map(String.init)
            if let title = titles[relationship.target] ?? fallback {
                conformances[relationship.source, default: []].insert(title)
            }
        }
        // What is unavailable only says so, and nobody can use it.
        symbols.removeAll { symbol in
            symbol.availability?.contains { $0.isUnconditionallyUnavailable == true } == true
        }
        // What the compiler wrote has no place in a file. An extension of a type of another module counts by its
        // members, and has a line when it adds a conformance.
        symbols.removeAll { symbol in
            symbol.isExtension ? conformances[symbol.identifier.precise] == nil : symbol.location == nil
        }
    }

    var text: String {
        let cases = symbols.count { $0.kind.identifier == "swift.enum.case" }
        let declarations = symbols.count { !$0.isExtension } - cases
        let lines = symbols.map { (path: $0.pathComponents, text: line(for: $0)) }
            .sorted { left, right in
                if left.path != right.path {
                    return left.path.lexicographicallyPrecedes(right.path) {
                        $0.utf8.lexicographicallyPrecedes($1.utf8)
                    }
                }
                return left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
            }
        return """
            # \(declarations) public declarations of \(library), and \(cases) cases of enumerations.
            # Made by 'Scripts/api --update' with Swift \(version) on Linux. Do not edit.


            """ + lines.map { $0.text + "\n" }.joined()
    }

    /// Where it is declared, the declaration, and for a type the protocols to which it conforms.
    private func line(for symbol: Graph.Symbol) -> String {
        let declaration = (symbol.declarationFragments ?? []).map(\.spelling).joined()
            .split(whereSeparator: \.isWhitespace).joined(separator: " ")
        var text = declaration
        let parent = Array(symbol.pathComponents.dropLast())
        if !parent.isEmpty {
            let conditions = (symbol.swiftExtension?.constraints ?? [])
                .filter { !constraints[parent, default: []].contains($0) }
                .map { "\($0.lhs) \($0.kind == "sameType" ? "==" : ":") \($0.rhs)" }
            let suffix = conditions.isEmpty ? "" : " where " + conditions.joined(separator: ", ")
            text = parent.joined(separator: ".") + suffix + ": " + declaration
        }
        let all = conformances[symbol.identifier.precise, default: []]
        let named = all.filter { !isNoise($0, among: all) }.sorted()
        return named.isEmpty ? text : text + " (" + named.joined(separator: ", ") + ")"
    }
}

let arguments = CommandLine.arguments
for library in arguments.dropFirst(4) {
    let listing = try Listing(of: library, in: arguments[1], version: arguments[3])
    try Data(listing.text.utf8).write(to: URL(filePath: "\(arguments[2])/\(library).txt"))
}
