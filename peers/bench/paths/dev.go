package paths

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/bowline-mcp/bowline/peers/bench/measure"
	"github.com/bowline-mcp/bowline/peers/bench/report"
	"github.com/bowline-mcp/bowline/peers/bench/wire"
)

const (
	seenAfter   = "an edit is seen"
	buildTime   = "the build"
	servesAfter = "the new program serves, after the build"
	// edits is the number of switches.
	edits = 10
	// enough is how many calls are made across each five switches, at least.
	enough = 10_000
)

// dev edits a tool while mcp dev serves its app, and a client calls the tool on a connection that it
// keeps. It measures how long it takes until the edit is seen, and from the end of the build until
// the client gets the new answer. It is an error if a call fails.
func dev(measure.Settings) ([]*report.Report, error) {
	w, err := newWorkshop()
	if err != nil {
		return nil, err
	}
	defer w.close()
	served, err := w.serve()
	if err != nil {
		return nil, err
	}
	conn, err := measure.Dial(served.address, "/mcp/demo", wire.ModernArguments(1, "echo", map[string]string{"message": greeting}))
	if err != nil {
		return nil, errors.Join(err, served.stop())
	}
	defer conn.Close() //nolint:errcheck // the measurement is over
	caller := &devCaller{conn: conn, changed: map[string]time.Time{}}
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		caller.run()
	}()
	var seen, build, serves []float64
	for n := range edits {
		marker := fmt.Sprintf("edit %d: ", n)
		begin := time.Now()
		if err = w.edit(marker); err != nil {
			break
		}
		var building, built, changed time.Time
		if building, built, err = served.awaitReload(); err != nil {
			break
		}
		if changed, err = caller.await(marker, (n+1)*enough/5); err != nil {
			break
		}
		seen = append(seen, float64(building.Sub(begin)))
		build = append(build, float64(built.Sub(building)))
		serves = append(serves, max(0, float64(changed.Sub(built))))
	}
	caller.stop()
	<-stopped
	if err = errors.Join(err, caller.err, served.stop()); err != nil {
		return nil, err
	}
	r := &report.Report{
		Title: "mcp dev, an edit while a client calls",
		Note: fmt.Sprintf("Medians of %d edits of a tool. %d calls on one connection, one after another; none failed. The log of mcp dev arrives up to 10 ms late, and has times to 10 ms.",
			edits, caller.calls),
		Floor:   buildTime,
		Results: []measure.Result{of(buildTime, build), of(seenAfter, seen), of(servesAfter, serves)},
	}
	r.Budgets = []report.Budget{
		{What: "an edit is seen, at most", Measured: slices.Max(seen) / 1e6, Limit: 150, Unit: " ms"},
		{What: "the new program serves after the build, at most", Measured: slices.Max(serves) / 1e6, Limit: 150, Unit: " ms"},
		{What: "calls across ten switches", Measured: float64(caller.calls), Limit: 2 * enough, AtLeast: true},
	}
	return []*report.Report{r}, nil
}

// echoed is what the tool of a new app returns, with the marker of an edit before it.
var echoed = regexp.MustCompile(`return ("[^"]*" \+ )?arguments`)

// edit makes the tool of the app begin its answers with a marker.
func (w *workshop) edit(marker string) error {
	file := filepath.Join(w.app, "app", "mcp", "tools", "echo_tool.go")
	source, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("edit the tool: %w", err)
	}
	edited := echoed.ReplaceAll(source, fmt.Appendf(nil, "return %q + arguments", marker))
	if bytes.Equal(edited, source) {
		return fmt.Errorf("edit the tool: %s doesn't have %v", file, echoed)
	}
	return os.WriteFile(file, edited, 0o600)
}

// A devServer is mcp dev over HTTP.
type devServer struct {
	command *exec.Cmd
	log     *bufio.Scanner
	address string
}

// serve starts mcp dev in the app, and waits until it serves.
func (w *workshop) serve() (*devServer, error) {
	address, err := measure.FreeAddress()
	if err != nil {
		return nil, err
	}
	s := &devServer{command: exec.Command(w.mcp, "dev", "--addr", address), address: address}
	s.command.Dir, s.command.Env = w.app, w.environment
	stderr, err := s.command.StderrPipe()
	if err != nil {
		return nil, err
	}
	s.log = bufio.NewScanner(stderr)
	if err := s.command.Start(); err != nil {
		return nil, fmt.Errorf("start mcp dev: %w", err)
	}
	_, _, err = s.await("mcp: serving")
	return s, err
}

// await reads the log up to a line that begins with a text, and returns the rest of the line and when it
// arrived.
func (s *devServer) await(text string) (rest string, at time.Time, err error) {
	for s.log.Scan() {
		if rest, found := strings.CutPrefix(s.log.Text(), text); found {
			return rest, time.Now(), nil
		}
	}
	return "", at, fmt.Errorf("mcp dev ended before it logged %q", text)
}

// awaitReload waits until a new program serves. It returns when its build began and ended, to 10 ms.
func (s *devServer) awaitReload() (building, built time.Time, err error) {
	rest, at, err := s.await("mcp: reloaded: ")
	if err != nil {
		return building, built, err
	}
	var build, start float64 // seconds
	if _, err := fmt.Sscanf(rest, "built in %g s, started in %g s", &build, &start); err != nil {
		return building, built, fmt.Errorf("read the line %q of mcp dev: %w", rest, err)
	}
	built = at.Add(-time.Duration(start * float64(time.Second)))
	return built.Add(-time.Duration(build * float64(time.Second))), built, nil
}

// stop ends mcp dev.
func (s *devServer) stop() error {
	if err := s.command.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	for s.log.Scan() { // until the end
		continue
	}
	return s.command.Wait()
}

// A devCaller calls the tool, one call after another on one connection.
type devCaller struct {
	conn *measure.Conn

	lock    sync.Mutex
	calls   int
	changed map[string]time.Time // when the first answer with a marker arrived
	err     error
	stopped bool
}

// run makes calls until it is stopped or one fails.
func (c *devCaller) run() {
	for c.note(c.conn.Do()) {
		continue
	}
}

// note notes an answer, and reports whether to make another call.
func (c *devCaller) note(answer []byte, err error) bool {
	now := time.Now()
	c.lock.Lock()
	defer c.lock.Unlock()
	_, text, found := bytes.Cut(answer, []byte(`"text":"`))
	marker, _, echoes := bytes.Cut(text, []byte(greeting))
	if err == nil && (!found || !echoes) {
		err = fmt.Errorf("the answer is %.300s", answer)
	}
	if err != nil {
		c.err = fmt.Errorf("call %d: %w", c.calls+1, err)
		return false
	}
	c.calls++
	if _, known := c.changed[string(marker)]; !known {
		c.changed[string(marker)] = now
	}
	return !c.stopped
}

// await waits for the first answer with a marker, and until there are enough calls. It returns when
// that answer arrived.
func (c *devCaller) await(marker string, calls int) (time.Time, error) {
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		c.lock.Lock()
		at, arrived := c.changed[marker]
		arrived, err := arrived && c.calls >= calls, c.err
		c.lock.Unlock()
		switch {
		case arrived || err != nil:
			return at, err
		case time.Now().After(deadline):
			return at, fmt.Errorf("no answer begins with %q", marker)
		}
	}
}

// stop ends the calls after the next one.
func (c *devCaller) stop() {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.stopped = true
}
