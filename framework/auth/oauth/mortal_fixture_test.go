package oauth_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/internal/databasetest"
	"github.com/bowline-mcp/bowline/internal/pipetest"
)

// The environment of a test binary that is run again as a program that is killed.
const (
	victimAt    = "BOWLINE_TEST_VICTIM_AT"    // the address that the program serves at
	victimStore = "BOWLINE_TEST_VICTIM_STORE" // the address of its store
	victimKeys  = "BOWLINE_TEST_VICTIM_KEYS"  // the file of its keys
)

// TestAsAnotherProcess is the program.
func TestAsAnotherProcess(t *testing.T) {
	address := os.Getenv(victimAt)
	if address == "" {
		return
	}
	serveAt(t, address, oauth.Config{Authenticator: anybody{}, Store: os.Getenv(victimStore), Drivers: databasetest.Drivers(), Keys: os.Getenv(victimKeys)})
	fmt.Println("serving")
	_, _ = io.ReadAll(os.Stdin) // until it is killed
}

// A lifetime is how many steps a program has left. It doesn't die before it is given a number.
type lifetime struct {
	left atomic.Int64
	dead atomic.Bool
	die  func(last string)
}

// takes begins a step. The function that it returns ends the step, and the program with the last of
// them: a goroutine ends where it would begin a step after that.
func (l *lifetime) takes(step string) (end func()) {
	if l.dead.Load() {
		runtime.Goexit()
	}
	return func() {
		if l.left.Add(-1) != 0 {
			return
		}
		l.dead.Store(true)
		l.die(step)
		runtime.Goexit()
	}
}

// drivers are those of stores that take the steps of a lifetime.
func (l *lifetime) drivers() []store.Driver {
	drivers := databasetest.Drivers()
	for i, driver := range drivers {
		drivers[i].Open = func(ctx context.Context, address string) (store.Store, error) {
			opened, err := driver.Open(ctx, address)
			return mortal{opened, l}, err
		}
	}
	return drivers
}

// A mortal store takes the steps of a lifetime.
type mortal struct {
	store.Store
	*lifetime
}

func (m mortal) CreateClient(ctx context.Context, client store.Client) error {
	defer m.takes("CreateClient")()
	return m.Store.CreateClient(ctx, client)
}

func (m mortal) PruneClients(ctx context.Context, keep int) (int, error) {
	defer m.takes("PruneClients")()
	return m.Store.PruneClients(ctx, keep)
}

func (m mortal) Client(ctx context.Context, id string) (store.Client, error) {
	defer m.takes("Client")()
	return m.Store.Client(ctx, id)
}

func (m mortal) User(ctx context.Context, id string) (store.User, error) {
	defer m.takes("User")()
	return m.Store.User(ctx, id)
}

func (m mortal) UserByName(ctx context.Context, name string) (store.User, error) {
	defer m.takes("UserByName")()
	return m.Store.UserByName(ctx, name)
}

func (m mortal) ListUsers(ctx context.Context, after string, limit int) ([]store.User, error) {
	defer m.takes("ListUsers")()
	return m.Store.ListUsers(ctx, after, limit)
}

func (m mortal) UpdateUser(ctx context.Context, id string, change func(*store.User) error) error {
	defer m.takes("UpdateUser")()
	return m.Store.UpdateUser(ctx, id, change)
}

func (m mortal) DeleteUser(ctx context.Context, id string) error {
	defer m.takes("DeleteUser")()
	return m.Store.DeleteUser(ctx, id)
}

func (m mortal) ListTokens(ctx context.Context, user, after string, limit int) ([]store.Token, error) {
	defer m.takes("ListTokens")()
	return m.Store.ListTokens(ctx, user, after, limit)
}

func (m mortal) DeleteToken(ctx context.Context, id string) error {
	defer m.takes("DeleteToken")()
	return m.Store.DeleteToken(ctx, id)
}

func (m mortal) ListGrants(ctx context.Context, user, after string, limit int) ([]store.Grant, error) {
	defer m.takes("ListGrants")()
	return m.Store.ListGrants(ctx, user, after, limit)
}

func (m mortal) SetValue(ctx context.Context, key store.Hash, value store.Value) error {
	defer m.takes("SetValue")()
	return m.Store.SetValue(ctx, key, value)
}

func (m mortal) Value(ctx context.Context, key store.Hash) (store.Value, error) {
	defer m.takes("Value")()
	return m.Store.Value(ctx, key)
}

func (m mortal) TakeValue(ctx context.Context, key store.Hash) (store.Value, error) {
	defer m.takes("TakeValue")()
	return m.Store.TakeValue(ctx, key)
}

func (m mortal) CreateGrant(ctx context.Context, grant store.Grant, code *store.Code) error {
	defer m.takes("CreateGrant")()
	return m.Store.CreateGrant(ctx, grant, code)
}

func (m mortal) Grant(ctx context.Context, id string) (store.Grant, error) {
	defer m.takes("Grant")()
	return m.Store.Grant(ctx, id)
}

func (m mortal) RevokeGrant(ctx context.Context, id string, now time.Time) error {
	defer m.takes("RevokeGrant")()
	return m.Store.RevokeGrant(ctx, id, now)
}

func (m mortal) Code(ctx context.Context, grant string, hash store.Hash) (store.Code, error) {
	defer m.takes("Code")()
	return m.Store.Code(ctx, grant, hash)
}

func (m mortal) RedeemCode(ctx context.Context, grant string, hash store.Hash, renewal store.Renewal) error {
	defer m.takes("RedeemCode")()
	return m.Store.RedeemCode(ctx, grant, hash, renewal)
}

func (m mortal) RefreshToken(ctx context.Context, grant string, hash store.Hash) (store.RefreshToken, error) {
	defer m.takes("RefreshToken")()
	return m.Store.RefreshToken(ctx, grant, hash)
}

func (m mortal) RotateRefreshToken(ctx context.Context, grant string, hash store.Hash, renewal store.Renewal) error {
	defer m.takes("RotateRefreshToken")()
	return m.Store.RotateRefreshToken(ctx, grant, hash, renewal)
}

// A mayfly is the program in this process. When it dies, its connections close, and neither its
// requests nor its store go on. Another life begins with the same store.
type mayfly struct {
	config oauth.Config
	*lifetime
	web  *pipetest.Listener
	died chan string // the last step of the store
}

func newMayfly(t *testing.T, address string) *mayfly {
	t.Helper()
	m := &mayfly{config: oauth.Config{Authenticator: anybody{}, Store: address, Keys: filepath.Join(t.TempDir(), "oauth.keys")}, died: make(chan string, 1)}
	m.live(t)
	return m
}

// live begins a life.
func (m *mayfly) live(t *testing.T) {
	t.Helper()
	m.lifetime = &lifetime{}
	m.config.Drivers = m.drivers()
	_, handler := newProgram(t, "127.0.0.1:8080", m.config)
	server := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}
	m.die = func(last string) {
		_ = server.Close()
		m.died <- last
	}
	m.web = pipetest.Serve(t, server)
}

// client reaches the program in each of its lives.
func (m *mayfly) client() *http.Client {
	return &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return m.web.Dial(ctx) }}}
}

// rise begins another life after the last. It returns the last step of the store.
func (m *mayfly) rise(t *testing.T) (last string) {
	t.Helper()
	last = <-m.died
	m.live(t)
	return last
}

// A victim is the program in a process that is killed and started again, at one address and with
// one store.
type victim struct {
	url     string
	env     []string
	command *exec.Cmd
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
	v := &victim{url: "http://" + at, env: []string{victimAt + "=" + at, victimStore + "=" + address, victimKeys + "=" + filepath.Join(t.TempDir(), "oauth.keys")}}
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
	if _, err := v.command.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := v.command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := v.command.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "serving\n" {
		t.Fatalf("the program says %q, %v", line, err)
	}
}

// rise kills the program and starts it again.
func (v *victim) rise(t *testing.T) {
	t.Helper()
	_ = v.command.Process.Kill()
	_ = v.command.Wait()
	v.start(t)
}
