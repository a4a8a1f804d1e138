// SPDX-License-Identifier: MIT

import Crypto
import HTTPTypes
import RestEssentials
import SharedStore

/// Builds the request of a node: a pure function of the node, the registries and the surroundings.
struct RequestBuilder {
    let registries: RegistrySnapshot
    let surroundings: Surroundings

    /// Resolves the aliases, expands the path, encodes query and body, and determines the options.
    func build(_ specification: RequestSpecification) throws -> PreparedRequest {
        if let defect = registries.defect {
            throw defect
        }
        let target = try TargetResolver.resolve(specification.target, in: registries)
        let isConfined = specification.target.isConfined
        let own = try isConfined ? specification.confinedOptions(to: target) : specification.options
        let shared = registries.options(for: target)
        var options = shared.overlaid(with: own)
        let method = specification.method ?? target.api?.value.method ?? .get
        let (leavesEncryption, isGiven) = (specification.target.leavesEncryption, specification.target.isGiven)
        let withholdsCredentials = target.server == nil || leavesEncryption
        if withholdsCredentials {
            options.withholdCredentials(isEncrypted: !leavesEncryption, givenTo: isGiven ? method : nil)
        }
        if let defect = options[.defect] {
            throw defect
        }
        guard !specification.isUpload || !method.isRetrieval else {
            throw RestClientError(
                .bodyNotAllowed,
                "a \(method.rawValue) request uploads nothing; set the method of the API, or .put() or .post()"
            )
        }
        let (dogmaAlias, coding) = try coding(options, method, target)
        var (url, body) = try content(specification, options, method, target, coding)
        if let credentials = options[.queryCredentials] {
            Self.append(credentials, to: &url)
        }
        if let plain = body, let coding = options[.requestCoding] ?? nil {
            body = plain.compressed(coding)
        }
        let authentication = AuthenticationScheme.of(
            options,
            hasServer: !withholdsCredentials,
            refreshing: surroundings.refreshing
        )
        let accept = coding.dogma.acceptedContentType
        // A body that no dogma decodes may be of any type.
        let isDecoded = !specification.takesAnyType && !specification.isStreamed
        var headers = try headers(options[.headers], accept: isDecoded ? accept : "*/*", body)
        if let field = authentication?.field {
            headers.providers.removeAll { $0.name == field }
        }
        var netrc: NetrcTerms?
        if !leavesEncryption, !isGiven || !withholdsCredentials {
            netrc = NetrcTerms.of(
                options,
                url,
                hasServer: !withholdsCredentials,
                hasToken: authentication?.field == .authorization,
                &headers
            )
        }
        let signing = SigningTerms.of(options, hasServer: !withholdsCredentials, isGiven: isGiven)
        var policy = policy(options, dogmaAlias, coding, target, partition: signing?.partition)
        let jar = (options[.cookies] ?? nil)?.inside(policy.isolation)
        let cookies = CookieTerms.of(jar, options, url, isEncrypted: !leavesEncryption, &headers)
        let pass = options.isUnsafe(method) ? options[.journalPass] : nil
        let terms = IdempotencyTerms.of(options, method)
        IdempotencyTerms.mark(&headers, terms, pass)

        policy.headerProviders = headers.providers
        policy.isGiven = isGiven
        policy.pass = pass
        policy.duplicateKey = options[.refusedDuplicates]
            .map { key in
                DuplicateKey(key ?? Self.likeness(method, url, body), in: policy.isolation)
            }
        policy.tokenField = authentication?.field
        policy.set(authentication?.inside(policy.isolation))
        policy.set(cookies)
        policy.set(terms)
        policy.set(signing)
        policy.set(netrc)
        if !isDecoded, !(options[.headers]?.contains(.accept) ?? false) {
            policy.dogmaAccept = accept.map { [$0] } ?? []
        }
        policy.isStreamed = specification.isStreamed
        policy.mayPause = specification.mayPause
        policy.series = specification.series
        policy.set(specification.upgrade)
        if !specification.isStreamed, body.map({ $0.bytes != nil }) ?? true {
            policy.set(CacheTerms.of(options, method))
        }
        let identity = identity(options, method, url, target)
        policy.settleNeeds()
        if !policy.needs.isDisjoint(with: .guards) {
            policy.set(GuardTerms(options, shared: shared, identity))
        }
        return PreparedRequest(
            identity,
            policy: policy,
            headers: headers.fields,
            body: body,
            coding: coding,
            acceptedContentType: accept
        )
    }
}

// MARK: - The call

extension RequestBuilder {
    private func identity(
        _ options: CallOptions,
        _ method: HTTPRequest.Method,
        _ url: String,
        _ target: ResolvedTarget
    ) -> PreparedRequest.Identity {
        PreparedRequest.Identity(
            callIdentifier: options[.callIdentifier],
            api: target.apiName,
            server: target.serverAlias,
            template: target.template?.source ?? "",
            method: method,
            url: url,
            isMuted: options[.isMuted] ?? false,
            choice: target.choice
        )
    }

    private func policy(
        _ options: CallOptions,
        _ dogmaAlias: DogmaAlias,
        _ coding: ResolvedDogma,
        _ target: ResolvedTarget,
        partition: String?
    ) -> CallPolicy {
        var policy = CallPolicy(
            options: options,
            responseLimit: options[.responseLimit] ?? CallOptions.defaultResponseLimit,
            dogmaAlias: dogmaAlias,
            reader: coding
        )
        policy.environment = registries.origin(of: target)
        policy.timeout = Self.timeout(options)
        policy.acceptedStatuses = options[.acceptedStatuses] ?? .successful
        policy.priority = options[.priority] ?? .normal
        policy.addresses = registries.addresses
        if target.choice == .address, let address = try? HTTPURL(server: target.prefix) {
            policy.addresses.append(address)
        }
        policy.prefix = target.template == nil ? target.server?.value.prefix ?? "" : target.prefix
        policy.user = options[.cachePartition]
        policy.passesPool = !surroundings.refreshing.isEmpty
        let dummies = surroundings.dummies.lookup(options, in: registries)
        policy.lendsSlot = dummies != nil
        policy.isolation = dummies == nil ? surroundings.fixture : surroundings.isolation
        policy.origin = policy.isolation?.name ?? dummies.map { _ in CallPolicy.dummies }
        let parts = [policy.origin, registries.environment?.partition, partition].compactMap { $0 }
        policy.scope = parts.isEmpty ? nil : parts.joined(separator: " ")
        policy.set(dummies)
        return policy
    }

    /// Returns a text that is equal for requests with equal methods, URLs and bodies; it shows none of them.
    private static func likeness(_ method: HTTPRequest.Method, _ url: String, _ body: RequestBody?) -> String {
        var digest = SHA256()
        digest.update(data: Data("\(method.rawValue) \(url)\n".utf8))
        digest.update(data: body?.bytes ?? Data())
        return "request " + Hexadecimal.text(digest.finalize())
    }

    /// Returns the time limit of the call, within that of its surroundings.
    private static func timeout(_ options: CallOptions) -> Duration? {
        let timeout = options[.timeout] ?? .seconds(60)
        guard let limit = options[.timeoutLimit] else {
            return timeout
        }
        return timeout.map { min($0, limit) } ?? limit
    }

    private func coding(
        _ options: CallOptions,
        _ method: HTTPRequest.Method,
        _ target: ResolvedTarget
    ) throws(RestClientError) -> (DogmaAlias, ResolvedDogma) {
        let key = options[.dogma] ?? .json
        guard let dogma = registries.dogmas[key] else {
            let hint = NearestNames.hint(for: key.rawValue, among: registries.dogmas.keys.map(\.rawValue))
            let name = AliasText.shown(key.rawValue)
            throw RestClientError(.unknownDogma, "no dogma is registered as '\(name)'; \(hint)")
        }
        let request = DogmaRequest(
            method: method,
            api: target.apiName,
            server: target.serverAlias,
            template: target.template?.source ?? "",
            keyStrategy: options[.keyStrategy],
            dateStrategy: options[.dateStrategy]
        )
        return (key, ResolvedDogma(dogma: dogma.value, request: request))
    }
}

// MARK: - URL and body

extension RequestBuilder {
    private func content(
        _ specification: RequestSpecification,
        _ options: CallOptions,
        _ method: HTTPRequest.Method,
        _ target: ResolvedTarget,
        _ coding: ResolvedDogma
    ) throws -> (url: String, body: RequestBody?) {
        var (url, parameters) = try expanded(specification, target)
        let replacing = specification.replacingQuery
        let replaced = Set(replacing.map(\.name))
        var query = specification.query
        if !replaced.isEmpty {
            query.removeAll { replaced.contains($0.name) }
            query += replacing
        }
        let ownCount = query.count
        for model in specification.queryModels {
            query += try coding.queryItems(of: model)
        }
        var body: RequestBody?
        switch specification.model {
        case .none:
            break
        case .values where method.isRetrieval:
            query += parameters.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        case .values:
            body = RequestBody(try coding.encode(JSONValue.object(parameters)))
        case .body(let model):
            body = RequestBody(try coding.encode(model))
        case .content(let content):
            body = try content.prepared()
        case .payload(let payload):
            body = try Self.body(of: payload).prepared()
        }
        if let page = specification.target.page {
            return (page, body)
        }
        if !replaced.isEmpty {
            query = query[..<ownCount] + query[ownCount...].filter { !replaced.contains($0.name) }
            url = QueryItems.rewriting(url, omittingEmpty: false) { items in
                items.filter { !replaced.contains(foreign: PercentEncoding.decode($0.name)) }
            }
        }
        Self.append(query, encoding: options[.queryEncoding] ?? QueryEncoding(), to: &url)
        return (url, body)
    }

    private static func body(of payload: some RequestPayload) throws(RestClientError) -> RequestBody {
        do {
            return try payload.requestBody()
        } catch {
            throw RestClientError(
                .encodingFailed,
                "\(type(of: payload)) cannot encode itself as the request's body",
                underlying: error
            )
        }
    }

    /// Returns the URL with its placeholders expanded, and the remaining named values for the query or the body.
    private func expanded(
        _ specification: RequestSpecification,
        _ target: ResolvedTarget
    ) throws(RestClientError) -> (url: String, parameters: [String: JSONValue]) {
        var parameters: [String: JSONValue] = [:]
        if case .values(let values) = specification.model {
            parameters = values
        }
        let values =
            parameters.isEmpty
            ? specification.pathParameters.byName
            : specification.pathParameters.byName.merging(parameters) { own, _ in own }
        let (url, used) = try Self.url(target, values: values) { name in
            specification.pathParameters[name] != nil
        }
        if !used.isEmpty, !parameters.isEmpty {
            parameters = parameters.filter { !used.contains($0.key) }
        }
        try Self.checkPathParameters(specification.pathParameters, target)
        return (url, parameters)
    }

    /// Rejects values for placeholders that the path does not contain: a misspelled name must not silently use the
    /// default.
    private static func checkPathParameters(
        _ parameters: PathParameters,
        _ target: ResolvedTarget
    ) throws(RestClientError) {
        guard !parameters.isEmpty else {
            return
        }
        let template = target.template ?? ""
        for (name, _) in parameters.values where !template.hasVariable(name) {
            throw RestClientError(
                .invalidPathParameter,
                "the path '\(Redaction.url(template.source))' has no placeholder '\(name)'; "
                    + NearestNames.hint(for: name, among: template.variableNames)
            )
        }
    }

    /// Joins prefix and path with exactly one slash.
    private static func url(
        _ target: ResolvedTarget,
        values: [String: JSONValue],
        isMeantForPath: (String) -> Bool
    ) throws(RestClientError) -> (url: String, used: Set<String>) {
        guard let template = target.template else {
            return (target.prefix, [])
        }
        let (path, used) = try template.expandForRequest(
            values,
            defaults: target.defaults,
            isMeantForPath: isMeantForPath
        )
        let bytes = path.utf8
        if bytes.contains(UInt8(ascii: ":")), path.firstRange(of: "://") != nil, HTTPURL.hasScheme(path) {
            throw RestClientError(
                .invalidURL,
                "the endpoint '\(Redaction.url(template.source))' is a whole URL; set it with .url(_:) instead"
            )
        }
        var url = target.prefix
        url.reserveCapacity(url.utf8.count + bytes.count + 1)
        if let first = bytes.first {
            if first != UInt8(ascii: "?") {
                url += "/"
            }
            let start = bytes.firstIndex { $0 != UInt8(ascii: "/") } ?? bytes.endIndex
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "#")) ?? bytes.endIndex
            url += path[start..<end]
        }
        return (url, used)
    }

    /// Adds credentials to the query, unless the URL has them already, as one that the server gave may.
    private static func append(_ credentials: [String: String], to url: inout String) {
        let present = Set(QueryItems.decode(HTTPURL.query(of: url) ?? "").map { RowKey($0.name) })
        let missing = credentials.filter { !present.contains(RowKey($0.key)) }.sorted { $0.key < $1.key }
        append(missing.map { ($0.key, .string($0.value)) }, encoding: QueryEncoding(), to: &url)
    }

    private static func append(
        _ query: [(name: String, value: JSONValue)],
        encoding: QueryEncoding,
        to url: inout String
    ) {
        guard !query.isEmpty else {
            return
        }
        let text = encoding.encode(query)
        guard !text.isEmpty else {
            return
        }
        if !url.utf8.contains(UInt8(ascii: "?")) {
            url += "?"
        } else if let last = url.utf8.last, last != UInt8(ascii: "?"), last != UInt8(ascii: "&") {
            url += "&"
        }
        url += text
    }
}

// MARK: - Header fields

extension RequestBuilder {
    /// Returns the header fields of the library and the dogma, overridden by those of the levels.
    private func headers(
        _ own: HeaderFields?,
        accept: String?,
        _ body: RequestBody?
    ) throws(RestClientError) -> HeaderFields {
        var headers = HeaderFields(fields: [.userAgent: TransportRequest.userAgent])
        if let accept {
            headers.fields[.accept] = accept
        }
        if let contentType = body?.contentType {
            if let defect = HeaderCheck.defect(in: contentType, of: .contentType) {
                throw defect
            }
            headers.fields[.contentType] = contentType
        }
        if let own {
            headers.override(with: own)
            if own.fields[.userAgent]?.isEmpty ?? false {
                headers.fields[.userAgent] = nil
            }
        }
        if let body {
            describe(body, in: &headers)
        }
        return headers
    }

    /// Sets the fields that depend on the body itself.
    private func describe(_ body: RequestBody, in headers: inout HeaderFields) {
        if body.hasFixedType {
            // Without the boundary, no one could parse the form.
            headers.fields[.contentType] = body.contentType
            headers.providers.removeAll { $0.name == .contentType }
        }
        if !body.codings.isEmpty {
            let coded = body.codings.map(\.description).joined(separator: ", ")
            headers.fields[.contentEncoding] = headers.fields[.contentEncoding].map { "\($0), \(coded)" } ?? coded
        }
    }

    /// The surroundings of a call, read once when it begins, because its requests may be made in another task.
    struct Surroundings: Sendable {
        /// The environment of the task; `nil` for the one in force.
        var environment: EnvironmentLayer?
        let dummies: DummySurroundings
        /// The scope whose states the call uses if dummies may respond to it; `nil` outside of scopes.
        var isolation: CallIsolation?
        /// The scope whose states the call uses if no dummy may respond to it: that of a recording.
        var fixture: CallIsolation?
        /// The token sources whose refreshes the call is part of, the innermost first.
        var refreshing: [TokenSource] = []

        static func current(_ core: ClientCore) -> Surroundings {
            Surroundings(
                environment: EnvironmentScope.innermost(for: core.registries),
                dummies: .current(core.dummies),
                isolation: core.isolation,
                fixture: CallIsolation.innermost(for: core.dummies, seesDummies: false),
                refreshing: TokenRefreshScope.sources
            )
        }

        /// True outside of all scopes and without dummies: such calls differ only in their nodes.
        var arePlain: Bool {
            environment == nil && dummies.areAbsent && isolation == nil && fixture == nil && refreshing.isEmpty
        }
    }
}
