package oauth_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
)

// diesIn runs a command that is killed after a step of its store. It returns false if the command
// ends before.
func (o operator) diesIn(t *testing.T, step int64, args ...string) (died bool) {
	t.Helper()
	l := &lifetime{die: func(string) {}}
	l.left.Store(step)
	o.Drivers = l.drivers(t)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		o.runs(t, strings.NewReader("battery staple\n"), args...)
	}()
	<-ended
	return l.dead.Load()
}

// A command that is killed has done all or a part of its work, and done again it does the rest.
// Nothing that it was to end is valid once its first change has been made.
func TestACommandThatIsKilledBetweenTwoStepsLosesNothing(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		args func(user store.User) []string
		done func(user store.User, s store.Store) error // what is true at the end
		kept func(user store.User, s store.Store) error // what is true after each step
	}{
		"user:password": {args: func(u store.User) []string { return []string{"user:password", u.ID, "--password-stdin"} },
			done: changed(func(before, after store.User) bool { return before.Password != after.Password }), kept: exists},
		"user:disable": {args: func(u store.User) []string { return []string{"user:disable", u.ID} },
			done: changed(func(_, after store.User) bool { return after.Disabled }), kept: exists},
		"user:enable": {args: func(u store.User) []string { return []string{"user:enable", u.ID} },
			done: changed(func(_, after store.User) bool { return !after.Disabled }), kept: exists},
		"session:end": {args: func(u store.User) []string { return []string{"session:end", u.ID} },
			done: changed(func(before, after store.User) bool { return before.Password == after.Password }), kept: exists},
		"grant:revoke": {args: func(store.User) []string { return []string{"grant:revoke", "g"} }, done: revoked, kept: exists},
		"user:remove":  {args: func(u store.User) []string { return []string{"user:remove", u.ID} }, done: removed, kept: goneOrWhole},
	} {
		for step := int64(1); ; step++ {
			o := newOperator(t, withPasswords)
			o.does(t, "user:create", "ana", "--password-stdin")
			o.does(t, "token:create", "CI", "--user", "ana")
			s := o.open(t)
			user, err := s.UserByName(t.Context(), "ana")
			if err == nil {
				err = s.CreateGrant(t.Context(), store.Grant{ID: "g", ClientID: "c", UserID: user.ID, Created: time.Now(), Expires: time.Now().Add(time.Hour)}, nil)
			}
			if err != nil {
				t.Fatal(err)
			}
			args := test.args(user)
			died := o.diesIn(t, step, args...)
			if err := test.kept(user, s); err != nil {
				t.Errorf("%s, killed after step %d: %v", name, step, err)
			}
			if code, _, stderr := o.runs(t, strings.NewReader("battery staple\n"), args...); code != 0 && !strings.Contains(stderr, "there is no") {
				t.Errorf("%s again after step %d: %s", name, step, stderr)
			}
			if err := test.done(user, s); err != nil {
				t.Errorf("%s again after step %d: %v", name, step, err)
			}
			if !died {
				if step < 3 {
					t.Errorf("%s has only %d steps", name, step)
				}
				break
			}
		}
	}
}

// changed checks a user after a command.
func changed(is func(before, after store.User) bool) func(store.User, store.Store) error {
	return func(before store.User, s store.Store) error {
		after, err := s.User(context.Background(), before.ID)
		if err == nil && !is(before, after) {
			err = fmt.Errorf("the user is %+v", after)
		}
		return err
	}
}

// exists checks that a user is still there, with the grant and the token.
func exists(user store.User, s store.Store) error {
	_, userErr := s.User(context.Background(), user.ID)
	_, grantErr := s.Grant(context.Background(), "g")
	tokens, tokensErr := s.ListTokens(context.Background(), user.ID, "", 10)
	if tokensErr == nil && len(tokens) != 1 {
		tokensErr = fmt.Errorf("the user has %d tokens", len(tokens))
	}
	return errors.Join(userErr, grantErr, tokensErr)
}

func revoked(_ store.User, s store.Store) error {
	grant, err := s.Grant(context.Background(), "g")
	if err == nil && grant.Live(time.Now()) {
		err = errors.New("the grant is live")
	}
	return err
}

// goneOrWhole checks that a user who is there has lost nothing.
func goneOrWhole(user store.User, s store.Store) error {
	if _, err := s.User(context.Background(), user.ID); errors.Is(err, store.ErrNotFound) {
		return nil
	}
	return exists(user, s)
}

// removed checks that a user is gone.
func removed(user store.User, s store.Store) error {
	if _, err := s.User(context.Background(), user.ID); !errors.Is(err, store.ErrNotFound) {
		return fmt.Errorf("the user is still there: %w", err)
	}
	return nil
}
