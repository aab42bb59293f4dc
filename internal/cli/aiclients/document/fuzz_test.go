package document_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"github.com/tailscale/hujson"

	"github.com/bowline-mcp/bowline/internal/cli/aiclients/document"
)

// FuzzJSON: whatever the document, adding an entry adds nothing else, and removing it takes
// nothing else out.
func FuzzJSON(f *testing.F) {
	for _, edit := range jsonEdits() {
		f.Add([]byte(edit.before))
		f.Add([]byte(edit.after))
	}
	fuzz(f, document.JSON, func(content []byte) (map[string]any, bool) {
		content = bytes.TrimPrefix(content, []byte("\ufeff"))
		if len(bytes.TrimSpace(content)) == 0 {
			return map[string]any{}, true
		}
		standard, err := hujson.Standardize(append(bytes.Clone(content), '\n'))
		if err != nil {
			return nil, false
		}
		decoder := json.NewDecoder(bytes.NewReader(standard))
		decoder.UseNumber()
		var values map[string]any
		err = decoder.Decode(&values)
		return values, err == nil
	})
}

// FuzzTOML is the same for TOML.
func FuzzTOML(f *testing.F) {
	for _, edit := range tomlEdits() {
		f.Add([]byte(edit.before))
		f.Add([]byte(edit.after))
	}
	f.Add([]byte("[mcpServers.demo.env]\nA = 1\n[mcpServers.demo]\ncommand = ''''\n'''\n"))
	fuzz(f, document.TOML, func(content []byte) (map[string]any, bool) {
		values := map[string]any{}
		err := toml.Unmarshal(bytes.TrimPrefix(content, []byte("\ufeff")), &values)
		return values, err == nil
	})
}

// fuzz adds an entry to each document and removes it, and compares all other values, as
// another decoder reads them.
func fuzz(f *testing.F, format document.Format, decode func([]byte) (map[string]any, bool)) {
	f.Fuzz(func(t *testing.T, before []byte) {
		original, valid := decode(before)
		servers, _ := original["mcpServers"].(map[string]any)
		restored := format == document.JSON && len(servers) > 0 && servers["demo"] == nil
		after, err := format.Set(before, demo(), members())
		if err != nil {
			return
		}
		if !valid {
			t.Fatalf("%q is edited, but doesn't decode", before)
		}
		changed, valid := decode(after)
		if !valid {
			t.Fatalf("%q becomes %q, which doesn't decode", before, after)
		}
		entry, _ := changed["mcpServers"].(map[string]any)["demo"].(map[string]any)
		if entry["command"] != "/usr/local/bin/mcp" || !reflect.DeepEqual(entry["args"], []any{"start", "demo"}) {
			t.Errorf("%q becomes %q, whose entry is %v", before, after, entry)
		}
		if !reflect.DeepEqual(others(original), others(changed)) {
			t.Errorf("%q becomes %q: other values changed", before, after)
		}
		removed, err := format.Remove(after, demo())
		if err != nil {
			t.Fatalf("remove from %q: %v", after, err)
		}
		if restored && !bytes.Equal(before, removed) {
			t.Errorf("%q becomes %q, and without the entry %q", before, after, removed)
		}
		rest, valid := decode(removed)
		if servers, _ := rest["mcpServers"].(map[string]any); !valid || servers["demo"] != nil || !reflect.DeepEqual(others(original), others(rest)) {
			t.Errorf("%q becomes %q: other values changed", after, removed)
		}
	})
}

// others returns the values without the entry, and without an object that has only the entry.
func others(values map[string]any) map[string]any {
	if servers, ok := values["mcpServers"].(map[string]any); ok {
		delete(servers, "demo")
		if len(servers) == 0 {
			delete(values, "mcpServers")
		}
	}
	return values
}
