package framework_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// metadata lists the names with the prefix of the specification that aren't extensions: members
// of _meta that the protocol itself has.
var metadata = []string{"protocolVersion", "clientCapabilities", "clientInfo", "serverInfo", "subscriptionId"}

var (
	prefixed = regexp.MustCompile(`io\.modelcontextprotocol/([\w-]+)`)

	// extended matches the methods, filters, members and result types of the known extensions.
	// It spells out those of events, since the names of stored streams begin with "events/".
	extended = regexp.MustCompile(`(?i)"(?:notifications/)?(?:tasks|skills|ui|interceptors?|variants?)(?:/|List|")|ui://|skill://|"taskIds?"|"task"|` +
		`taskSupport|events/(?:list|poll|stream|subscribe|unsubscribe|event|terminated)|eventsListChanged`)
)

// What extensions add to the protocol, they add by servers.Extension. The engine knows none.
func TestTheEngineNamesNoExtension(t *testing.T) {
	t.Parallel()
	read := 0
	for _, source := range sources(t) {
		if source.isTest() || !isEngine(source.folder()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(source.file)))
		if err != nil {
			t.Fatal(err)
		}
		read++
		for _, name := range namesOfExtensions(string(text)) {
			t.Errorf("%s names %s, which belongs to an extension; let the extension add it by servers.Extension", source.file, name)
		}
	}
	if read < 100 {
		t.Errorf("the engine has only %d files", read)
	}
}

// isEngine reports whether a folder is part of the engine.
func isEngine(folder string) bool {
	return slices.ContainsFunc([]string{"internal/engine", "internal/spec", "framework/mcp"}, func(root string) bool {
		return folder == root || strings.HasPrefix(folder, root+"/")
	})
}

// namesOfExtensions returns what a text has of extensions.
func namesOfExtensions(text string) (names []string) {
	for _, found := range prefixed.FindAllStringSubmatch(text, -1) {
		if !slices.Contains(metadata, found[1]) {
			names = append(names, found[0])
		}
	}
	return append(names, extended.FindAllString(text, -1)...)
}

func TestNamesOfExtensionsAreFound(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`"io.modelcontextprotocol/tasks"`, `"io.modelcontextprotocol/ui"`, `"io.modelcontextprotocol/related-task"`, `"tasks/get"`, `"notifications/tasks/status"`,
		`"skills/list"`, `"ui/initialize"`, `"events/list"`, `"notifications/events/list_changed"`, `"eventsListChanged"`, `"taskIds"`, `"resultType":"task"`, `"ui://shop"`,
	} {
		if names := namesOfExtensions("x := " + text); len(names) != 1 {
			t.Errorf("in %s, got %q", text, names)
		}
	}
	for _, text := range []string{`"io.modelcontextprotocol/clientInfo"`, `"events/" + session`, `runs tasks`, `"task_progress"`, `"uint"`, `"resources/list"`} {
		if names := namesOfExtensions("x := " + text); names != nil {
			t.Errorf("in %s, got %q", text, names)
		}
	}
}
