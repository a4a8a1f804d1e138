// SPDX-License-Identifier: MIT

// Makes requests with Go's net/http, so many at a time, and prints what they cost in the words of HTTPBenchmark.
//
//	peer URL REQUESTS CONCURRENCY [ROOTS]
//
// With the file of a certificate to trust it speaks HTTP/2, and ends if the server does not.
package main

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"sync"
	"syscall"
	"time"
)

const length = 1037

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// User and system time so far, in microseconds.
func processorTime() float64 {
	var usage syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e3
}

// Makes the client speak HTTP/2 to a server with a certificate that a file has.
func secured(transport *http.Transport, roots string) {
	text, err := os.ReadFile(roots)
	check(err)
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		check(fmt.Errorf("%s has no certificate", roots))
	}
	transport.TLSClientConfig = &tls.Config{RootCAs: pool}
	// A configuration of TLS switches HTTP/2 off unless it is asked for.
	transport.ForceAttemptHTTP2 = true
	// All streams share one connection, as those of the others do.
	transport.MaxConnsPerHost = 0
}

func request(client *http.Client, url string, version int) {
	response, err := client.Get(url)
	check(err)
	if response.ProtoMajor != version {
		check(fmt.Errorf("%s speaks %s", url, response.Proto))
	}
	body, err := io.ReadAll(response.Body)
	check(err)
	check(response.Body.Close())
	if len(body) != length {
		check(fmt.Errorf("%s has %d bytes", url, len(body)))
	}
}

func inTurns(client *http.Client, url string, version, count, concurrency int) {
	var workers sync.WaitGroup
	for worker := 0; worker < concurrency; worker++ {
		share := count / concurrency
		if worker < count%concurrency {
			share++
		}
		workers.Add(1)
		go func() {
			defer workers.Done()
			for ; share > 0; share-- {
				request(client, url, version)
			}
		}()
	}
	workers.Wait()
}

func main() {
	if len(os.Args) != 4 && len(os.Args) != 5 {
		check(fmt.Errorf("usage: peer URL REQUESTS CONCURRENCY [ROOTS]"))
	}
	count, err := strconv.Atoi(os.Args[2])
	check(err)
	concurrency, err := strconv.Atoi(os.Args[3])
	check(err)
	// By default it keeps two idle connections only.
	transport := &http.Transport{MaxIdleConnsPerHost: concurrency, MaxConnsPerHost: concurrency}
	version := 1
	if len(os.Args) == 5 {
		version = 2
		secured(transport, os.Args[4])
	}
	client := &http.Client{Transport: transport}
	// One connection is made first, so that all streams find it.
	inTurns(client, os.Args[1], version, 1, 1)
	inTurns(client, os.Args[1], version, count/10+1, concurrency)
	processor, begin := processorTime(), time.Now()
	inTurns(client, os.Args[1], version, count, concurrency)
	elapsed := time.Since(begin).Seconds()
	cost := (processorTime() - processor) / float64(count)
	fmt.Printf("net/http: %.1f req/s, %.2f us cpu\n", float64(count)/elapsed, cost)
}
