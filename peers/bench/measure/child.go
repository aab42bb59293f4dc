package measure

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// Child is a server in a separate process that serves stdin and stdout, with one message per line.
type Child struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	took    []float64
}

// StartChild starts the program. Its stderr is discarded.
func StartChild(program string, arguments ...string) (*Child, error) {
	command := exec.Command(program, arguments...)
	in, err := command.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("open the child's standard input: %w", err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("open the child's standard output: %w", err)
	}
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("start the child: %w", err)
	}
	return &Child{command: command, in: in, out: bufio.NewReaderSize(out, 256<<10)}, nil
}

// Send writes the message and its line end.
func (c *Child) Send(message []byte) error {
	return c.write(append(bytes.Clone(message), '\n'))
}

// Receive reads one message, which is valid until the next call.
func (c *Child) Receive() ([]byte, error) {
	line, err := c.out.ReadSlice('\n')
	if err != nil {
		return nil, fmt.Errorf("read from the child: %w", err)
	}
	return bytes.TrimSuffix(line, []byte("\n")), nil
}

// PingPong returns a function that sends the message n times, and waits for each answer.
func (c *Child) PingPong(message []byte) func(n int) error {
	line := append(bytes.Clone(message), '\n')
	return func(n int) error {
		for range n {
			start := time.Now()
			if err := c.write(line); err != nil {
				return err
			}
			if _, err := c.Receive(); err != nil {
				return err
			}
			c.took = append(c.took, float64(time.Since(start)))
		}
		return nil
	}
}

// Pipeline returns a function that receives n answers while it keeps the given number of messages
// in flight. The messages are sent in turn, so there must be clearly more of them than are in
// flight, each with a different id.
func (c *Child) Pipeline(messages [][]byte, inFlight int) func(n int) error {
	lines := make([][]byte, len(messages))
	for i, message := range messages {
		lines[i] = append(bytes.Clone(message), '\n')
	}
	next := 0
	send := func() error {
		next = (next + 1) % len(lines)
		return c.write(lines[next])
	}
	return func(n int) error {
		for range min(n, inFlight) {
			if err := send(); err != nil {
				return err
			}
		}
		for received := 1; received <= n; received++ {
			if _, err := c.Receive(); err != nil {
				return err
			}
			if received+inFlight <= n {
				if err := send(); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

// P50 returns the median time of the ping-pongs since the last call.
func (c *Child) P50() time.Duration {
	if len(c.took) == 0 {
		return 0
	}
	median := Median(c.took)
	c.took = c.took[:0]
	return time.Duration(median)
}

// CPU returns the CPU time of the child's threads in nanoseconds, according to the Linux
// scheduler.
func (c *Child) CPU() (time.Duration, error) {
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", c.command.Process.Pid))
	if err != nil || len(files) == 0 {
		return 0, fmt.Errorf("no /proc/PID/task/*/schedstat for the child: the stdio path is measured on Linux only")
	}
	var total time.Duration
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return 0, fmt.Errorf("read the child's processor time: %w", err)
		}
		var ran int64
		if _, err := fmt.Sscan(string(text), &ran); err != nil {
			return 0, fmt.Errorf("read the child's processor time: %w", err)
		}
		total += time.Duration(ran)
	}
	return total, nil
}

// Stop closes the child's stdin, and kills the child if it doesn't exit within a second.
func (c *Child) Stop() {
	c.in.Close()                                                              //nolint:errcheck // the child may have exited
	timer := time.AfterFunc(time.Second, func() { c.command.Process.Kill() }) //nolint:errcheck // likewise
	defer timer.Stop()
	c.command.Wait() //nolint:errcheck // the exit status isn't measured
}

func (c *Child) write(line []byte) error {
	if _, err := c.in.Write(line); err != nil {
		return fmt.Errorf("write to the child: %w", err)
	}
	return nil
}
