package launcher

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// addProgram adds a program that was built at a time to the cache, and returns its path.
func addProgram(t *testing.T, c *cache, number int, built time.Time) string {
	t.Helper()
	temporary, err := c.temporary()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(temporary, built, built); err != nil {
		t.Fatal(err)
	}
	path, err := c.add(temporary, nil, fmt.Sprintf("%016d", number))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// mcp dev starts the program that serves again if it crashes, even if later ones don't boot.
func TestAProgramSurvivesTheNextTenBuilds(t *testing.T) {
	weekAgo := time.Now().Add(-7 * 24 * time.Hour)
	for _, app := range []string{"demo", "new"} {
		c := &cache{folder: t.TempDir(), app: app}
		serving := addProgram(t, c, 0, weekAgo)
		for number := 1; number <= 10; number++ {
			addProgram(t, c, number, weekAgo.Add(time.Duration(number)*time.Minute))
			if !exists(serving) {
				t.Fatalf("the program of the app %s is gone after %d builds", app, number)
			}
		}
	}
}

func TestOnlyTheLastProgramsStayInTheCache(t *testing.T) {
	c := &cache{folder: t.TempDir(), app: "demo"}
	begin := time.Now().Add(-time.Hour)
	var paths []string
	for number := range 20 {
		paths = append(paths, addProgram(t, c, number, begin.Add(time.Duration(number)*time.Minute)))
	}
	for number, path := range paths {
		if want := number >= 8; exists(path) != want {
			t.Errorf("of 20 programs, program %d is in the cache: %t, want %t", number, !want, want)
		}
	}
}

func TestTheNewestProgramStaysIfTheClockWasSetBack(t *testing.T) {
	c := &cache{folder: t.TempDir(), app: "demo"}
	for number := range 20 {
		addProgram(t, c, number, time.Now().Add(time.Duration(number)*time.Minute))
	}
	if newest := addProgram(t, c, 20, time.Now()); !exists(newest) {
		t.Error("the newest program is gone")
	}
}

func TestFilesOfBuildsThatWereKilledAreRemoved(t *testing.T) {
	c := &cache{folder: t.TempDir(), app: "demo"}
	killed, running := filepath.Join(c.folder, ".mcp-1"), filepath.Join(c.folder, ".mcp-2")
	for path, age := range map[string]time.Duration{killed: 2 * time.Hour, running: time.Minute} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, time.Time{}, time.Now().Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	addProgram(t, c, 0, time.Now())
	if exists(killed) || !exists(running) {
		t.Errorf("the file of a killed build is there: %t; that of a running build: %t", exists(killed), exists(running))
	}
}
