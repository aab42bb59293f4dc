package oauth_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"

	"github.com/bowline-mcp/bowline/internal/limits"
	"github.com/bowline-mcp/bowline/internal/test/gatetest"
)

// A journey is what a client does, from its registration to its revocation, and the answers that
// it has received.
type journey struct {
	*agent
	first, second tokens
	revoked       bool
}

// run goes on until the program doesn't answer.
func (j *journey) run(ctx context.Context) (err error) {
	for _, step := range []func() error{
		func() error { return j.register(ctx) },
		func() error { return j.login(ctx, "ana") },
		func() error { j.first, err = j.redeem(ctx); return err },
		func() error { return j.call(ctx, j.first.Access) },
		func() error { j.second, err = j.refresh(ctx, j.first.Refresh); return err },
		func() error { return j.revoke(ctx, j.second.Refresh) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	j.revoked = true
	return nil
}

const refused = refusal("invalid_grant")

// check fails the test unless a program that was killed keeps its word. Last is the last step of
// its store.
func (j *journey) check(t *testing.T, last string) {
	t.Helper()
	ctx := t.Context()
	must := func(what string, err, want error) {
		t.Helper()
		if !errors.Is(err, want) || want == nil && err != nil {
			t.Errorf("killed after %s: %s: %v, want %v", last, what, err, want)
		}
	}
	switch {
	case j.id == "": // nothing was promised
	case j.code == "":
		must("the client", j.login(ctx, "ana"), nil)
		_, err := j.redeem(ctx)
		must("its code", err, nil)
	case j.first.Access == "": // the code may have been redeemed
		_, err := j.redeem(ctx)
		if last == "RedeemCode" {
			must("the code", err, refused)
		} else {
			must("the code", err, nil)
		}
		_, err = j.redeem(ctx)
		must("the code again", err, refused)
	case j.second.Access == "": // the refresh token may have been exchanged
		must("the access token", j.call(ctx, j.first.Access), nil)
		j.refreshes(t, must)
	case j.revoked || last == "RevokeGrant":
		must("the access token", j.call(ctx, j.second.Access), refusal(""))
		_, err := j.refresh(ctx, j.second.Refresh)
		must("the refresh token", err, refused)
	default:
		must("the access token", j.call(ctx, j.second.Access), nil)
		was := j.second
		j.refreshes(t, must)
		if j.second.Refresh != was.Refresh {
			t.Errorf("killed after %s: the first refresh token has another successor", last)
		}
	}
}

// refreshes checks that the first refresh token has one successor, and that the code is used.
func (j *journey) refreshes(t *testing.T, must func(string, error, error)) {
	t.Helper()
	ctx := t.Context()
	var err error
	j.second, err = j.refresh(ctx, j.first.Refresh)
	must("the first refresh token", err, nil)
	again, err := j.refresh(ctx, j.first.Refresh)
	must("the first refresh token again", err, nil)
	if again.Refresh != j.second.Refresh {
		t.Errorf("the first refresh token has two successors:\n%v\n%v", j.second, again)
	}
	third, err := j.refresh(ctx, j.second.Refresh)
	must("the second refresh token", err, nil)
	must("the access token of the second", j.call(ctx, third.Access), nil)
	_, err = j.redeem(ctx)
	must("the code", err, refused)
	_, err = j.refresh(ctx, third.Refresh)
	must("the refresh token of a code that was used twice", err, refused)
}

// The program dies after each step of its store in turn.
func TestAProgramThatIsKilledBetweenTwoStepsKeepsItsWord(t *testing.T) {
	t.Parallel()
	m := newMayfly(t)
	addUser(t, m.users, "ana")
	killed := map[string]bool{} // after these steps
	for step := int64(1); ; step++ {
		m.left.Store(step)
		j := &journey{agent: &agent{url: m.url, client: m.client}}
		if err := j.run(t.Context()); err == nil {
			if step < 40 || !killed["UserByName"] || !killed["UpdateUser"] {
				t.Errorf("the journey has only %d steps, after %v", step, killed)
			}
			return
		} else if _, ok := errors.AsType[refusal](err); ok || !m.dead.Load() {
			t.Fatalf("before step %d: %v", step, err)
		}
		last := m.rise(t)
		killed[last] = true
		j.check(t, last)
	}
}

// A browser in which the user has logged in before has tries of its own, so that others can't keep
// the user out. It keeps them if the program dies while the user logs in there again.
func TestABrowserStaysKnownIfTheProgramIsKilledDuringALogin(t *testing.T) {
	t.Parallel()
	m := newMayfly(t)
	logsIn := func(when string, b *webBrowser, user, password string, want int) {
		t.Helper()
		if status, err := b.logIn(t.Context(), user, password); err != nil || status != want {
			t.Errorf("%s: the answer is %d, %v; want %d", when, status, err, want)
		}
	}
	for step, died := int64(1), true; died; step++ {
		user, known, other := addUser(t, m.users, fmt.Sprint("user", step)).Name, newWebBrowser(m.url, m.client), newWebBrowser(m.url, m.client)
		logsIn("the first login", known, user, rightPassword, http.StatusOK)
		if err := known.logOut(t.Context()); err != nil {
			t.Fatal(err)
		}
		m.left.Store(step)
		_, err := known.logIn(t.Context(), user, rightPassword)
		when := "after a whole login"
		switch died = m.dead.Load(); {
		case died:
			when = "killed after " + m.rise(t)
		case err != nil:
			t.Fatalf("before step %d: %v", step, err)
		case step < 15:
			t.Errorf("the login has only %d steps", step)
		}
		m.left.Store(0) // it lives on
		for range limits.NameTries {
			logsIn(when+", a wrong password", other, user, "wrong", http.StatusForbidden)
		}
		logsIn(when+", another browser", other, user, rightPassword, http.StatusTooManyRequests)
		if err := known.logOut(t.Context()); err != nil {
			t.Fatal(err)
		}
		logsIn(when+", the known browser", known, user, rightPassword, http.StatusOK)
	}
}

// The program is killed while many clients use it, so also within steps.
func TestAProgramThatIsKilledUnderLoadKeepsItsWord(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	workers := make([]*worker, 8)
	for n := range workers {
		workers[n] = &worker{agent: &agent{url: v.url, client: fresh}}
		if err := workers[n].register(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for range gatetest.Rounds(3, 10) {
		done := make(chan bool)
		var all sync.WaitGroup
		for _, w := range workers {
			all.Go(func() {
				for w.work(t.Context()) == nil {
					done <- true
				}
			})
		}
		go func() { all.Wait(); close(done) }()
		for range 20 + rand.IntN(40) { //nolint:gosec // any number
			<-done
		}
		_ = v.command.Process.Kill()
		for range done { // until no worker has an answer
		}
		v.rise(t)
	}
	for _, w := range workers {
		if err := errors.Join(w.refused, w.work(t.Context()), w.work(t.Context())); err != nil {
			t.Error(err)
		}
	}
}

// A worker logs in and refreshes its tokens again and again. It repeats a request that was not
// answered.
type worker struct {
	*agent
	token   string // the newest refresh token
	uses    int    // how many there were
	asked   bool   // for the tokens of the code
	refused error  // what must not have been refused
}

func (w *worker) work(ctx context.Context) (err error) {
	var got tokens
	switch {
	case w.code == "":
		w.asked = false
		err = w.login(ctx, "ana")
	case w.token == "":
		got, err = w.redeem(ctx)
		if errors.Is(err, refused) && w.asked { // the tokens were lost with the first answer
			w.code, err = "", nil
		}
		w.token, w.uses, w.asked = got.Refresh, 1, true
	case w.uses < 6:
		if got, err = w.refresh(ctx, w.token); err == nil {
			w.token, w.uses = got.Refresh, w.uses+1
		}
	default:
		if _, err = w.redeem(ctx); err == nil {
			err = refusal("no error though the code was redeemed before")
		} else if errors.Is(err, refused) {
			w.code, w.token, err = "", "", nil
		}
	}
	if _, ok := errors.AsType[refusal](err); ok {
		w.refused = errors.Join(w.refused, err)
		w.code, w.token = "", ""
	}
	return err
}
