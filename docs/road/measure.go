package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// measure builds and runs docs/road/onecall, and returns the functions that its last call ran.
func measure(ctx context.Context) (found road, err error) {
	module, folder, err := findModule(ctx)
	if err != nil {
		return nil, err
	}
	temp, err := os.MkdirTemp("", "road")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	program, counters := filepath.Join(temp, "onecall.exe"), filepath.Join(temp, "counters")
	if err := os.Mkdir(counters, 0o700); err != nil {
		return nil, err
	}
	// A program has counters at run time only if its main package is covered.
	const covered = "-coverpkg=./framework/...,./internal/...,./docs/road/onecall"
	var printed string
	for _, command := range [][]string{
		{"go", "build", "-cover", "-covermode=atomic", covered, "-o", program, "./docs/road/onecall"},
		{program, counters},
		{"go", "tool", "covdata", "func", "-i=" + counters},
	} {
		if printed, err = output(ctx, folder, temp, command...); err != nil {
			return nil, err
		}
	}
	return attribute(printed, module, folder)
}

// findModule returns the path and the folder of the module that contains the working directory.
func findModule(ctx context.Context) (path, folder string, err error) {
	out, err := output(ctx, "", "", "go", "list", "-f", "{{.Module.Path}}\n{{.Module.Dir}}", ".")
	if err != nil {
		return "", "", err
	}
	path, folder, _ = strings.Cut(strings.TrimSpace(out), "\n")
	return path, folder, nil
}

// output runs a command in a folder. The go command puts its own files into temp, because it
// leaves them behind when it is interrupted. The command doesn't get settings of the app, which
// would change what the call runs.
func output(ctx context.Context, folder, temp string, command ...string) (string, error) {
	run := exec.CommandContext(ctx, command[0], command[1:]...)
	run.Dir, run.Env = folder, []string{"GOTMPDIR=" + temp}
	for _, setting := range os.Environ() {
		if !strings.HasPrefix(setting, "APP_") && !strings.HasPrefix(setting, "GOTMPDIR=") {
			run.Env = append(run.Env, setting)
		}
	}
	var out, problem bytes.Buffer
	run.Stdout, run.Stderr = &out, &problem
	if err := run.Run(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", strings.Join(command, " "), err, problem.Bytes())
	}
	return out.String(), nil
}
