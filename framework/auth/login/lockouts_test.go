package login_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/login"
	"github.com/bowline-mcp/bowline/framework/auth/oauth"
)

// wrong sends a number of wrong passwords.
func (v *visit) wrong(t *testing.T, n int, name, from string) {
	t.Helper()
	for range n {
		isRefused(t, "a wrong password", v.try(name, "wrong horse", from), http.StatusForbidden, "wrong")
	}
}

// locks sends wrong passwords of many names from an address until it is refused.
func (v *visit) locks(t *testing.T, from string) {
	t.Helper()
	for n := range 20 {
		v.wrong(t, 1, fmt.Sprint("nobody", n), from)
	}
	isRefused(t, "one more", v.try("nobody", "wrong horse", from), http.StatusTooManyRequests, "Too many attempts")
}

func TestAnAddressThatIsRefusedUsesUpNobodysTries(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := newHouse(t).visit(t)
		v.locks(t, "192.0.2.66")
		for range 10 {
			isRefused(t, "the user's name", v.try("cara@example.com", "wrong horse", "192.0.2.66"), http.StatusTooManyRequests, "Too many attempts")
		}
		v.wrong(t, 5, "cara@example.com", "192.0.2.1")
	})
}

func TestAKnownBrowserIsNotLockedOutByOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		known := h.visit(t)
		w := known.try("cara@example.com", "correct horse", "192.0.2.1")
		if w.Code != http.StatusSeeOther {
			t.Fatalf("the login is answered %d %s", w.Code, w.Body)
		}
		known = known.again(t, w)
		h.visit(t).locks(t, "192.0.2.1") // a stranger behind the same address
		stranger := h.visit(t)
		stranger.wrong(t, 5, "cara@example.com", "192.0.2.66")
		isRefused(t, "a stranger", stranger.try("cara@example.com", "correct horse", "192.0.2.66"), http.StatusTooManyRequests, "Too many attempts")
		isRefused(t, "another name in the known browser", known.try("ana@example.com", "correct horse", "192.0.2.1"), http.StatusTooManyRequests, "Too many attempts")
		known.wrong(t, 4, "cara@example.com", "192.0.2.1")
		if w = known.try("cara@example.com", "correct horse", "192.0.2.1"); w.Code != http.StatusSeeOther {
			t.Fatalf("the known browser gets %d %s", w.Code, w.Body)
		}
		known = known.again(t, w)
		known.wrong(t, 5, "cara@example.com", "192.0.2.1")
		isRefused(t, "too many tries in the known browser", known.try("cara@example.com", "correct horse", "192.0.2.1"), http.StatusTooManyRequests, "Too many attempts")
		time.Sleep(91 * 24 * time.Hour)
		forgotten := known.again(t, w)
		stranger = h.visit(t)
		stranger.wrong(t, 5, "cara@example.com", "192.0.2.66")
		isRefused(t, "after three months", forgotten.try("cara@example.com", "correct horse", "192.0.2.1"), http.StatusTooManyRequests, "Too many attempts")
	})
}

// Somebody may have the cookie from before. It counts for ten minutes, in case that the browser
// didn't get the answer with the next one.
func TestTheCookieOfAKnownBrowserChangesAtEachLogin(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		logsIn := func(when string, v *visit) *visit {
			t.Helper()
			w := v.try("cara@example.com", "correct horse", "192.0.2.1")
			if w.Code != http.StatusSeeOther {
				t.Fatalf("%s: the answer is %d %s", when, w.Code, w.Body)
			}
			return v.again(t, w)
		}
		later := func(v *visit) *visit { return (&visit{house: h, cookies: slices.Clone(v.cookies)}).begin(t) }
		locks := func() {
			t.Helper()
			stranger := h.visit(t)
			stranger.wrong(t, 5, "cara@example.com", "192.0.2.66")
			isRefused(t, "a stranger", stranger.try("cara@example.com", "correct horse", "192.0.2.66"), http.StatusTooManyRequests, "Too many attempts")
		}
		first := logsIn("the first login", h.visit(t))
		second := logsIn("the second login", later(first))
		time.Sleep(9 * time.Minute)
		locks()
		logsIn("the first cookie after nine minutes", later(first))
		time.Sleep(time.Minute)
		locks()
		isRefused(t, "the first cookie after ten minutes", later(first).try("cara@example.com", "correct horse", "192.0.2.1"), http.StatusTooManyRequests, "Too many attempts")
		logsIn("the second cookie", later(second))
	})
}

func TestALockOutIsLoggedOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		v := h.visit(t)
		v.wrong(t, 5, "cara@example.com", "192.0.2.66")
		for range 3 {
			v.try("cara@example.com", "wrong horse", "192.0.2.66")
		}
		log := h.log.String()
		if n := strings.Count(log, `msg="a login is locked out after too many wrong passwords" name=cara@example.com wait=12s address=192.0.2.66`); n != 1 {
			t.Errorf("the log has %d lines about it:\n%s", n, log)
		}
		if n := strings.Count(log, `level=INFO msg="a login failed" reason="the name or the password is wrong" name=cara@example.com address=192.0.2.66`); n != 5 {
			t.Errorf("the log has %d lines about wrong passwords:\n%s", n, log)
		}
	})
}

// A stranger would otherwise hide the user's lock-out behind one of a name that nobody has.
func TestLockOutsOfSeveralNamesFromOneAddressAreLogged(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		v := h.visit(t)
		for _, name := range []string{"nobody", "cara@example.com"} {
			v.wrong(t, 5, name, "192.0.2.66")
			isRefused(t, name, v.try(name, "wrong horse", "192.0.2.66"), http.StatusTooManyRequests, "Too many attempts")
			if line := "a login is locked out after too many wrong passwords\" name=" + name + " "; strings.Count(h.log.String(), line) != 1 {
				t.Errorf("the log lacks %s:\n%s", line, h.log)
			}
		}
	})
}

// An address that is refused would otherwise write a line for each name that it makes up.
func TestAnAddressHasFewLinesAboutLockOuts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		v := h.visit(t)
		v.locks(t, "192.0.2.66")
		for n := range 30 {
			v.try(fmt.Sprint("another", n), "wrong horse", "192.0.2.66")
		}
		if n := strings.Count(h.log.String(), "a login is locked out after"); n != 20 {
			t.Errorf("the log has %d warnings:\n%s", n, h.log)
		}
	})
}

func TestALoginThatFailsForAnotherReasonIsNoTry(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		h.adds(t, "dora@example.com", "no hash")
		v := h.visit(t)
		for range 30 {
			if w := v.try("dora@example.com", "correct horse", "192.0.2.1"); w.Code != http.StatusInternalServerError {
				t.Fatalf("a damaged hash is answered with %d %s", w.Code, w.Body)
			}
		}
		v.wrong(t, 5, "cara@example.com", "192.0.2.1")
	})
}

// A name counts as little, however long it is.
func TestALongNameIsWrong(t *testing.T) {
	t.Parallel()
	v := newHouse(t).visit(t)
	isRefused(t, "a name that nobody can have", v.try(strings.Repeat("a", 4000), "wrong horse", "192.0.2.1"), http.StatusForbidden, "wrong")
	if w := v.try(strings.Repeat("a", 4097), "wrong horse", "192.0.2.1"); w.Code != http.StatusForbidden || !strings.Contains(w.Body.String(), "was not sent from its own page") {
		t.Errorf("a longer one: the answer is %d %s", w.Code, w.Body)
	}
	if w := v.try(strings.Repeat("a", 63<<10), "wrong horse", "192.0.2.1"); w.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("a much longer one: the answer is %d %s", w.Code, w.Body)
	}
}

func TestTriesMayBeOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := newHouse(t, login.Tries(2, 100, time.Hour)).visit(t)
		v.wrong(t, 2, "cara@example.com", "192.0.2.1")
		isRefused(t, "the third", v.try("cara@example.com", "correct horse", "192.0.2.1"), http.StatusTooManyRequests, "Too many attempts. Wait 1800 s, then try again.")
	})
	for _, wrong := range []login.Option{login.Tries(0, 20, time.Minute), login.Tries(5, 0, time.Minute), login.Tries(5, 20, 0)} {
		checked, ok := login.Password(wrong).(interface{ Check() error })
		if !ok {
			t.Fatal("the authenticator has no Check")
		}
		if err := checked.Check(); err == nil || !strings.Contains(err.Error(), "such as (5, 20, time.Minute)") {
			t.Errorf("the error is %v", err)
		}
		if _, err := oauth.New(oauth.Config{Authenticator: login.Password(wrong), Store: "memory:"}).Endpoints(""); err == nil || !strings.Contains(err.Error(), "login: Tries needs") {
			t.Errorf("the program starts with %v", err)
		}
	}
}
