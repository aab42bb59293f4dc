package framework_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/bowline-mcp/bowline"

// allowed lists, for every package of the module, the packages of the module that
// it may import. The root is ".". Test files may import more; see below.
var allowed = map[string][]string{
	// The reference app.
	".":                 {"config", "routes", "framework/auth/oauth", "framework/env", "framework/mcp"},
	"config":            {"framework/auth/login", "framework/auth/oauth", "framework/auth/oauth/store", "framework/auth/oauth/store/sqlite", "framework/env", "framework/mcp"},
	"routes":            {"app/mcp/servers", "framework/auth/oauth", "framework/mcp"},
	"app/mcp/servers":   {"app/mcp/prompts", "app/mcp/resources", "app/mcp/tools", "framework/servers"},
	"app/mcp/tools":     {"framework/annotations", "framework/ask", "framework/schema", "framework/tools"},
	"app/mcp/resources": {"framework/content", "framework/exchange", "framework/resources"},
	"app/mcp/prompts":   {"framework/completion", "framework/content", "framework/prompts"},

	// The entry points, which connect the vocabulary to the engine.
	"framework": {},
	"framework/mcp": {
		"framework/events", "framework/exchange", "framework/logging", "framework/servers", "framework/tools", "framework/transport",
		"internal/address", "internal/engine/call", "internal/clientrules", "internal/json/codec", "framework/mcp/internal/console", "internal/engine/dispatch", "internal/engine/legacy", "internal/limits",
		"internal/naming", "internal/nonblocking", "internal/engine/protected", "internal/engine/protocol",
		"internal/engine/seal", "internal/engine/server", "internal/spec", "internal/engine/throttle", "internal/engine/transport",
	},
	"framework/mcptest": {
		"framework/ask", "framework/completion", "framework/content", "framework/exchange", "framework/mcp", "framework/prompts", "framework/resources",
		"framework/servers", "framework/tools", "internal/clientrules", "internal/json/codec", "internal/engine/declaration", "internal/json/mirror", "internal/naming",
		"internal/json/rawjson", "internal/engine/request", "internal/engine/seam", "internal/spec",
	},

	// The vocabulary. It imports only the packages that it shares with the engine; see
	// vocabulary below. Its leaves import only the codec.
	"framework/servers": {
		"framework/content", "framework/exchange", "framework/guardrails", "framework/prompts", "framework/resources", "framework/tools",
		"internal/engine/attachment", "internal/limits",
	},
	"framework/tools": {
		"framework/annotations", "framework/content", "framework/exchange", "framework/guardrails", "framework/schema", "internal/json/codec",
		"internal/engine/request",
	},
	"framework/resources": {
		"framework/completion", "framework/content", "framework/exchange", "framework/guardrails", "internal/engine/binding", "internal/json/codec",
		"internal/engine/declaration", "internal/limits", "internal/naming", "internal/engine/request", "internal/engine/seam",
	},
	"framework/prompts": {
		"framework/completion", "framework/content", "framework/exchange", "framework/guardrails", "internal/engine/binding", "internal/json/codec",
		"internal/engine/declaration", "internal/naming", "internal/engine/request", "internal/engine/seam",
	},
	"framework/guardrails": {
		"framework/exchange", "internal/engine/chain", "internal/json/codec", "internal/limits", "internal/engine/request", "internal/engine/seam", "internal/engine/throttle",
	},
	"framework/events":      {"framework/exchange", "internal/engine/dispatch"},
	"framework/completion":  {"framework/exchange", "internal/json/codec", "internal/engine/request"},
	"framework/exchange":    {"framework/ask", "framework/content", "internal/json/codec", "internal/json/rawjson", "internal/engine/request", "internal/spec"},
	"framework/ask":         {"framework/content", "framework/schema", "internal/json/codec", "internal/json/jsonschema", "internal/naming", "internal/engine/request", "internal/spec"},
	"framework/content":     {"internal/json/codec"},
	"framework/schema":      {"internal/json/codec", "internal/json/jsonschema", "internal/json/jsonschema/format", "internal/naming", "internal/json/rawjson"},
	"framework/annotations": {},
	"framework/transport":   {},
	"framework/env":         {"internal/dotenv"},
	"framework/logging":     {"internal/nonblocking"},
	"framework/validation":  {},
	"framework/retry":       {"framework/exchange"},
	"framework/auth": {
		"framework/auth/internal/issuers", "framework/auth/jose", "framework/exchange", "framework/guardrails", "internal/engine/chain", "internal/json/codec",
		"internal/limits", "internal/engine/protected", "internal/engine/seam",
	},
	"framework/auth/internal/issuers": {"framework/auth/jose", "framework/exchange", "internal/json/codec", "internal/limits", "internal/naming"},
	"framework/auth/jose":             {"internal/json/codec", "internal/limits"},
	"framework/auth/authtest":         {"framework/auth/jose", "internal/json/codec"},

	// The stores.
	"framework/store/sqldb":                        {},
	"framework/store/sqlite":                       {"framework/store/sqldb"},
	"framework/store/postgres":                     {"framework/store/sqldb"},
	"framework/store/redis":                        {},
	"framework/auth/oauth/store":                   {},
	"framework/auth/oauth/store/memory":            {"framework/auth/oauth/store"},
	"framework/auth/oauth/store/sqlite":            {"framework/auth/oauth/store", "framework/auth/oauth/store/internal/sqlstore", "framework/store/sqlite"},
	"framework/auth/oauth/store/postgres":          {"framework/auth/oauth/store", "framework/auth/oauth/store/internal/sqlstore", "framework/store/postgres"},
	"framework/auth/oauth/store/redis":             {"framework/auth/oauth/store", "framework/store/redis", "internal/json/codec"},
	"framework/auth/oauth/store/internal/sqlstore": {"framework/auth/oauth/store", "framework/store/sqldb", "internal/json/codec"},
	"framework/auth/oauth/store/storetest":         {"framework/auth/oauth/store"},

	// The authorization server.
	"framework/auth/oauth": {
		"framework/auth", "framework/auth/internal/issuers", "framework/auth/jose", "framework/auth/oauth/internal/documents", "framework/auth/oauth/internal/grants",
		"framework/auth/oauth/internal/keys", "framework/auth/oauth/internal/metadata", "framework/auth/oauth/internal/pages", "framework/auth/oauth/store",
		"framework/exchange", "framework/mcp", "internal/json/codec", "internal/command", "internal/limits", "internal/naming", "internal/engine/throttle",
	},
	"framework/auth/login": {"framework/auth/oauth", "framework/auth/oauth/store", "internal/limits", "internal/engine/throttle"},
	"framework/auth/upstream": {
		"framework/auth/oauth", "framework/auth/oauth/store", "framework/exchange", "internal/json/codec", "internal/limits", "internal/naming", "internal/engine/seal",
	},
	"framework/auth/oauth/internal/documents": {"framework/auth/oauth/internal/metadata", "internal/json/codec", "internal/limits", "internal/engine/throttle"},
	"framework/auth/oauth/internal/grants":    {"framework/auth/oauth/internal/metadata", "framework/auth/oauth/store", "internal/limits"},
	"framework/auth/oauth/internal/keys":      {"framework/auth/jose"},
	"framework/auth/oauth/internal/pages":     {},
	"framework/auth/oauth/internal/metadata":  {},

	// The foundations of all other packages.
	"internal/json/codec":             {"internal/json/decimal"},
	"internal/engine/seal":            {},
	"internal/engine/turn":            {},
	"internal/address":                {},
	"framework/mcp/internal/console":  {},
	"internal/dotenv":                 {},
	"internal/nonblocking":            {},
	"internal/command":                {},
	"internal/json/mirror":            {"internal/json/codec"},
	"internal/naming":                 {},
	"internal/engine/binding":         {},
	"internal/engine/throttle":        {"framework/exchange", "internal/engine/fault", "internal/limits"},
	"internal/engine/seam":            {},
	"internal/engine/chain":           {},
	"internal/engine/dispatch":        {},
	"internal/json/decimal":           {},
	"internal/limits":                 {},
	"internal/engine/methods":         {"internal/naming"},
	"internal/json/rawjson":           {"internal/json/codec", "internal/json/decimal"},
	"internal/json/jsonschema/format": {},
	"internal/json/jsonschema":        {"internal/json/codec", "internal/json/decimal", "internal/json/jsonschema/format", "internal/limits", "internal/naming", "internal/json/rawjson"},
	"internal/clientrules":            {"internal/json/codec", "internal/json/jsonschema", "internal/limits", "internal/json/rawjson"},
	"internal/json/jsonrpc":           {"internal/json/codec", "internal/limits", "internal/json/rawjson"},

	// The packages that the vocabulary shares with the engine.
	"internal/spec":               {"internal/json/codec", "internal/json/jsonrpc"},
	"internal/engine/request":     {"internal/json/codec", "internal/json/jsonschema", "internal/naming", "internal/spec"},
	"internal/engine/declaration": {"framework/completion"},
	"internal/engine/attachment":  {"framework/exchange", "framework/prompts", "framework/resources", "framework/tools"},

	// The engine, with the part of it that protects other handlers of a program too.
	"internal/engine/protected": {"framework/exchange", "internal/json/codec", "internal/naming", "internal/engine/request"},
	"internal/engine/fault":     {"framework/exchange", "internal/json/codec", "internal/json/jsonrpc", "internal/limits", "internal/naming", "internal/spec"},
	"internal/engine/changes":   {"framework/exchange", "internal/json/codec", "internal/engine/fault", "internal/limits", "internal/naming", "internal/spec", "internal/engine/throttle", "internal/engine/turn"},
	"internal/engine/call": {
		"framework/exchange", "internal/engine/changes", "internal/json/codec", "internal/engine/fault", "internal/json/jsonrpc", "internal/limits", "internal/engine/request",
		"internal/engine/seal", "internal/spec", "internal/engine/throttle",
	},
	"internal/engine/protocol": {
		"framework/exchange", "internal/engine/call", "internal/engine/changes", "internal/json/codec", "internal/engine/fault", "internal/json/jsonrpc", "internal/limits",
		"internal/naming", "internal/engine/request", "internal/spec", "internal/engine/throttle",
	},
	"internal/engine/resumption": {"framework/exchange", "internal/json/jsonrpc", "internal/limits", "internal/engine/throttle"},
	"internal/engine/transport": {
		"framework/exchange", "internal/engine/call", "internal/engine/fault", "internal/json/jsonrpc", "internal/limits", "internal/naming", "internal/engine/protected",
		"internal/engine/protocol", "internal/engine/resumption", "internal/spec", "internal/engine/throttle", "internal/engine/turn",
	},
	"internal/engine/legacy": {
		"framework/exchange", "internal/engine/call", "internal/engine/changes", "internal/json/codec", "internal/engine/fault", "internal/json/jsonrpc", "internal/limits",
		"internal/engine/protocol", "internal/engine/request", "internal/engine/resumption", "internal/spec", "internal/engine/throttle", "internal/engine/transport",
	},

	// The compilation of a program's servers for the engine.
	"internal/engine/server": {
		"framework/annotations", "framework/completion", "framework/content", "framework/events", "framework/exchange", "framework/guardrails",
		"framework/prompts", "framework/resources", "framework/schema", "framework/servers", "framework/tools", "internal/engine/attachment",
		"internal/engine/call", "internal/engine/chain", "internal/clientrules", "internal/json/codec", "internal/engine/declaration", "internal/engine/dispatch", "internal/engine/fault", "internal/json/jsonrpc",
		"internal/json/jsonschema", "internal/limits", "internal/engine/methods", "internal/naming", "internal/engine/protected", "internal/engine/protocol", "internal/engine/request",
		"internal/engine/seal", "internal/engine/seam", "internal/spec", "internal/engine/throttle",
	},

	// The packages that tests share.
	"internal/test/gatetest":              {},
	"internal/test/machinetest":           {},
	"internal/test/pipetest":              {},
	"internal/test/terminaltest":          {"internal/test/gatetest"},
	"internal/engine/request/requesttest": {"internal/engine/request", "internal/spec"},
	"internal/engine/call/calltest":       {"framework/exchange", "internal/engine/call", "internal/json/jsonrpc", "internal/engine/seal", "internal/spec", "internal/engine/throttle"},
	"internal/engine/transport/transporttest": {
		"framework/exchange", "internal/engine/call", "internal/engine/call/calltest", "internal/engine/protocol", "internal/spec", "internal/engine/transport",
	},
	"internal/test/databasetest": {
		"internal/test/gatetest",
		"framework/auth/oauth/store", "framework/auth/oauth/store/memory", "framework/auth/oauth/store/postgres", "framework/auth/oauth/store/redis", "framework/auth/oauth/store/sqlite",
		"framework/store/postgres", "framework/store/redis",
	},
	"internal/engine/server/servertest": {
		"framework/exchange", "framework/servers", "internal/engine/call", "internal/engine/call/calltest", "internal/json/codec", "internal/engine/protocol",
		"internal/engine/server", "internal/spec",
	},

	// The command.
	"cmd/mcp": {"internal/cli"},
	"internal/cli": {
		"internal/address", "internal/cli/authcheck", "internal/cli/bundle", "internal/cli/arguments", "internal/cli/assessment", "internal/cli/client", "internal/cli/generators",
		"internal/cli/invocation", "internal/cli/launcher", "internal/clientrules", "internal/cli/aiclients", "internal/json/codec", "internal/command", "internal/cli/dev", "internal/cli/doctor", "internal/cli/elicitation", "internal/cli/endpoint", "internal/cli/inspector",
		"internal/naming", "internal/cli/project", "internal/cli/questions", "internal/cli/scaffold", "stubs",
	},
	"internal/cli/generators": {"internal/cli/invocation", "internal/naming", "internal/cli/questions", "internal/cli/scaffold", "stubs"},
	"internal/cli/invocation": {"internal/cli/questions", "internal/cli/scaffold"},
	"internal/cli/launcher":   {"internal/clientrules", "internal/json/codec", "internal/naming"},
	"internal/cli/authcheck":  {"internal/cli/endpoint", "internal/naming"},
	"internal/cli/doctor": {
		"internal/address", "internal/cli/launcher", "internal/clientrules", "internal/cli/aiclients", "internal/dotenv", "internal/cli/endpoint", "internal/cli/inspector", "internal/naming",
		"internal/cli/project", "internal/cli/scaffold",
	},
	"internal/cli/inspector":          {"internal/json/codec"},
	"internal/cli/endpoint":           {"internal/naming"},
	"internal/cli/elicitation":        {"internal/json/codec", "internal/naming", "internal/cli/questions", "internal/spec"},
	"internal/cli/arguments":          {"internal/json/codec", "internal/naming", "internal/json/rawjson", "internal/spec"},
	"internal/cli/assessment":         {"internal/clientrules", "internal/json/codec", "internal/spec"},
	"internal/cli/client":             {"internal/json/codec", "internal/cli/endpoint", "internal/json/jsonrpc", "internal/json/mirror", "internal/naming", "internal/spec"},
	"internal/cli/bundle":             {},
	"internal/cli/aiclients":          {"internal/cli/aiclients/document"},
	"internal/cli/aiclients/document": {},
	"internal/cli/dev": {
		"internal/address", "internal/cli/launcher", "internal/json/codec", "internal/cli/dev/eventstream", "internal/cli/dev/process", "internal/dotenv", "internal/json/jsonrpc",
		"internal/limits", "internal/naming", "internal/nonblocking", "internal/json/rawjson",
	},
	"internal/cli/dev/eventstream": {},
	"internal/cli/dev/process":     {"internal/cli/launcher"},
	"internal/cli/questions":       {},
	"internal/cli/scaffold":        {"internal/limits", "internal/naming"},
	"stubs":                        {},
	"internal/cli/project":         {"internal/naming", "internal/cli/scaffold"},

	// The guarded program that clients of other projects log in to.
	"peers/guarded": {
		"framework/auth", "framework/auth/login", "framework/auth/oauth", "framework/auth/oauth/store", "framework/auth/oauth/store/sqlite", "framework/env", "framework/exchange",
		"framework/guardrails", "framework/mcp", "framework/servers", "framework/tools",
	},

	// The program whose tool clients of other projects call through nginx.
	"peers/quiet": {"framework/env", "framework/mcp", "framework/servers", "framework/tools"},

	// Programs that generate parts of the documents.
	"docs/arrows":       {},
	"docs/mutants":      {},
	"docs/road":         {},
	"docs/road/onecall": {"config", "routes", "framework/auth/oauth", "framework/events", "framework/mcp"},
	"docs/soak":         {},
	"docs/soak/login": {
		"framework/auth/login", "framework/auth/oauth", "framework/auth/oauth/store", "framework/auth/oauth/store/sqlite", "framework/events", "framework/mcp",
		"framework/servers", "framework/tools",
	},
	"docs/takeout":     {},
	"docs/soak/victim": {"framework/events", "framework/mcp", "framework/servers", "framework/tools"},
}

// vocabulary lists the internal packages that the vocabulary may import: those that it
// shares with the engine, and those below both.
var vocabulary = []string{
	"internal/engine/attachment", "internal/engine/binding", "internal/engine/chain", "internal/json/codec", "internal/command", "internal/engine/declaration", "internal/engine/dispatch", "internal/dotenv",
	"internal/json/jsonschema", "internal/json/jsonschema/format", "internal/limits", "internal/naming", "internal/nonblocking", "internal/engine/protected", "internal/json/rawjson",
	"internal/engine/request", "internal/engine/seal", "internal/engine/seam", "internal/spec", "framework/auth/oauth/store/internal/sqlstore", "internal/engine/throttle",
}

// owners lists the packages that may import an external module. No package may import a
// module that is missing here. Tests may import all dependencies of the module.
var owners = map[string][]string{
	"charm.land/huh/v2":                      {"internal/cli/questions"},
	"github.com/coreos/go-oidc/v3":           {"framework/auth/upstream"},
	"github.com/gertd/go-pluralize":          {"internal/cli/scaffold"},
	"github.com/go-chi/chi/v5":               {"framework/mcp"},
	"github.com/go-json-experiment/json":     {"internal/json/codec"},
	"github.com/go-playground/validator/v10": {"framework/validation"},
	"github.com/golang-jwt/jwt/v5":           {"framework/auth/jose"},
	"github.com/spf13/cobra":                 {"internal/cli", "internal/cli/generators", "internal/cli/invocation"},
	"github.com/yosida95/uritemplate/v3":     {"framework/resources"},
	"golang.org/x/crypto":                    {"framework/auth/login"},
	"golang.org/x/oauth2":                    {"framework/auth/upstream"},
	"golang.org/x/term":                      {"framework/auth/oauth", "internal/cli/questions"},
	"golang.org/x/sync":                      {"internal/engine/throttle"},
	"golang.org/x/time":                      {"internal/engine/throttle"},
	"github.com/go-oauth2/oauth2/v4":         {"framework/auth/oauth/internal/grants"},
	"modernc.org/sqlite":                     {"framework/store/sqlite"},
	"github.com/pelletier/go-toml/v2":        {"internal/cli/aiclients/document"},
	"github.com/tailscale/hujson":            {"internal/cli/aiclients/document"},
	"github.com/jackc/pgx/v5":                {"framework/store/postgres"},
	"github.com/redis/go-redis/v9":           {"framework/store/redis", "framework/auth/oauth/store/redis"},

	"github.com/rogpeppe/go-internal": {"internal/cli", "internal/cli/scaffold"}, // differences, and in tests scripts and transcripts
}

// maxForeign is the maximum number of packages outside the standard library that a
// program links to serve MCP.
const maxForeign = 12

// A source has the imports of one file.
type source struct {
	file    string // from the root of the module
	imports []string
}

func (s source) folder() string { return path.Dir(s.file) }
func (s source) isTest() bool   { return strings.HasSuffix(s.file, "_test.go") }

// example returns the folder of the example that a package belongs to, or "".
func example(folder string) string {
	if parts := strings.Split(folder, "/"); parts[0] == "examples" && len(parts) > 1 {
		return "examples/" + parts[1]
	}
	return ""
}

func TestPackagesImportOnlyWhatTheTableAllows(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, source := range sources(t) {
		if source.isTest() {
			continue
		}
		folder := source.folder()
		seen[folder] = true
		may, known := allowed[folder]
		if !known && example(folder) == "" {
			t.Errorf("%s: the package %s is not in the table of framework/arch_test.go; add it there with what it may import", source.file, folder)
			continue
		}
		for _, imported := range source.imports {
			own, ok := inModule(imported)
			switch {
			case !ok || slices.Contains(may, own):
			case example(folder) == "":
				t.Errorf("%s: %s may not import %s, only %v", source.file, folder, own, may)
			case !strings.HasPrefix(own, "framework/") && example(own) != example(folder):
				t.Errorf("%s: an example may import framework/* and itself, not %s", source.file, own)
			}
		}
	}
	for folder := range allowed {
		if !seen[folder] {
			t.Errorf("the package %s of the table in framework/arch_test.go doesn't exist; remove it", folder)
		}
	}
}

func TestTheFrameworkDoesNotImportTheReferenceApp(t *testing.T) {
	t.Parallel()
	for _, source := range sources(t) {
		if !strings.HasPrefix(source.file, "framework/") {
			continue
		}
		for _, imported := range source.imports {
			own, ok := inModule(imported)
			first, _, _ := strings.Cut(own, "/")
			if ok && slices.Contains([]string{".", "app", "cmd", "config", "routes", "stubs", "examples"}, first) {
				t.Errorf("%s: the framework, its tests included, may not import %s", source.file, own)
			}
		}
	}
}

func TestEachDependencyHasOneOwner(t *testing.T) {
	t.Parallel()
	for _, source := range sources(t) {
		for _, imported := range source.imports {
			if _, own := inModule(imported); own || !strings.Contains(strings.Split(imported, "/")[0], ".") {
				continue // ours, or the standard library's
			}
			dependency, may := ownersOf(imported)
			switch {
			case dependency == "":
				t.Errorf("%s: %s is a new dependency; it needs an owner in framework/arch_test.go and a line in docs/adr", source.file, imported)
			case !source.isTest() && !slices.Contains(may, source.folder()):
				t.Errorf("%s: only %v may import %s", source.file, may, imported)
			}
		}
	}
}

func TestTheEngineDoesNotImportLegacy(t *testing.T) {
	t.Parallel()
	for _, linked := range dependencies(t, "internal/engine/protocol", "internal/engine/transport") {
		if own, _ := inModule(linked); own == "internal/engine/legacy" {
			t.Error("internal/engine/protocol and internal/engine/transport link internal/engine/legacy; transport declares the interface Legacy, which internal/engine/legacy implements")
		}
	}
}

func TestCallsDoNotImportTransportsOrServers(t *testing.T) {
	t.Parallel()
	for _, linked := range dependencies(t, "internal/engine/protocol", "internal/engine/call", "internal/engine/changes") {
		if own, _ := inModule(linked); slices.Contains([]string{"internal/engine/legacy", "internal/engine/transport", "internal/engine/server"}, own) {
			t.Errorf("internal/engine/protocol, internal/engine/call or internal/engine/changes links %s", own)
		}
	}
}

func TestServersAreCompiledWithoutTheEntryPoints(t *testing.T) {
	t.Parallel()
	for _, linked := range dependencies(t, "internal/engine/server") {
		if own, _ := inModule(linked); own == "framework/mcp" {
			t.Error("internal/engine/server links framework/mcp, which uses it")
		}
	}
}

func TestTheVocabularyImportsOnlySharedPartsOfTheEngine(t *testing.T) {
	t.Parallel()
	entryPoints := []string{"framework/mcp", "framework/mcptest"}
	for _, source := range sources(t) {
		folder := source.folder()
		if source.isTest() || !strings.HasPrefix(folder, "framework/") || slices.Contains(entryPoints, folder) {
			continue
		}
		for _, imported := range source.imports {
			if own, _ := inModule(imported); strings.HasPrefix(own, "internal/") && !slices.Contains(vocabulary, own) {
				t.Errorf("%s: the vocabulary may import of internal only %v, not %s", source.file, vocabulary, own)
			}
		}
	}
}

func TestPackagesForTestsAreImportedByTestsOnly(t *testing.T) {
	t.Parallel()
	for _, source := range sources(t) {
		if source.isTest() || strings.HasSuffix(source.folder(), "test") {
			continue
		}
		for _, imported := range source.imports {
			own, ok := inModule(imported)
			if own == "framework/auth/authtest" && example(source.folder()) != "" {
				continue // an issuer in the process, so that the example runs by itself
			}
			if ok && strings.HasSuffix(own, "test") {
				t.Errorf("%s: only tests may import %s", source.file, own)
			}
		}
	}
}

func TestAnIssuerForTestsDoesNotLinkPackageTesting(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("go", "list", "-deps", module+"/framework/auth/authtest").Output()
	linked := strings.Fields(string(out))
	if err != nil || !slices.Contains(linked, module+"/framework/auth/authtest") || !slices.Contains(linked, "net/http") {
		t.Fatalf("go list: %v, %q", err, linked)
	}
	if slices.Contains(linked, "testing") {
		t.Error("framework/auth/authtest links package testing, but any program can use it; take a TB, as authtest.For does")
	}
}

func TestServingMCPLinksLittle(t *testing.T) {
	t.Parallel()
	var foreign []string
	for _, linked := range dependencies(t, "framework/mcp") {
		if _, own := inModule(linked); !own {
			foreign = append(foreign, linked)
		}
	}
	if len(foreign) == 0 || len(foreign) > maxForeign {
		t.Errorf("framework/mcp links %d packages from outside, at most %d:\n%s", len(foreign), maxForeign, strings.Join(foreign, "\n"))
	}
}

func TestAProgramWithoutGuardsLinksNoVerifier(t *testing.T) {
	t.Parallel()
	for _, linked := range dependencies(t, "framework/mcp", "framework/servers") {
		if own, _ := inModule(linked); strings.HasPrefix(own, "framework/auth") || strings.Contains(linked, "jwt") {
			t.Errorf("framework/mcp or framework/servers links %s; guards fit the interface Guard, so that only programs that use one link it", linked)
		}
	}
}

func TestAProgramWithItsOwnLoginLinksNoOAuthClient(t *testing.T) {
	t.Parallel()
	for _, linked := range dependencies(t, "framework/auth/oauth", "framework/auth/login") {
		if strings.HasPrefix(linked, "github.com/coreos/") || strings.HasPrefix(linked, "golang.org/x/oauth2") || strings.HasPrefix(linked, "github.com/go-jose/") {
			t.Errorf("framework/auth/oauth or framework/auth/login links %s; only programs that import framework/auth/upstream may", linked)
		}
	}
}

func TestTheCommandDoesNotLinkTheFramework(t *testing.T) {
	t.Parallel()
	for _, linked := range dependencies(t, "cmd/mcp") {
		if own, _ := inModule(linked); strings.HasPrefix(own, "framework") {
			t.Errorf("cmd/mcp links %s; it has to build and work whatever state the framework and the app are in", own)
		}
	}
}

func TestTheMapNamesEveryPackage(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	for folder := range allowed {
		if name, ok := strings.CutPrefix(folder, "framework/"); ok && !strings.Contains(name, "/internal/") && !strings.Contains(string(doc), "\n//\t"+name+" ") {
			t.Errorf("framework/doc.go does not say what %s is for", folder)
		}
	}
}

// inModule returns a package of the module by its folder, and whether it is one.
func inModule(imported string) (folder string, ok bool) {
	if imported == module {
		return ".", true
	}
	return strings.CutPrefix(imported, module+"/")
}

// ownersOf returns the dependency that a package belongs to, and the packages that may
// import it.
func ownersOf(imported string) (dependency string, may []string) {
	for dependency, may := range owners {
		if imported == dependency || strings.HasPrefix(imported, dependency+"/") {
			return dependency, may
		}
	}
	return "", nil
}

// sources returns the imports of every Go file of the module, for every system and
// tests included. Nested modules aren't part of it.
func sources(t *testing.T) []source {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	var found []source
	err = filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && file != root && skipped(file):
			return fs.SkipDir
		case entry.IsDir() || filepath.Ext(file) != ".go":
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		s := source{file: filepath.ToSlash(name)}
		for _, spec := range parsed.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			s.imports = append(s.imports, imported)
		}
		found = append(found, s)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	own := slices.IndexFunc(found, func(s source) bool { return s.file == "framework/arch_test.go" })
	if len(found) < 500 || own < 0 || !slices.Contains(found[own].imports, "go/parser") {
		t.Fatalf("the walk finds only %d files, or not this one with its imports", len(found))
	}
	return found
}

// skipped reports whether a folder contains no packages of the module.
func skipped(folder string) bool {
	name := filepath.Base(folder)
	if strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || name == "testdata" || name == "node_modules" {
		return true
	}
	_, err := os.Stat(filepath.Join(folder, "go.mod"))
	return err == nil
}

// dependencies returns all packages outside the standard library that the packages
// link, themselves included.
func dependencies(t *testing.T, folders ...string) []string {
	t.Helper()
	args := []string{"list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}"}
	for _, folder := range folders {
		args = append(args, module+"/"+folder)
	}
	out, err := exec.Command("go", args...).CombinedOutput()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	linked := strings.Fields(string(out))
	for _, folder := range folders {
		if !slices.Contains(linked, module+"/"+folder) {
			t.Fatalf("go %s does not list %s itself, but %q", strings.Join(args, " "), folder, linked)
		}
	}
	return linked
}
