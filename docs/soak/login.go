package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// descriptors is the limit of open files of the program whose login is attacked.
const descriptors = 1024

// The limits of an attack on a login.
const (
	maxRefresh     = 50 * time.Millisecond // for 99 % of the honest client's
	maxGrowth      = 64 << 20              // of memory
	maxDisk        = 32 << 20              // more
	maxDescriptors = descriptors / 2
)

// attackLogin attacks the authorization server of docs/soak/login in both ways, each for a time, and fails if an honest
// client or the machine suffers.
func attackLogin(ctx context.Context, program string, length time.Duration, out io.Writer) (err error) {
	folder, err := os.MkdirTemp("", "soak-login")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	v, err := start(ctx, "sh", "-c", fmt.Sprintf(`ulimit -n %d && exec "$0" "$@"`, descriptors), program, folder)
	if err != nil {
		return err
	}
	defer v.kill()
	go func() { _, _ = io.Copy(io.Discard, v.log) }()
	honest, err := newUser(v.address)
	if err != nil {
		return fmt.Errorf("the honest client can't log in: %w", err)
	}
	for _, way := range []string{"fast", "slow"} {
		if attackErr := v.attackOnce(ctx, way, folder, honest, length, out); attackErr != nil {
			err = errors.Join(err, fmt.Errorf("%s attacks: %w", way, attackErr))
		}
	}
	took, _, stopErr := v.terminate()
	return errors.Join(err, stopErr, inTime(took))
}

// attackOnce attacks in one way.
func (v *victim) attackOnce(ctx context.Context, way, folder string, honest *user, length time.Duration, out io.Writer) error {
	attacking, stop := context.WithTimeout(ctx, length)
	defer stop()
	disk, memory := sizeOf(folder), v.memory()
	// The attacker would have a machine of its own, so it gets no processor time that the server needs.
	attacker, answers, err := v.attackedBy(attacking, "19", "-login", way, "-time", length.String())
	if err != nil {
		return err
	}
	peak, open := v.watchMemory(attacking), v.watchDescriptors(attacking)
	seen := &report{}
	for attacking.Err() == nil {
		begun := time.Now()
		err := honest.refresh(context.WithoutCancel(ctx))
		seen.add(time.Since(begun), err)
		time.Sleep(5 * time.Millisecond)
	}
	err = attacker.Wait()
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		err = nil // it was interrupted
	} else if err != nil {
		err = fmt.Errorf("the attacker failed: %w", err)
	}
	growth, more, files := <-peak-memory, sizeOf(folder)-disk, <-open
	_, _ = fmt.Fprintf(out, "%s attacks for %v: refresh 99 %% within %v (%d, %d lost), memory +%d MiB, disk +%d MiB, descriptors %d of %d; %s",
		way, length, seen.quantile(0.99), seen.calls, seen.lost, growth>>20, more>>20, files, descriptors, answers.String())
	return errors.Join(err,
		must(answers.Len() > 0 && !strings.HasPrefix(answers.String(), "0 answered, 0 refused"), "no attack was answered"),
		must(seen.calls > 0 && seen.lost == 0, "the honest client lost %d of %d refreshes: %v", seen.lost, seen.calls, seen.problem),
		must(seen.quantile(0.99) <= maxRefresh, "99 %% of the refreshes took %v; the limit is %v", seen.quantile(0.99), maxRefresh),
		must(growth <= maxGrowth, "the memory grew by %d MiB; the limit is %d", growth>>20, maxGrowth>>20),
		must(more <= maxDisk, "the files grew by %d MiB; the limit is %d", more>>20, maxDisk>>20),
		must(files <= maxDescriptors, "%d descriptors were open; the limit is %d", files, maxDescriptors))
}

// sizeOf returns the size of the files in a folder in bytes.
func sizeOf(folder string) (size int64) {
	_ = filepath.WalkDir(folder, func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			if info, err := entry.Info(); err == nil { // else removed meanwhile
				size += info.Size()
			}
		}
		return nil
	})
	return size
}
