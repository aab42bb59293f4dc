package installation

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/bowline-mcp/bowline/internal/atomicfile"
	"github.com/bowline-mcp/bowline/internal/cli/bundle"
	"github.com/bowline-mcp/bowline/internal/cli/client"
	"github.com/bowline-mcp/bowline/internal/cli/invocation"
	"github.com/bowline-mcp/bowline/internal/cli/launcher"
	"github.com/bowline-mcp/bowline/internal/cli/process"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// A bundling is one run of the command bundle.
type bundling struct {
	*invocation.Invocation
	// The flags.
	name, output, author string
	system               bundle.System
	force                bool
}

func newBundleCommand(i *invocation.Invocation) *cobra.Command {
	b := &bundling{Invocation: i}
	command := &cobra.Command{
		Use:   "bundle HANDLE",
		Short: "Pack a server into an .mcpb file",
		Long: "Build the app and pack it into an MCP bundle, a file that people without Go open with a client such as Claude Desktop.\n" +
			"The bundle runs on the operating system and the processor of --os and --arch. Without them, the variables GOOS and\n" +
			"GOARCH count, and otherwise this computer. The bundle has the title, version and description of the server. A client\n" +
			"replaces a bundle by another one with its name and author: of two apps with the handle demo,\n" +
			"the second needs a --name.\n\n" +
			"The program runs without the folder of its sources: without .env, so that its settings are the defaults in\n" +
			"config/app.go and what the client's environment has, and in a folder that the client chooses, so that a relative\n" +
			"path such as storage/app.db doesn't lead to your data. Embed files that it needs (go:embed), and keep data below\n" +
			"os.UserConfigDir. The server is started once in an empty folder to see that it does, on this computer\n" +
			"even if the bundle is for another system.\n\n" +
			"The exit code is 1 if the app can't be built or started, or the file exists, and 2 for wrong arguments.",
		Example:           "  mcp bundle demo\n  mcp bundle demo --os darwin --arch arm64\n  mcp bundle demo --output dist/demo.mcpb --author 'Ana Lima' --force",
		Args:              invocation.Exactly("the HANDLE of a server (mcp list shows them)"),
		RunE:              b.run,
		ValidArgsFunction: i.CompleteHandles,
	}
	command.Flags().StringVar(&b.name, "name", "", "the `NAME` of the bundle (default HANDLE)")
	command.Flags().StringVar(&b.output, "output", "", "the `FILE` to write (default NAME.mcpb, or such as NAME-darwin-arm64.mcpb for another system)")
	command.Flags().StringVar(&b.system.OS, "os", "", "the operating `SYSTEM`: darwin, linux or windows")
	command.Flags().StringVar(&b.system.Arch, "arch", "", "the `PROCESSOR`: amd64 or arm64")
	command.Flags().StringVar(&b.author, "author", "", "the `NAME` of the author (default user.name of git)")
	command.Flags().BoolVarP(&b.force, "force", "f", false, "replace a file that exists")
	_ = command.RegisterFlagCompletionFunc("os", cobra.FixedCompletions([]cobra.Completion{"darwin", "linux", "windows"}, cobra.ShellCompDirectiveNoFileComp))
	_ = command.RegisterFlagCompletionFunc("arch", cobra.FixedCompletions([]cobra.Completion{"amd64", "arm64"}, cobra.ShellCompDirectiveNoFileComp))
	return command
}

func (b *bundling) run(command *cobra.Command, args []string) error {
	app, err := b.App()
	if err != nil {
		return err
	}
	name := cmp.Or(b.name, args[0])
	if !isEntryName(name) {
		return invocation.NewUsageError("the bundle can't be named %q; give it a --name of letters, digits, - and _, at most 64", name)
	}
	system, err := b.system.Choose()
	if err != nil {
		return invocation.AsUsage(err)
	}
	output := name + ".mcpb"
	if system != bundle.ThisSystem() || b.system != (bundle.System{}) {
		output = fmt.Sprintf("%s-%s-%s.mcpb", name, system.OS, system.Arch)
	}
	output = cmp.Or(b.output, output)
	target, err := checkTarget(output, b.force)
	if err != nil {
		return err
	}
	author := cmp.Or(b.author, authorOf(app.Root))
	if author == "" {
		return invocation.NewUsageError("git has no user.name for the author of the bundle; name the author with --author")
	}
	work, err := os.MkdirTemp("", "mcp-bundle-*")
	if err != nil {
		return fmt.Errorf("build the bundle: %w", err)
	}
	defer func() { _ = os.RemoveAll(work) }()
	packed, err := b.build(command.Context(), app.Root, work, args[0], system)
	if err != nil {
		return err
	}
	packed.Name, packed.Author = name, author
	var content bytes.Buffer
	if err := packed.Write(&content); err != nil {
		return err
	}
	if err := atomicfile.Write(target, content.Bytes(), 0o644); err != nil {
		return fmt.Errorf("write the bundle: %w", err)
	}
	_, err = fmt.Fprintf(b.Stdout, "wrote %s for %s/%s: %s %s, %.1f MB\n  SHA-256: %x\n",
		output, system.OS, system.Arch, name, packed.Version, float64(content.Len())/1e6, sha256.Sum256(content.Bytes()))
	return err
}

// build builds the program of the app in the folder root for a system, in the folder work. It
// returns the bundle with what the server says about itself, without name and author.
func (b *bundling) build(ctx context.Context, root, work, handle string, system bundle.System) (packed bundle.Bundle, err error) {
	program := filepath.Join(work, "app")
	if err := launcher.Release(ctx, root, program, b.Stderr); err != nil {
		return packed, err
	}
	empty := filepath.Join(work, "empty")
	if err := os.Mkdir(empty, 0o700); err != nil {
		return packed, fmt.Errorf("build the bundle: %w", err)
	}
	listed, _, listErr := launcher.List(ctx, root, program)
	if handles := listed.Handles(); listErr == nil && !slices.Contains(handles, handle) {
		return packed, naming.Unknown("handle", handle, handles)
	}
	server, err := introduce(empty, program, handle)
	if err != nil {
		return packed, err
	}
	packed = bundle.Bundle{
		Handle: handle, Title: server.Title, Version: server.Version, Program: program, OS: system.OS,
		Description: cmp.Or(server.Description, "The MCP server "+cmp.Or(server.Title, handle)+"."),
	}
	if system != bundle.ThisSystem() { // whose program doesn't start here
		packed.Program = filepath.Join(work, "packed")
		err = launcher.ReleaseFor(ctx, root, packed.Program, b.Stderr, system.OS, system.Arch)
	}
	return packed, err
}

// checkTarget returns the file to write, without links, or an error if it can't be written.
// Nothing is built before.
func checkTarget(path string, force bool) (target string, err error) {
	target = path
	if link, err := os.Lstat(path); err == nil && link.Mode()&fs.ModeSymlink != 0 {
		if target, err = filepath.EvalSymlinks(path); err != nil {
			return "", fmt.Errorf("write the bundle: %s is a link that leads nowhere; remove it, or choose another --output", path)
		}
	}
	folder := filepath.Dir(target)
	switch info, err := os.Stat(target); {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Stat(folder); err != nil {
			return "", fmt.Errorf("write the bundle: there is no folder %s; make it, or choose another --output", folder)
		}
	case err != nil:
		return "", fmt.Errorf("write the bundle: %w", err)
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("write the bundle: %s is not a file; choose another --output", path)
	case !force:
		return "", fmt.Errorf("%s already exists; --force replaces it", path)
	}
	probe, err := os.CreateTemp(folder, atomicfile.Prefix+"*")
	if err != nil {
		return "", fmt.Errorf("write the bundle: can't write to the folder %s: %w; choose another --output", folder, atomicfile.Reason(err))
	}
	return target, errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// authorOf returns the name that git has for the author of changes in a folder, or else the
// full name of the user.
func authorOf(root string) string {
	if name, err := process.Command(context.Background(), root, "git", "config", "user.name").Output(); err == nil {
		return strings.TrimSpace(string(name))
	}
	if me, err := user.Current(); err == nil {
		return me.Name
	}
	return ""
}

// introduce starts a server in an empty folder, as a client does that has only the bundle,
// and returns what it says about itself.
func introduce(folder, program, handle string) (client.Server, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	command := process.App(context.Background(), folder, program, "start", handle)
	var log strings.Builder
	command.Stderr = &log
	connected, err := client.Command(ctx, command, io.Discard, client.Options{Version: invocation.ProgramVersion()})
	if err != nil {
		return client.Server{}, fmt.Errorf("the app doesn't serve %s without the folder of its sources, as a bundle does: %s",
			handle, launcher.Reason(log.String(), err))
	}
	server := connected.Server()
	return server, connected.Close()
}
