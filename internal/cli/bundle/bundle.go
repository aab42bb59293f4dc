// Package bundle writes MCP bundles: files .mcpb that an AI client installs with one click.
// A bundle is a zip archive of a program and a manifest that says how it is started.
package bundle

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"os"

	"github.com/bowline-mcp/bowline/internal/json/codec"
)

// manifestVersion is the version of the manifest's format.
const manifestVersion = "0.3"

// A Bundle is what a bundle consists of.
type Bundle struct {
	// Name is the name of the bundle. A client replaces a bundle by another one with its name and author.
	Name string
	// Handle is the handle of the server.
	Handle string
	// Title is the name that people see. Without one they see the name.
	Title       string
	Version     string
	Description string
	Author      string
	// Program is the path of the built app, for the operating system OS, as Go names it.
	Program string
	OS      string
}

// A manifest is the file manifest.json of a bundle.
type manifest struct {
	ManifestVersion string        `json:"manifest_version"`
	Name            string        `json:"name"`
	DisplayName     string        `json:"display_name,omitempty"`
	Version         string        `json:"version"`
	Description     string        `json:"description"`
	Author          author        `json:"author"`
	Server          server        `json:"server"`
	Compatibility   compatibility `json:"compatibility"`
}

type author struct {
	Name string `json:"name"`
}

type server struct {
	Type       string `json:"type"`
	EntryPoint string `json:"entry_point"`
	Config     struct {
		Command string   `json:"command"`
		Args    []string `json:"args"`
	} `json:"mcp_config"`
}

type compatibility struct {
	Platforms []string `json:"platforms"`
}

// Manifest returns the manifest.
func (b Bundle) Manifest() ([]byte, error) {
	m := manifest{
		ManifestVersion: manifestVersion, Name: b.Name, DisplayName: b.Title, Version: b.Version, Description: b.Description, Author: author{b.Author},
		Server: server{Type: "binary", EntryPoint: b.entry()}, Compatibility: compatibility{[]string{b.platform()}},
	}
	m.Server.Config.Command = "${__dirname}/" + b.entry()
	m.Server.Config.Args = []string{"start", b.Handle}
	text, err := codec.Indent(m)
	if err != nil {
		return nil, fmt.Errorf("write the manifest: %w", err)
	}
	return append(text, '\n'), nil
}

// entry returns the path of the program in the bundle.
func (b Bundle) entry() string {
	if b.OS == "windows" {
		return "server/app.exe"
	}
	return "server/app"
}

// platform returns the operating system as Node.js names it.
func (b Bundle) platform() string {
	if b.OS == "windows" {
		return "win32"
	}
	return b.OS
}

// Write writes the bundle. The same program makes the same bytes.
func (b Bundle) Write(to io.Writer) error {
	text, err := b.Manifest()
	if err != nil {
		return err
	}
	program, err := os.Open(b.Program)
	if err != nil {
		return fmt.Errorf("bundle the program: %w", err)
	}
	defer func() { _ = program.Close() }()
	archive := zip.NewWriter(to)
	for _, file := range []struct {
		name    string
		mode    os.FileMode
		content io.Reader
	}{
		{"manifest.json", 0o644, bytes.NewReader(text)},
		{b.entry(), 0o755, program}, // clients keep the bit, without which they can't start it
	} {
		header := &zip.FileHeader{Name: file.name, Method: zip.Deflate}
		header.SetMode(file.mode)
		entry, err := archive.CreateHeader(header)
		if err != nil {
			return fmt.Errorf("write the bundle: %w", err)
		}
		if _, err := io.Copy(entry, file.content); err != nil {
			return fmt.Errorf("write the bundle: %w", err)
		}
	}
	if err := archive.Close(); err != nil {
		return fmt.Errorf("write the bundle: %w", err)
	}
	return nil
}
