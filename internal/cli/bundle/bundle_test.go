package bundle_test

import (
	"archive/zip"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/bowline-mcp/bowline/internal/cli/bundle"
)

func TestABundleHasTheManifestAndAProgramThatCanBeStarted(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "app")
	if err := os.WriteFile(program, []byte("the program"), 0o600); err != nil {
		t.Fatal(err)
	}
	b := bundle.Bundle{
		Name: "shop", Handle: "demo", Title: "Demo & more", Version: "1.2.0", Description: "Shows things.", Author: "Ana", Program: program, OS: "darwin",
	}
	var first, second bytes.Buffer
	for _, out := range []*bytes.Buffer{&first, &second} {
		if err := b.Write(out); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("the same program makes two different bundles")
	}
	archive, err := zip.NewReader(bytes.NewReader(first.Bytes()), int64(first.Len()))
	if err != nil {
		t.Fatal(err)
	}
	contents := map[string]string{}
	modes := map[string]os.FileMode{}
	for _, file := range archive.File {
		reader, err := file.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(reader)
		if err != nil {
			t.Fatal(err)
		}
		contents[file.Name], modes[file.Name] = string(content), file.Mode()
	}
	want := `{
  "manifest_version": "0.3",
  "name": "shop",
  "display_name": "Demo & more",
  "version": "1.2.0",
  "description": "Shows things.",
  "author": {
    "name": "Ana"
  },
  "server": {
    "type": "binary",
    "entry_point": "server/app",
    "mcp_config": {
      "command": "${__dirname}/server/app",
      "args": [
        "start",
        "demo"
      ]
    }
  },
  "compatibility": {
    "platforms": [
      "darwin"
    ]
  }
}
`
	if len(contents) != 2 || contents["manifest.json"] != want || contents["server/app"] != "the program" || modes["server/app"] != 0o755 {
		t.Errorf("the bundle has %q with the modes %v, want the manifest\n%s", contents, modes, want)
	}
}

func TestABundleForWindowsHasAnExe(t *testing.T) {
	t.Parallel()
	manifest, err := bundle.Bundle{Handle: "demo", OS: "windows"}.Manifest()
	for _, want := range []string{`"${__dirname}/server/app.exe"`, `"entry_point": "server/app.exe"`, `"win32"`} {
		if err != nil || !bytes.Contains(manifest, []byte(want)) {
			t.Errorf("the manifest is %s, %v, want %s", manifest, err, want)
		}
	}
}

func TestABundleNeedsTheProgram(t *testing.T) {
	t.Parallel()
	if err := (bundle.Bundle{Program: filepath.Join(t.TempDir(), "missing")}).Write(io.Discard); err == nil {
		t.Error("a bundle without a program is written")
	}
}
