// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that users of the library never build what only drives it through public test suites.
let package = Package(
    name: "Conformance",
    platforms: [.macOS(.v15)],
    dependencies: [
        // With other traits than the tests of the package, what these have compiled would be compiled again.
        .package(name: "swift-rest-client", path: "..", traits: ["Logging", "Tracing"]),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.3.0"),
    ],
    targets: [
        .executableTarget(
            name: "conformance-driver",
            dependencies: [
                .product(name: "RestClient", package: "swift-rest-client"),
                .product(name: "RestClientWebSocket", package: "swift-rest-client"),
                .product(name: "SharedStore", package: "swift-rest-client"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        )
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets {
    target.swiftSettings = [
        .treatAllWarnings(as: .error),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ]
}
