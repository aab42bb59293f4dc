package dev_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A build takes four seconds of CPU, and most tests build the same programs. So this test binary is also
// the go command that mcp dev finds on the PATH. It has the real one list and build the same sources once,
// and remembers the list and the program.

// The variables that the go command of the tests gets from TestMain.
const (
	realGo     = "DEV_TEST_GO"         // the path of the real go command
	realRoot   = "DEV_TEST_GOROOT"     // what it prints for env GOROOT, which each build asks for
	remembered = "DEV_TEST_REMEMBERED" // the folder of lists and programs, by the digest of their sources
)

// isGo reports whether this process is the go command of the tests.
func isGo() bool { return strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe") == "go" }

// installGo puts the go command of the tests into a folder, and that folder on the PATH.
func installGo(folder string) error {
	path, err := exec.LookPath("go")
	if err != nil {
		return err
	}
	root, err := exec.Command(path, "env", "GOROOT").Output()
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	program, err := os.ReadFile(self)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, "go"+filepath.Ext(path)), program, 0o700); err != nil {
		return err
	}
	return errors.Join(os.Setenv(realGo, path), os.Setenv(realRoot, strings.TrimSpace(string(root))), os.Setenv(remembered, folder), os.Setenv("PATH", folder+string(os.PathListSeparator)+os.Getenv("PATH")))
}

// runGo runs the go command with arguments.
func runGo(args []string) error {
	switch {
	case args[0] == "build":
		return rememberProgram(args, args[slices.Index(args, "-o")+1])
	case args[0] == "list":
		return rememberList(args)
	case slices.Equal(args, []string{"env", "GOROOT"}):
		_, err := fmt.Println(os.Getenv(realRoot))
		return err
	}
	return runRealGo(args, os.Stdout) //nolint:forbidigo // this process is the go command
}

// rememberProgram builds a program, or links to the one that was built of the same sources. It waits for
// another test that builds it, but not without end.
func rememberProgram(args []string, output string) error {
	built, err := memoryOf("program")
	if err != nil {
		return err
	}
	building := built + "-building"
	for deadline := time.Now().Add(time.Minute); os.Mkdir(building, 0o700) != nil && time.Now().Before(deadline); {
		time.Sleep(20 * time.Millisecond)
	}
	defer func() { _ = os.Remove(building) }()
	if _, err := os.Stat(built); err == nil {
		return errors.Join(os.Remove(output), os.Link(built, output))
	}
	if err := runRealGo(args, os.Stdout); err != nil { //nolint:forbidigo // this process is the go command
		return err
	}
	_ = os.Link(output, built) // without it, the next test builds the program again
	return nil
}

// rememberList prints the list of the packages of a program, which names the current folder.
func rememberList(args []string) error {
	path, err := memoryOf("list")
	if err != nil {
		return err
	}
	folder, err := os.Getwd()
	if err != nil {
		return err
	}
	const current = "/the/current/folder"
	list, err := os.ReadFile(path)
	if err != nil {
		var printed bytes.Buffer
		if err := runRealGo(args, &printed); err != nil {
			return err
		}
		list = bytes.ReplaceAll(printed.Bytes(), jsonText(folder), jsonText(current))
		if err := errors.Join(os.WriteFile(path+strconv.Itoa(os.Getpid()), list, 0o600), os.Rename(path+strconv.Itoa(os.Getpid()), path)); err != nil {
			return err
		}
	}
	_, err = os.Stdout.Write(bytes.ReplaceAll(list, jsonText(current), jsonText(folder))) //nolint:forbidigo // this process is the go command
	return err
}

// jsonText returns a text as it is in a JSON string.
func jsonText(text string) []byte {
	quoted, _ := json.Marshal(text) // never fails
	return bytes.Trim(quoted, `"`)
}

// memoryOf returns the path at which something made of the sources in the current folder is remembered.
func memoryOf(what string) (string, error) {
	sources, err := filepath.Glob("*.go")
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	for _, name := range append(sources, "go.mod") {
		content, err := os.ReadFile(name)
		if err != nil {
			return "", err
		}
		_, _ = fmt.Fprintf(sum, "%s %q\n", name, content)
	}
	return filepath.Join(os.Getenv(remembered), what+"-"+hex.EncodeToString(sum.Sum(nil))), nil
}

// runRealGo runs the real go command, and interrupts it when this process is interrupted.
func runRealGo(args []string, stdout io.Writer) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	command := exec.CommandContext(ctx, os.Getenv(realGo), args...)
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	command.Stdout, command.Stderr = stdout, os.Stderr
	return command.Run()
}
