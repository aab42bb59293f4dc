package spec_test

import (
	"testing"

	"github.com/bowline-mcp/bowline/internal/spec"
)

const (
	v20241105 = spec.Version20241105
	v20250326 = spec.Version20250326
	v20250618 = spec.Version20250618
	v20251125 = spec.Version20251125
	v20260728 = spec.Version20260728
)

// shapes are the shapes of an object in each version.
type shapes map[spec.Version]string

func (s shapes) check(t *testing.T, downgrade func([]byte, spec.Version) []byte, newest string) {
	t.Helper()
	if len(s) != 5 {
		t.Errorf("there are %d versions", len(s))
	}
	for v, want := range s {
		if got := string(downgrade([]byte(newest), v)); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", v, got, want)
		}
	}
}

func TestAToolHasTheMembersOfTheVersion(t *testing.T) {
	t.Parallel()
	const whole = `{"name":"a","title":"A","description":"d","icons":[1],"inputSchema":{"type":"object"},"outputSchema":{"type":"object"},"annotations":{"readOnlyHint":true},"_meta":{"k":1}}`
	shapes{
		v20260728: whole,
		v20251125: whole,
		v20250618: `{"name":"a","title":"A","description":"d","inputSchema":{"type":"object"},"outputSchema":{"type":"object"},"annotations":{"readOnlyHint":true},"_meta":{"k":1}}`,
		v20250326: `{"name":"a","description":"d","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true,"title":"A"}}`,
		v20241105: `{"name":"a","description":"d","inputSchema":{"type":"object"}}`,
	}.check(t, spec.DowngradeTool, whole)
}

func TestTheTitleOfAToolIsAHintInOlderVersions(t *testing.T) {
	t.Parallel()
	const plain = `{"name":"a","title":"A","inputSchema":{}}`
	shapes{
		v20260728: plain, v20251125: plain, v20250618: plain,
		v20250326: `{"name":"a","inputSchema":{},"annotations":{"title":"A"}}`,
		v20241105: `{"name":"a","inputSchema":{}}`,
	}.check(t, spec.DowngradeTool, plain)
}

// Some clients refuse a whole list because of one output schema of another type.
func TestAnOutputSchemaOfOlderVersionsIsAnObject(t *testing.T) {
	t.Parallel()
	for _, schema := range []string{`true`, `{"type":"array"}`, `{"type":["object","null"]}`, `{}`} {
		tool := `{"name":"a","outputSchema":` + schema + `}`
		shapes{v20260728: tool, v20251125: `{"name":"a"}`, v20250618: `{"name":"a"}`, v20250326: `{"name":"a"}`, v20241105: `{"name":"a"}`}.check(t, spec.DowngradeTool, tool)
	}
}

// Strict schema compilers refuse unknown keywords.
func TestOnlyModernSchemasHaveTheHeaderKeyword(t *testing.T) {
	t.Parallel()
	const tool = `{"name":"a","inputSchema":{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},` +
		`"at":{"type":"object","properties":{"zone":{"x-mcp-header":"Zone","type":"string"}}},` +
		`"x-mcp-header":{"type":"string","default":"x-mcp-header"},"any":true},"required":["x-mcp-header"],"$defs":{}}}`
	const older = `{"name":"a","inputSchema":{"type":"object","properties":{"region":{"type":"string"},` +
		`"at":{"type":"object","properties":{"zone":{"type":"string"}}},` +
		`"x-mcp-header":{"type":"string","default":"x-mcp-header"},"any":true},"required":["x-mcp-header"],"$defs":{}}}`
	shapes{v20260728: tool, v20251125: older, v20250618: older, v20250326: older, v20241105: older}.check(t, spec.DowngradeTool, tool)
}

func TestAnItemHasTheMembersOfTheVersion(t *testing.T) {
	t.Parallel()
	const whole = `{"name":"a","title":"A","icons":[1],"annotations":{"priority":1,"lastModified":"2026"},"arguments":[{"name":"b","title":"B","required":true},{"name":"c"}],"_meta":{"k":1}}`
	const older = `{"name":"a","annotations":{"priority":1},"arguments":[{"name":"b","required":true},{"name":"c"}]}`
	shapes{
		v20260728: whole, v20251125: whole,
		v20250618: `{"name":"a","title":"A","annotations":{"priority":1,"lastModified":"2026"},"arguments":[{"name":"b","title":"B","required":true},{"name":"c"}],"_meta":{"k":1}}`,
		v20250326: older, v20241105: older,
	}.check(t, spec.DowngradeItem, whole)
	shapes{v20260728: `{"uri":"a"}`, v20251125: `{"uri":"a"}`, v20250618: `{"uri":"a"}`, v20250326: `{"uri":"a"}`, v20241105: `{"uri":"a"}`}.check(t, spec.DowngradeItem, `{"uri":"a"}`)
}

func TestResultsHaveTheBlocksOfTheVersion(t *testing.T) {
	t.Parallel()
	downgrade := func(result []byte, v spec.Version) []byte {
		o := spec.ParseObject(result)
		spec.DowngradeResult(&o, v)
		return o.Append(nil)
	}
	const contents = `{"contents":[{"uri":"a","text":"t","_meta":{"k":1}},{"uri":"b","blob":""}]}`
	const without = `{"contents":[{"uri":"a","text":"t"},{"uri":"b","blob":""}]}`
	shapes{v20260728: contents, v20251125: contents, v20250618: contents, v20250326: without, v20241105: without}.check(t, downgrade, contents)
	const messages = `{"description":"d","messages":[{"role":"user","content":{"type":"resource_link","uri":"a","name":"n","icons":[]}}]}`
	const text = `{"description":"d","messages":[{"role":"user","content":{"type":"text","text":"a"}}]}`
	shapes{
		v20260728: messages, v20251125: messages,
		v20250618: `{"description":"d","messages":[{"role":"user","content":{"type":"resource_link","uri":"a","name":"n"}}]}`,
		v20250326: text, v20241105: text,
	}.check(t, downgrade, messages)
}

func TestServerInfoHasTheMembersOfTheVersion(t *testing.T) {
	t.Parallel()
	const whole = `{"name":"a","title":"A","version":"1","description":"d","websiteUrl":"https://example.com","icons":[1]}`
	info := spec.NewServerInfo([]byte(whole))
	shapes{
		v20260728: whole, v20251125: whole, v20250618: `{"name":"a","title":"A","version":"1"}`,
		v20250326: `{"name":"a","version":"1"}`, v20241105: `{"name":"a","version":"1"}`,
	}.check(t, func(_ []byte, v spec.Version) []byte { return info.In(v) }, whole)
}

func TestAModernResultHasTheServerInfo(t *testing.T) {
	t.Parallel()
	info := spec.NewServerInfo([]byte(`{"name":"a","version":"1"}`))
	const server = `"io.modelcontextprotocol/serverInfo":{"name":"a","version":"1"}`
	for _, test := range []struct {
		version   spec.Version
		own, want string
	}{
		{v20260728, ``, `,"_meta":{` + server + `}`},
		{v20260728, `{}`, `,"_meta":{` + server + `}`},
		{v20260728, `{"k":1}`, `,"_meta":{"k":1,` + server + `}`},
		{v20260728, `{"io.modelcontextprotocol/serverInfo":{"name":"fake"}}`, `,"_meta":{` + server + `}`},
		{v20251125, ``, ``},
		{v20251125, `{}`, ``},
		{v20251125, `{"k":1}`, `,"_meta":{"k":1}`},
	} {
		if got := string(info.AppendMeta(nil, test.version, []byte(test.own))); got != test.want {
			t.Errorf("%s, %s: got %s, want %s", test.version, test.own, got, test.want)
		}
	}
}
