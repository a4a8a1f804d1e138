// swift-tools-version: 6.2
import PackageDescription

// A package of its own, because traits are those of a whole build. See 'Scripts/test --without-traits'.
let package = Package(
    name: "WithoutTraits",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "swift-rest-client", path: "../..")
    ],
    targets: [
        .executableTarget(
            name: "without-traits",
            dependencies: [
                .product(name: "RestClient", package: "swift-rest-client"),
                // Without their traits they hold nothing to call.
                .product(name: "RestClientLogging", package: "swift-rest-client"),
                .product(name: "RestClientTracing", package: "swift-rest-client"),
                .product(name: "RestClientTesting", package: "swift-rest-client"),
                .product(name: "RestClientWebSocket", package: "swift-rest-client"),
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
