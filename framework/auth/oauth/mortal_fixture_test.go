package oauth_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/internal/databasetest"
)

// The environment of a test binary that is run again as a program that dies.
const (
	mortalAt    = "BOWLINE_TEST_MORTAL_AT"    // the address that the program serves at
	mortalStore = "BOWLINE_TEST_MORTAL_STORE" // the address of its store
	mortalKeys  = "BOWLINE_TEST_MORTAL_KEYS"  // the file of its keys
)

// TestAsAnotherProcess is the program. A line of its standard input is the number of the step of
// the store after which it kills itself.
func TestAsAnotherProcess(t *testing.T) {
	address := os.Getenv(mortalAt)
	if address == "" {
		return
	}
	steps := &lifetime{}
	drivers := databasetest.Drivers()
	for i, driver := range drivers {
		drivers[i].Open = func(ctx context.Context, address string) (store.Store, error) {
			opened, err := driver.Open(ctx, address)
			return mortal{opened, steps}, err
		}
	}
	serveAt(t, address, oauth.Config{Authenticator: anybody{}, Store: os.Getenv(mortalStore), Drivers: drivers, Keys: os.Getenv(mortalKeys)})
	fmt.Println("serving")
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		left, _ := strconv.ParseInt(lines.Text(), 10, 64)
		steps.left.Store(left)
		fmt.Println("armed")
	}
}

// A lifetime is how many steps a process has left. It doesn't die before it is given a number.
type lifetime struct{ left atomic.Int64 }

// after ends a step, and the process with the last of them.
func (l *lifetime) after(step string) {
	if l.left.Add(-1) != 0 {
		return
	}
	fmt.Println("killed after " + step)
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Kill()
	}
	select {}
}

// A mortal store takes the steps of a lifetime.
type mortal struct {
	store.Store
	*lifetime
}

func (m mortal) CreateClient(ctx context.Context, client store.Client) error {
	defer m.after("CreateClient")
	return m.Store.CreateClient(ctx, client)
}

func (m mortal) PruneClients(ctx context.Context, keep int) (int, error) {
	defer m.after("PruneClients")
	return m.Store.PruneClients(ctx, keep)
}

func (m mortal) Client(ctx context.Context, id string) (store.Client, error) {
	defer m.after("Client")
	return m.Store.Client(ctx, id)
}

func (m mortal) User(ctx context.Context, id string) (store.User, error) {
	defer m.after("User")
	return m.Store.User(ctx, id)
}

func (m mortal) SetValue(ctx context.Context, key store.Hash, value store.Value) error {
	defer m.after("SetValue")
	return m.Store.SetValue(ctx, key, value)
}

func (m mortal) Value(ctx context.Context, key store.Hash) (store.Value, error) {
	defer m.after("Value")
	return m.Store.Value(ctx, key)
}

func (m mortal) TakeValue(ctx context.Context, key store.Hash) (store.Value, error) {
	defer m.after("TakeValue")
	return m.Store.TakeValue(ctx, key)
}

func (m mortal) CreateGrant(ctx context.Context, grant store.Grant, code *store.Code) error {
	defer m.after("CreateGrant")
	return m.Store.CreateGrant(ctx, grant, code)
}

func (m mortal) Grant(ctx context.Context, id string) (store.Grant, error) {
	defer m.after("Grant")
	return m.Store.Grant(ctx, id)
}

func (m mortal) RevokeGrant(ctx context.Context, id string, now time.Time) error {
	defer m.after("RevokeGrant")
	return m.Store.RevokeGrant(ctx, id, now)
}

func (m mortal) Code(ctx context.Context, grant string, hash store.Hash) (store.Code, error) {
	defer m.after("Code")
	return m.Store.Code(ctx, grant, hash)
}

func (m mortal) RedeemCode(ctx context.Context, grant string, hash store.Hash, renewal store.Renewal) error {
	defer m.after("RedeemCode")
	return m.Store.RedeemCode(ctx, grant, hash, renewal)
}

func (m mortal) RefreshToken(ctx context.Context, grant string, hash store.Hash) (store.RefreshToken, error) {
	defer m.after("RefreshToken")
	return m.Store.RefreshToken(ctx, grant, hash)
}

func (m mortal) RotateRefreshToken(ctx context.Context, grant string, hash store.Hash, renewal store.Renewal) error {
	defer m.after("RotateRefreshToken")
	return m.Store.RotateRefreshToken(ctx, grant, hash, renewal)
}

// A victim is the program in a process that is killed and started again, at one address and with
// one store.
type victim struct {
	url     string
	env     []string
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
}

func newVictim(t *testing.T, address string) *victim {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0") // a free port
	if err != nil {
		t.Fatal(err)
	}
	at := listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	v := &victim{url: "http://" + at, env: []string{mortalAt + "=" + at, mortalStore + "=" + address, mortalKeys + "=" + filepath.Join(t.TempDir(), "oauth.keys")}}
	t.Cleanup(func() {
		_ = v.command.Process.Kill()
		_ = v.command.Wait()
	})
	v.start(t)
	return v
}

func (v *victim) start(t *testing.T) {
	t.Helper()
	v.command = exec.Command(os.Args[0], "-test.run=^TestAsAnotherProcess$", "-test.timeout=5m") //nolint:gosec,noctx // it is killed
	v.command.Env, v.command.Stderr = append(os.Environ(), v.env...), t.Output()
	in, err := v.command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := v.command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	v.in, v.out = in, bufio.NewReader(out)
	if err := v.command.Start(); err != nil {
		t.Fatal(err)
	}
	if line := v.says(); line != "serving" {
		t.Fatalf("the program says %q", line)
	}
}

// says returns the next line of the program, or "" after its end.
func (v *victim) says() string {
	line, _ := v.out.ReadString('\n')
	return strings.TrimSpace(line)
}

// dieAfter lets the program kill itself after a step of the store.
func (v *victim) dieAfter(t *testing.T, step int) {
	t.Helper()
	if _, err := fmt.Fprintln(v.in, step); err != nil {
		t.Fatal(err)
	}
	if line := v.says(); line != "armed" {
		t.Fatalf("the program says %q", line)
	}
}

// rise starts the program again after it was killed. It returns the last step of the store.
func (v *victim) rise(t *testing.T) (last string) {
	t.Helper()
	last = strings.TrimPrefix(v.says(), "killed after ")
	_ = v.command.Wait()
	v.start(t)
	return last
}
