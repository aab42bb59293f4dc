package mcp_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// printing is the environment variable of the process that prints. Its value says how
// that process serves.
const printing = "BOWLINE_TEST_PRINTING"

// A printingServer prints to stdout when it boots and in its tool.
type printingServer struct{ servers.Server }

func (*printingServer) Boot(context.Context) error {
	fmt.Println("printed by Boot")
	return nil
}

func (*printingServer) Tools() []servers.Tool {
	return []servers.Tool{tools.Func("print", "Prints.", func(context.Context, struct{}) (string, error) {
		fmt.Println("printed by a tool")
		return "done", nil
	})}
}

// It can't run in parallel, since it replaces os.Stdout in the process that prints.
func TestOutputOfAProgramDoesNotBreakItsStream(t *testing.T) { //nolint:paralleltest // see above
	app := mcp.New(mcp.Config{})
	app.Router.Local("print", &printingServer{})
	serve := map[string]func(){
		"start":      func() { app.Run(t.Context(), []string{"start", "print"}, os.Stdin, os.Stdout, os.Stderr) }, //nolint:forbidigo // as a program does
		"ServeStdio": func() { _ = mcp.ServeStdio(t.Context(), &printingServer{}, os.Stdin, os.Stdout) },          //nolint:forbidigo // as a program does
	}
	if how := os.Getenv(printing); how != "" {
		serve[how]()
		fmt.Println("printed when nothing is served any more")
		os.Exit(0)
	}
	for how := range serve {
		var out, log bytes.Buffer
		process := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$") //nolint:gosec // it runs itself
		process.Env = append(os.Environ(), printing+"="+how)
		process.Stdin = strings.NewReader(modernCall(`1`, "print", `{}`) + "\n" + modernCall(`2`, "print", `{}`) + "\n")
		process.Stdout, process.Stderr = &out, &log
		if err := process.Run(); err != nil {
			t.Fatalf("%s: %v\n%s", how, err, log.String())
		}
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		if len(lines) != 3 || readAnswer(t, lines[0]).text() != "done" || readAnswer(t, lines[1]).text() != "done" ||
			lines[2] != "printed when nothing is served any more" {
			t.Errorf("%s: the client reads\n%s", how, out.String())
		}
		for text, times := range map[string]int{
			"printed by Boot\n": 1, "printed by a tool\n": 2, `level=WARN msg="the program printed to stdout, which is reserved for the protocol`: 1,
		} {
			if got := strings.Count(log.String(), text); got != times {
				t.Errorf("%s: stderr has %q %d times, want %d:\n%s", how, text, got, times, log.String())
			}
		}
	}
}

// The process prints 6 MB before the test reads its stderr: more than the pipe and the
// buffer hold.
func TestPrintsThatWereDroppedAreLogged(t *testing.T) { //nolint:paralleltest // it replaces os.Stdout
	const lines = 3000
	if os.Getenv(printing) != "" {
		app := mcp.New(mcp.Config{})
		app.Router.Local("print", boxOf(doing("print", func(context.Context, *tools.Request) (tools.Result, error) {
			for range lines {
				fmt.Println(strings.Repeat("y", 2000))
			}
			return tools.Text("done"), nil
		})))
		app.Run(t.Context(), []string{"start", "print"}, os.Stdin, os.Stdout, os.Stderr) //nolint:forbidigo // as a program does
		os.Exit(0)
	}
	process := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$") //nolint:gosec // it runs itself
	process.Env = append(os.Environ(), printing+"=much")
	in, err := process.StdinPipe()
	must(t, err)
	out, err := process.StdoutPipe()
	must(t, err)
	log, err := process.StderrPipe()
	must(t, err)
	must(t, process.Start())
	_, err = io.WriteString(in, modernCall(`1`, "print", `{}`)+"\n")
	must(t, err)
	if answer, err := bufio.NewReader(out).ReadString('\n'); err != nil || readAnswer(t, answer).text() != "done" {
		t.Fatalf("the answer is %s %v", answer, err)
	}
	must(t, in.Close())
	text, err := io.ReadAll(log)
	must(t, err)
	must(t, process.Wait())
	dropped := 0
	for _, line := range regexp.MustCompile(`level=WARN msg="dropped output of the program to stdout, since nobody read stderr" lines=(\d+)`).FindAllStringSubmatch(string(text), -1) {
		n, err := strconv.Atoi(line[1])
		must(t, err)
		dropped += n
	}
	printed := strings.Count(string(text), "yyyy\n")
	if counted := printed + dropped; dropped == 0 || printed < 500 || counted < lines*9/10 || counted > lines*11/10 { // a line may be cut
		t.Errorf("%d lines are printed and %d dropped, of %d", printed, dropped, lines)
	}
}
