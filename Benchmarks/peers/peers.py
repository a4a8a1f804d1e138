"""Compares this library to clients of other languages, in one run against one server.

    peers.py SERVER PROGRAM [--go PEER] [--roots FILE] [--rounds N] [--requests N]

SERVER is the address of a BenchmarkServer, PROGRAM the HTTPBenchmark whose contenders take part, PEER the program of
peer.go. With the FILE of its certificate, SERVER is one of HTTP/2 over TLS, and only those take part that speak it. The
contenders take turns, the order is reversed each round, and ratios are taken within each round: median
(min-max). Processor time is that of the client's process. Scripts/bench peers starts all of it.
"""

import argparse
import asyncio
import functools
import re
import resource
import statistics
import subprocess
import time

import aiohttp
import httpx

LENGTH = 1_037
COSTS = re.compile(r": ([0-9.]+) req/s, ([0-9.]+) us cpu")


def processor_time(who):
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime


async def in_turns(request, count, concurrency):
    """Makes requests, so many at a time."""
    shares = [count // concurrency + (worker < count % concurrency) for worker in range(concurrency)]

    async def work(share):
        for _ in range(share):
            await request()

    await asyncio.gather(*(work(share) for share in shares))


def python(make):
    """A contender that runs in this process; `make` returns a client and its request."""

    async def run(url, count, concurrency):
        client, request = make(url, concurrency)
        async with client:
            await in_turns(request, max(1, count // 10), concurrency)
            processor, begin = processor_time(resource.RUSAGE_SELF), time.perf_counter()
            await in_turns(request, count, concurrency)
            elapsed = time.perf_counter() - begin
            return count / elapsed, (processor_time(resource.RUSAGE_SELF) - processor) / count * 1e6

    return lambda url, count, concurrency: asyncio.run(run(url, count, concurrency))


def aiohttp_client(url, concurrency):
    session = aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=concurrency))

    async def request():
        async with session.get(url) as response:
            assert len(await response.read()) == LENGTH

    return session, request


def httpx_client(url, concurrency):
    client = httpx.AsyncClient(limits=httpx.Limits(max_connections=concurrency))

    async def request():
        assert len((await client.get(url)).content) == LENGTH

    return client, request


def curl(options, url, count, concurrency):
    """curl's multi interface; its start and end count, which many requests make small."""
    processor, begin = processor_time(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(
        ["curl", *options, "--silent", "--fail", "--parallel", "--parallel-max", str(concurrency),
         "--output", "/dev/null", f"{url}?n=[1-{count}]"],
        check=True,
        stderr=subprocess.DEVNULL,
    )
    elapsed = time.perf_counter() - begin
    return count / elapsed, (processor_time(resource.RUSAGE_CHILDREN) - processor) / count * 1e6


def costs(*command):
    """What a program of its own prints."""
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    match = COSTS.search(output)
    if not match:
        raise SystemExit(f"{command[0]} printed '{output}'")
    return float(match[1]), float(match[2])


def swift(program, server, name, options):
    return lambda _, count, concurrency: costs(
        program, "--server", server, "--only", name, "--requests", str(count), "--concurrency", str(concurrency),
        *options
    )


def go(peer, options):
    return lambda url, count, concurrency: costs(peer, url, str(count), str(concurrency), *options)


def ratio(values):
    return f"{statistics.median(values):.2f} ({min(values):.2f}-{max(values):.2f})"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("server")
    parser.add_argument("program")
    parser.add_argument("--go")
    parser.add_argument("--roots")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--requests", type=int, default=6_000)
    options = parser.parse_args()
    url = options.server + "/users/7/record"
    # Without HTTP/2, that many streams would be as many connections.
    levels = (1, 16, 64, 256) if options.roots else (1, 16, 64)
    flags = ["--roots", options.roots, "--http2"] if options.roots else []
    secure = ["--http2", "--cacert", options.roots] if options.roots else []
    contenders = {
        name: swift(options.program, options.server, name, flags) for name in ("RestClient", "HTTPClient.execute")
    }
    contenders["curl --parallel"] = functools.partial(curl, secure)
    if not options.roots:
        contenders |= {"aiohttp": python(aiohttp_client), "httpx": python(httpx_client)}
    if options.go:
        contenders["Go net/http"] = go(options.go, [options.roots] if options.roots else [])
    print(f"{options.rounds} rounds of {options.requests} requests; ratios to RestClient in each round.")
    print("| client | at once | req/s | us cpu | req/s ratio | cpu ratio |\n|---|---|---|---|---|---|")
    for concurrency in levels:
        results = {name: [] for name in contenders}
        for turn in range(options.rounds):
            names = list(contenders)
            for name in names if turn % 2 == 0 else reversed(names):
                results[name].append(contenders[name](url, options.requests, concurrency))
        first = results["RestClient"]
        for name, own in results.items():
            rates = [mine[0] / base[0] for mine, base in zip(own, first)]
            costs = [mine[1] / base[1] for mine, base in zip(own, first)]
            rate, cost = (statistics.median(values) for values in zip(*own))
            print(f"| {name} | {concurrency} | {rate:.0f} | {cost:.0f} | {ratio(rates)} | {ratio(costs)} |", flush=True)


if __name__ == "__main__":
    main()
