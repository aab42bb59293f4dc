// Road measures how many functions, files and packages of this module one tools/call runs.
//
//	go run ./docs/road [-v] [-functions N] [-files N] [-longest N]
//
// It builds docs/road/onecall with coverage counters. That program runs the reference app's
// "serve" on a loopback address and sends it nine calls of a client of 2026-07-28, all on one
// connection. Road measures the last one.
//
// The rules for counting:
//
//   - A function counts if a statement of its body ran, on any goroutine, until 50 ms after the
//     answer. Only functions under framework and internal count: not the app, not the standard
//     library, not other modules.
//   - A closure belongs to the function that contains it, as in "go tool covdata func". A
//     closure outside of functions, such as the New of a sync.Pool, doesn't count.
//   - A function without statements has no counter and doesn't count.
//   - The length of a function is the number of lines from "func" to the closing brace.
//   - Reading the request and writing the answer count. Accepting the connection doesn't.
//
// At commit 64621f3 these rules give 135 functions in 45 files of 10 packages.
//
// With -v, it lists the functions, ordered by file. It exits with 1 if a limit is exceeded: 117
// functions, 38 files, or 60 lines of a function, unless the flags set others; 0 means no limit.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run measures, prints, and returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var limits limits
	flags := flag.NewFlagSet("road", flag.ContinueOnError)
	flags.SetOutput(stderr)
	verbose := flags.Bool("v", false, "list the functions")
	flags.IntVar(&limits.functions, "functions", 117, "fail if the call runs more functions; 0 means no limit")
	flags.IntVar(&limits.files, "files", 38, "fail if they are in more files; 0 means no limit")
	flags.IntVar(&limits.longest, "longest", 60, "fail if one of them has more lines; 0 means no limit")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if flags.NArg() > 0 {
		_, _ = fmt.Fprintf(stderr, "road: unexpected arguments %q; use flags only\n", flags.Args())
		return 2
	}
	found, err := measure(ctx)
	if err != nil {
		_, _ = fmt.Fprintln(stderr, "road:", err)
		return 1
	}
	_, _ = io.WriteString(stdout, found.text(*verbose))
	exceeded := found.exceeded(limits)
	for _, problem := range exceeded {
		_, _ = fmt.Fprintln(stderr, "road:", problem)
	}
	return min(len(exceeded), 1)
}
