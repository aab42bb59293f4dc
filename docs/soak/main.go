// Soak abuses a server in every way that has hurt one, and checks that an honest client beside it hardly notices.
//
//	go run ./docs/soak [-time 5m] [-stops 0]
//
// It builds docs/soak/victim, runs it, and attacks it from other loopback addresses than that of the honest client:
//
//   - 400 connections with calls that take 36 ms of processor time each
//   - 300 bodies of 4 MiB that stop one byte short, and 300 of which hardly anything comes
//   - initialize, as fast as 8 connections can
//   - streams of subscriptions/listen, as many as the server takes
//   - nobody reads the log
//
// Meanwhile the honest client makes a small call every 50 ms, in both eras in turn. It fails if the client loses a call, if
// its median is 50 ms or more, if the server has more than 400 MiB, or if the server doesn't end within 15 s of SIGTERM.
//
// With -stops it does something else: it stops the server that often while 100 clients call it, and fails if a call that ran
// was not answered.
//
// It runs on Linux only, which has the loopback addresses and shows the memory of a process.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"
)

func main() {
	length := flag.Duration("time", 5*time.Minute, "how long to abuse the server")
	stops := flag.Int("stops", 0, "stop the server this often under load, instead of abusing it")
	flag.Parse()
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	err := soak(ctx, *length, *stops, os.Stdout)
	cancel()
	if err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

// soak builds the victim, and abuses or stops it.
func soak(ctx context.Context, length time.Duration, stops int, out io.Writer) (err error) {
	program, clean, err := build(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, clean()) }()
	if stops > 0 {
		return stopUnderLoad(ctx, program, stops, out)
	}
	return abuse(ctx, program, length, out)
}

// The limits of abuse.
const (
	maxMedian = 50 * time.Millisecond
	maxMemory = 400 << 20
	maxStop   = 15 * time.Second
)

// abuse attacks a server, and reports how an honest client fares.
func abuse(ctx context.Context, program string, length time.Duration, out io.Writer) error {
	v, err := start(ctx, program)
	if err != nil {
		return err
	}
	defer v.kill()
	attacking, stop := context.WithTimeout(ctx, length)
	defer stop()
	attacks := attack(attacking, v.address)
	memory := v.watchMemory(attacking)
	report := honest(attacking, v.address)
	<-attacking.Done()
	took, _, err := v.terminate()
	stop()
	attacks.Wait()
	peak := <-memory
	_, _ = fmt.Fprintf(out, "honest client: %d calls, %d lost, median %v, 99 %% within %v\nserver: %d MiB at most, ended %v after SIGTERM\nattacks: %s\n",
		report.calls, report.lost, report.median(), report.quantile(0.99), peak>>20, took.Round(time.Millisecond), attacks)
	for _, failed := range []struct {
		is   bool
		what string
	}{
		{report.calls == 0 || report.lost > 0, fmt.Sprintf("the honest client lost %d of %d calls: %v", report.lost, report.calls, report.problem)},
		{report.median() >= maxMedian, fmt.Sprintf("the median of the honest client is %v; the limit is %v", report.median(), maxMedian)},
		{peak > maxMemory, fmt.Sprintf("the server had %d MiB; the limit is %d", peak>>20, maxMemory>>20)},
		{took > maxStop, fmt.Sprintf("the server ended %v after SIGTERM; the limit is %v", took, maxStop)},
	} {
		if failed.is {
			err = errors.Join(err, errors.New(failed.what))
		}
	}
	return err
}
