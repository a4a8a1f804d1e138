// SPDX-License-Identifier: MIT

// Makes requests with Go's net/http, so many at a time, and prints what they cost in the words of HTTPBenchmark.
//
//	peer URL REQUESTS CONCURRENCY
package main

import (
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

func request(client *http.Client, url string) {
	response, err := client.Get(url)
	check(err)
	body, err := io.ReadAll(response.Body)
	check(err)
	check(response.Body.Close())
	if len(body) != length {
		check(fmt.Errorf("%s has %d bytes", url, len(body)))
	}
}

func inTurns(client *http.Client, url string, count, concurrency int) {
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
				request(client, url)
			}
		}()
	}
	workers.Wait()
}

func main() {
	if len(os.Args) != 4 {
		check(fmt.Errorf("usage: peer URL REQUESTS CONCURRENCY"))
	}
	count, err := strconv.Atoi(os.Args[2])
	check(err)
	concurrency, err := strconv.Atoi(os.Args[3])
	check(err)
	// By default it keeps two idle connections only.
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: concurrency, MaxConnsPerHost: concurrency}}
	inTurns(client, os.Args[1], count/10+1, concurrency)
	processor, begin := processorTime(), time.Now()
	inTurns(client, os.Args[1], count, concurrency)
	elapsed := time.Since(begin).Seconds()
	cost := (processorTime() - processor) / float64(count)
	fmt.Printf("net/http: %.1f req/s, %.2f us cpu\n", float64(count)/elapsed, cost)
}
