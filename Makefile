# Shorthand for the scripts, which need no make.
.PHONY: test demo lint format docs api bench clean

test demo lint format docs api bench:
	@Scripts/$@

clean:
	rm -rf .build Samples/.build Samples/Demo/.build Samples/Script/.build Benchmarks/.build Conformance/.build
