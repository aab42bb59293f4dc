// Soak abuses a server in every way that has hurt one, and checks that an honest client beside it hardly notices.
//
//	go run ./docs/soak [-time 5m] [-stops 0]
//
// It builds docs/soak/victim, runs it, and attacks it by another process, from other loopback addresses than that of the
// honest client:
//
//   - 400 connections with calls that take 36 ms of processor time each
//   - 300 bodies of 4 MiB that stop one byte short, and 300 of which hardly anything comes
//   - initialize, as fast as 8 connections can
//   - streams of subscriptions/listen, as many as the server takes
//   - nobody reads the log
//
// Meanwhile the honest client makes a small call every 50 ms, in both eras in turn, and a busy one makes 16 at once that wait
// for 50 ms. It fails if one of them loses a call, if the median of the honest one is 50 ms or more, if the server has more
// than 400 MiB, or if the server doesn't end within 15 s of SIGTERM.
//
// With -stops it does something else: it stops the server that often while 100 clients call it, and fails if a call that ran
// was not answered.
//
// With -login it attacks the authorization server of docs/soak/login, which may open 1 024 files, from one address: every
// endpoint over 64 connections as fast as they are answered, then 1 100 connections whose bodies don't come, each for the
// time. It fails if 99 % of an honest client's refreshes take more than 50 ms or one is lost, if the memory grows by more
// than 64 MiB or the files by 32 MiB, if more than half of the descriptors are in use, or if a kind of attack never got as
// far as it should.
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
	address := flag.String("attack", "", "attack the server at this address, and do nothing else; the program runs itself so")
	login := flag.String("login", "", "\"both\" attacks an authorization server; with -attack it is one way: fast or slow")
	stops := flag.Int("stops", 0, "stop the server this often under load, instead of abusing it")
	flag.Parse()
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	var err error
	switch {
	case *address == "":
		err = soak(ctx, *length, *stops, *login != "", os.Stdout)
	case *login != "":
		err = attackEndpoints(ctx, *address, *login, *length, os.Stdout)
	default:
		attack(ctx, *address, *length, os.Stdout)
	}
	cancel()
	if err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

// soak builds a victim, and abuses or stops it.
func soak(ctx context.Context, length time.Duration, stops int, login bool, out io.Writer) (err error) {
	name := "victim"
	if login {
		name = "login"
	}
	program, clean, err := build(ctx, name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, clean()) }()
	switch {
	case login:
		return attackLogin(ctx, program, length, out)
	case stops > 0:
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
	attacker, attacks, err := v.attackedBy(ctx, "0", "-time", (length + maxStop).String())
	if err != nil {
		return err
	}
	memory := v.watchMemory(attacking)
	waiting := make(chan *report, 1)
	go func() { waiting <- busy(attacking, v.address) }()
	report := honest(attacking, v.address)
	many := <-waiting
	took, _, err := v.terminate()
	err = errors.Join(err, attacker.Process.Signal(os.Interrupt), attacker.Wait())
	peak := <-memory
	_, _ = fmt.Fprintf(out, "busy client: %d calls that wait for 50 ms, %d lost, median %v, 99 %% within %v\n",
		many.calls, many.lost, many.median(), many.quantile(0.99))
	_, _ = fmt.Fprintf(out, "honest client: %d calls, %d lost, median %v, 99 %% within %v\nserver: %d MiB at most, ended %v after SIGTERM\nattacks: %s",
		report.calls, report.lost, report.median(), report.quantile(0.99), peak>>20, took.Round(time.Millisecond), attacks.String())
	return errors.Join(err, inTime(took),
		must(report.calls > 0 && report.lost == 0, "the honest client lost %d of %d calls: %v", report.lost, report.calls, report.problem),
		must(many.calls > 0 && many.lost == 0, "the busy client lost %d of %d calls: %v", many.lost, many.calls, many.problem),
		must(report.median() < maxMedian, "the median of the honest client is %v; the limit is %v", report.median(), maxMedian),
		must(peak <= maxMemory, "the server had %d MiB; the limit is %d", peak>>20, maxMemory>>20))
}

// inTime returns an error if a server took too long to end.
func inTime(took time.Duration) error {
	return must(took <= maxStop, "the server ended %v after SIGTERM; the limit is %v", took, maxStop)
}

// must returns an error unless a condition holds.
func must(holds bool, format string, args ...any) error {
	if holds {
		return nil
	}
	return fmt.Errorf(format, args...)
}
