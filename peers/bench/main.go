// Bench measures Bowline against its peers and against floors, and prints the tables as Markdown. See README.md.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/bowline-mcp/bowline/peers/bench/contenders"
	"github.com/bowline-mcp/bowline/peers/bench/measure"
	"github.com/bowline-mcp/bowline/peers/bench/paths"
	"github.com/bowline-mcp/bowline/peers/bench/report"
)

func main() {
	var err error
	switch {
	case len(os.Args) == 3 && os.Args[1] == "child": // the stdio path starts this program once for each contender
		err = contenders.ServeChild(context.Background(), os.Args[2])
	case len(os.Args) == 5 && os.Args[1] == measure.ListenersCommand:
		err = measure.ServeListeners(os.Args[2], os.Args[3], os.Args[4], os.Stdin, os.Stdout)
	default:
		err = run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run() error {
	rounds := flag.Int("rounds", 20, "how often each variant is measured, at least 6")
	duration := flag.Duration("time", 150*time.Millisecond, "how long one measurement takes")
	rows := flag.String("row", "", "measure only the paths whose name matches this regular expression")
	quick := flag.Bool("quick", false, "short rounds: -rounds 8 -time 40ms")
	flag.Parse()
	settings := measure.Settings{Rounds: *rounds, Time: *duration}
	if *quick {
		settings = measure.Settings{Rounds: 8, Time: 40 * time.Millisecond}
	}
	if settings.Rounds < 6 {
		return fmt.Errorf("-rounds is %d: medians of fewer than 6 rounds say little", settings.Rounds)
	}
	if flag.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q: choose paths with -row", flag.Arg(0))
	}
	match, err := regexp.Compile(*rows)
	if err != nil {
		return fmt.Errorf("-row: %w", err)
	}
	var reports []*report.Report
	var failed []error
	matched := false
	begin := time.Now()
	preface(settings)
	for _, path := range paths.All() {
		if !match.MatchString(path.Row) {
			continue
		}
		matched = true
		fmt.Fprintf(os.Stderr, "bench: %s\n", path.Row)
		done, err := path.Run(settings)
		if err != nil { // the tables of the other paths are still useful
			failed = append(failed, fmt.Errorf("%s: %w", path.Row, err))
			continue
		}
		for _, r := range done {
			fmt.Print(r.Markdown())
		}
		reports = append(reports, done...)
	}
	if !matched {
		return fmt.Errorf("-row %q matches no path: they are %s", *rows, names())
	}
	fmt.Print(report.Summary(reports))
	fmt.Fprintf(os.Stderr, "bench: done in %s\n", time.Since(begin).Round(time.Second))
	return errors.Join(failed...)
}

// preface prints the versions and settings of the measurement, so that a table can be judged
// later.
func preface(settings measure.Settings) {
	fmt.Printf("%s, %s/%s, %d cores. Medians of %d rounds of %s, all variants in turn in one run.\n",
		runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), settings.Rounds, settings.Time)
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, module := range info.Deps {
			switch module.Path {
			case "github.com/modelcontextprotocol/go-sdk", "github.com/mark3labs/mcp-go", "trpc.group/trpc-go/trpc-mcp-go":
				fmt.Printf("%s %s. ", module.Path, module.Version)
			}
		}
	}
	fmt.Print("\n\n")
}

func names() []string {
	var names []string
	for _, path := range paths.All() {
		names = append(names, path.Row)
	}
	return names
}
