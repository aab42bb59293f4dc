package paths

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bowline-mcp/bowline/framework/database/sqlite"

	"github.com/bowline-mcp/bowline/peers/bench/contenders"
	"github.com/bowline-mcp/bowline/peers/bench/measure"
	"github.com/bowline-mcp/bowline/peers/bench/report"
)

const (
	redeem = "bowline, a code"
	commit = "a row in SQLite"
	// users is how many clients get tokens at once.
	users = 16
	// batch is how many codes are redeemed in one measurement.
	batch = 100
)

// token measures how long the authorization server takes to exchange a code or a refresh token, if
// many clients do so at once.
func token(settings measure.Settings) ([]*report.Report, error) {
	folder, err := os.MkdirTemp("", "bowline-bench-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the store: %w", err)
	}
	defer os.RemoveAll(folder) //nolint:errcheck // the system removes temporary folders
	issuing, stop, err := contenders.BowlineIssuing(contenders.One, endpoint, folder, users)
	if err != nil {
		return nil, fmt.Errorf("build the authorization server: %w", err)
	}
	defer stop() //nolint:errcheck // the measurement is over
	row, closeRows, err := rows(folder)
	if err != nil {
		return nil, err
	}
	defer closeRows() //nolint:errcheck // likewise
	tokens := make([]string, users)
	for user := range tokens {
		code, err := issuing.Code()
		if err != nil {
			return nil, err
		}
		if tokens[user], err = issuing.Redeem(code); err != nil {
			return nil, err
		}
	}
	results, err := measure.RoundRobin(settings, []measure.Variant{
		{Name: commit, Elsewhere: true, Run: func(n int) error { return together(n, func(int, int) error { return row() }) }},
		{Name: redeem, Elsewhere: true, Once: func() (time.Duration, error) { return redeemed(issuing) }},
		{Name: bowline, Elsewhere: true, Run: func(n int) error {
			return together(n, func(user, _ int) (err error) {
				tokens[user], err = issuing.Refresh(tokens[user])
				return err
			})
		}},
	})
	if err != nil {
		return nil, err
	}
	r := &report.Report{
		Title: "tokens of the authorization server, over TCP",
		Note: fmt.Sprintf("The App exchanges a refresh token, or a code, for the tokens of %d clients at once, each over a connection of its own from the same process. "+
			"The store is SQLite as shipped: a change is on the disk before its answer is sent. The floor commits one row in as many goroutines. "+
			"A time is the whole time divided by the number of answers.", users),
		Results: results, Floor: commit,
	}
	r.Budgets = []report.Budget{
		{What: "codes", Measured: r.Rate(redeem), Limit: 1500, AtLeast: true, Unit: "/s"},
		{What: "refresh tokens", Measured: r.Rate(bowline), Limit: 1500, AtLeast: true, Unit: "/s"},
	}
	return []*report.Report{r}, nil
}

// rows returns a function that commits a row in a database like the store's.
func rows(folder string) (insert, closeAll func() error, err error) {
	db, err := sqlite.Open(context.Background(), filepath.Join(folder, "rows.db"))
	if err != nil {
		return nil, nil, err
	}
	if _, err := db.Exec(context.Background(), `CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL)`); err != nil {
		return nil, nil, errors.Join(err, db.Close())
	}
	return func() error {
		_, err := db.Exec(context.Background(), `INSERT INTO notes (text) VALUES ($1)`, "a note")
		return err
	}, db.Close, nil
}

// redeemed returns the time of one redemption. The codes are made before the time counts.
func redeemed(issuing *contenders.Issuing) (time.Duration, error) {
	codes := make([]string, batch)
	for n := range codes {
		var err error
		if codes[n], err = issuing.Code(); err != nil {
			return 0, err
		}
	}
	start := time.Now()
	err := together(batch, func(_, n int) error {
		_, err := issuing.Redeem(codes[n])
		return err
	})
	return time.Since(start) / batch, err
}

// together does n things, shared by all users.
func together(n int, do func(user, n int) error) error {
	var next atomic.Int64
	var all sync.WaitGroup
	errs := make([]error, users)
	for user := range users {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && errs[user] == nil; i = int(next.Add(1)) - 1 {
				errs[user] = do(user, i)
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}
