// swift-tools-version: 6.2
import PackageDescription

// What 'Scripts/demo' builds: a package of its own, without traits, so that nobody who wants to see the demo waits for
// what it does not use. Samples/Package.swift has the same targets, with traits and tests.
let package = Package(
    name: "Demo",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "swift-rest-client", path: "../..", traits: []),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.100.0"),
    ],
    targets: [
        .executableTarget(
            name: "ChainedOrchestration",
            dependencies: [
                "DemoServer",
                .product(name: "RestClient", package: "swift-rest-client"),
                .product(name: "SharedStore", package: "swift-rest-client"),
            ]
        ),
        // A small real HTTP server, on SwiftNIO, which the client needs anyway.
        .target(
            name: "DemoServer",
            dependencies: [
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]
        ),
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
