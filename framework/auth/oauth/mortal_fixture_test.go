package oauth_test

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/internal/test/databasetest"
)

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

// drivers are those of stores that take the steps of a lifetime. The stores close with the test.
func (l *lifetime) drivers(t *testing.T) []store.Driver {
	t.Helper()
	drivers := databasetest.Drivers()
	for i, driver := range drivers {
		drivers[i].Open = func(ctx context.Context, address string) (store.Store, error) {
			opened, err := driver.Open(ctx, address)
			if err != nil {
				return nil, err
			}
			t.Cleanup(func() { _ = opened.Close() })
			return mortal{opened, l}, nil
		}
	}
	return drivers
}

// A mortal store takes the steps of a lifetime. It embeds no store, so that a new method has to say
// whether it is a step.
type mortal struct {
	kept store.Store
	*lifetime
}

func (m mortal) CreateClient(ctx context.Context, client store.Client) error {
	defer m.takes("CreateClient")()
	return m.kept.CreateClient(ctx, client)
}

func (m mortal) Client(ctx context.Context, id string) (store.Client, error) {
	defer m.takes("Client")()
	return m.kept.Client(ctx, id)
}

func (m mortal) ListClients(ctx context.Context, after string, limit int) ([]store.Client, error) {
	defer m.takes("ListClients")()
	return m.kept.ListClients(ctx, after, limit)
}

func (m mortal) DeleteClient(ctx context.Context, id string) error {
	defer m.takes("DeleteClient")()
	return m.kept.DeleteClient(ctx, id)
}

func (m mortal) PruneClients(ctx context.Context, keep int) (int, error) {
	defer m.takes("PruneClients")()
	return m.kept.PruneClients(ctx, keep)
}

func (m mortal) CreateUser(ctx context.Context, user store.User) error {
	defer m.takes("CreateUser")()
	return m.kept.CreateUser(ctx, user)
}

func (m mortal) User(ctx context.Context, id string) (store.User, error) {
	defer m.takes("User")()
	return m.kept.User(ctx, id)
}

func (m mortal) UserByName(ctx context.Context, name string) (store.User, error) {
	defer m.takes("UserByName")()
	return m.kept.UserByName(ctx, name)
}

func (m mortal) ListUsers(ctx context.Context, after string, limit int) ([]store.User, error) {
	defer m.takes("ListUsers")()
	return m.kept.ListUsers(ctx, after, limit)
}

func (m mortal) UpdateUser(ctx context.Context, id string, change func(*store.User) error) error {
	defer m.takes("UpdateUser")()
	return m.kept.UpdateUser(ctx, id, change)
}

func (m mortal) DeleteUser(ctx context.Context, id string) error {
	defer m.takes("DeleteUser")()
	return m.kept.DeleteUser(ctx, id)
}

func (m mortal) CreateGrant(ctx context.Context, grant store.Grant, code *store.Code) error {
	defer m.takes("CreateGrant")()
	return m.kept.CreateGrant(ctx, grant, code)
}

func (m mortal) Grant(ctx context.Context, id string) (store.Grant, error) {
	defer m.takes("Grant")()
	return m.kept.Grant(ctx, id)
}

func (m mortal) ListGrants(ctx context.Context, user, after string, limit int) ([]store.Grant, error) {
	defer m.takes("ListGrants")()
	return m.kept.ListGrants(ctx, user, after, limit)
}

func (m mortal) RevokeGrant(ctx context.Context, id string, now time.Time) error {
	defer m.takes("RevokeGrant")()
	return m.kept.RevokeGrant(ctx, id, now)
}

func (m mortal) Code(ctx context.Context, grant string, hash store.Hash) (store.Code, error) {
	defer m.takes("Code")()
	return m.kept.Code(ctx, grant, hash)
}

func (m mortal) FailCode(ctx context.Context, grant string, hash store.Hash) (int, error) {
	defer m.takes("FailCode")()
	return m.kept.FailCode(ctx, grant, hash)
}

func (m mortal) RedeemCode(ctx context.Context, grant string, hash store.Hash, renewal store.Renewal) error {
	defer m.takes("RedeemCode")()
	return m.kept.RedeemCode(ctx, grant, hash, renewal)
}

func (m mortal) RefreshToken(ctx context.Context, grant string, hash store.Hash) (store.RefreshToken, error) {
	defer m.takes("RefreshToken")()
	return m.kept.RefreshToken(ctx, grant, hash)
}

func (m mortal) RotateRefreshToken(ctx context.Context, grant string, hash store.Hash, renewal store.Renewal) error {
	defer m.takes("RotateRefreshToken")()
	return m.kept.RotateRefreshToken(ctx, grant, hash, renewal)
}

func (m mortal) CreateToken(ctx context.Context, token store.Token) error {
	defer m.takes("CreateToken")()
	return m.kept.CreateToken(ctx, token)
}

func (m mortal) Token(ctx context.Context, hash store.Hash) (store.Token, error) {
	defer m.takes("Token")()
	return m.kept.Token(ctx, hash)
}

func (m mortal) ListTokens(ctx context.Context, user, after string, limit int) ([]store.Token, error) {
	defer m.takes("ListTokens")()
	return m.kept.ListTokens(ctx, user, after, limit)
}

func (m mortal) DeleteToken(ctx context.Context, id string) error {
	defer m.takes("DeleteToken")()
	return m.kept.DeleteToken(ctx, id)
}

func (m mortal) AddValue(ctx context.Context, key store.Hash, value store.Value, now time.Time) error {
	defer m.takes("AddValue")()
	return m.kept.AddValue(ctx, key, value, now)
}

func (m mortal) SetValue(ctx context.Context, key store.Hash, value store.Value) error {
	defer m.takes("SetValue")()
	return m.kept.SetValue(ctx, key, value)
}

func (m mortal) Value(ctx context.Context, key store.Hash) (store.Value, error) {
	defer m.takes("Value")()
	return m.kept.Value(ctx, key)
}

func (m mortal) TakeValue(ctx context.Context, key store.Hash) (store.Value, error) {
	defer m.takes("TakeValue")()
	return m.kept.TakeValue(ctx, key)
}

// Purge is no step, since the program purges its store whenever it likes.
func (m mortal) Purge(ctx context.Context, before time.Time) (int, error) {
	return m.kept.Purge(ctx, before)
}

func (m mortal) Close() error { return m.kept.Close() }
