package interop_test

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"testing"
)

// testClosedStderr is a client that closes the server's stderr, as some do before they wait
// for its exit. The log is lost then, but no answer, and the exit status is still 0.
func testClosedStderr(t *testing.T, to target) {
	t.Parallel()
	cmd := exec.CommandContext(testContext(t), to.Command[0], to.Command[1:]...)
	cmd.Dir, cmd.Env = to.Dir, to.Env
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = writer
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_, _ = reader.Close(), writer.Close()

	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"message":"hello"},` +
		`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}` + "\n"
	answers := bufio.NewScanner(stdout)
	for range 3 { // each call is logged after its answer
		if _, err := stdin.Write([]byte(call)); err != nil {
			t.Fatalf("the server is gone: %v", err)
		}
		var answer struct {
			Result *struct{} `json:"result"`
		}
		if !answers.Scan() {
			t.Fatalf("no answer; the server ended: %v", cmd.Wait())
		}
		if err := json.Unmarshal(answers.Bytes(), &answer); err != nil || answer.Result == nil {
			t.Fatalf("got %s (%v), want a result", answers.Bytes(), err)
		}
	}
	_ = stdin.Close()
	if err := cmd.Wait(); err != nil {
		t.Errorf("the server did not end with status 0: %v", err)
	}
}
