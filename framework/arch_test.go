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
		"internal/address", "internal/call", "internal/clientrules", "internal/codec", "internal/console", "internal/dispatch", "internal/legacy", "internal/limits",
		"internal/naming", "internal/nonblocking", "internal/protected", "internal/protocol",
		"internal/seal", "internal/server", "internal/spec", "internal/throttle", "internal/transport",
	},
	"framework/mcptest": {
		"framework/ask", "framework/completion", "framework/content", "framework/exchange", "framework/mcp", "framework/prompts", "framework/resources",
		"framework/servers", "framework/tools", "internal/clientrules", "internal/codec", "internal/declaration", "internal/mirror", "internal/naming",
		"internal/rawjson", "internal/request", "internal/seam", "internal/spec",
	},

	// The vocabulary. It imports only the packages that it shares with the engine; see
	// vocabulary below. Its leaves import only the codec.
	"framework/servers": {
		"framework/content", "framework/exchange", "framework/guardrails", "framework/prompts", "framework/resources", "framework/tools",
		"internal/attachment", "internal/limits",
	},
	"framework/tools": {
		"framework/annotations", "framework/content", "framework/exchange", "framework/guardrails", "framework/schema", "internal/codec",
		"internal/request",
	},
	"framework/resources": {
		"framework/completion", "framework/content", "framework/exchange", "framework/guardrails", "internal/binding", "internal/codec",
		"internal/declaration", "internal/limits", "internal/naming", "internal/request", "internal/seam",
	},
	"framework/prompts": {
		"framework/completion", "framework/content", "framework/exchange", "framework/guardrails", "internal/binding", "internal/codec",
		"internal/declaration", "internal/naming", "internal/request", "internal/seam",
	},
	"framework/guardrails": {
		"framework/exchange", "internal/chain", "internal/codec", "internal/limits", "internal/request", "internal/seam", "internal/throttle",
	},
	"framework/events":      {"framework/exchange", "internal/dispatch"},
	"framework/completion":  {"framework/exchange", "internal/codec", "internal/request"},
	"framework/exchange":    {"framework/ask", "framework/content", "internal/codec", "internal/rawjson", "internal/request", "internal/spec"},
	"framework/ask":         {"framework/content", "framework/schema", "internal/codec", "internal/jsonschema", "internal/naming", "internal/request", "internal/spec"},
	"framework/content":     {"internal/codec"},
	"framework/schema":      {"internal/codec", "internal/jsonschema", "internal/jsonschema/format", "internal/naming", "internal/rawjson"},
	"framework/annotations": {},
	"framework/transport":   {},
	"framework/env":         {"internal/dotenv"},
	"framework/logging":     {"internal/nonblocking"},
	"framework/validation":  {},
	"framework/retry":       {"framework/exchange"},
	"framework/auth": {
		"framework/auth/internal/issuers", "framework/auth/jose", "framework/exchange", "framework/guardrails", "internal/chain", "internal/codec",
		"internal/limits", "internal/protected", "internal/seam",
	},
	"framework/auth/internal/issuers": {"framework/auth/jose", "framework/exchange", "internal/codec", "internal/limits", "internal/naming"},
	"framework/auth/jose":             {"internal/codec", "internal/limits"},
	"framework/auth/authtest":         {"framework/auth/jose", "internal/codec"},

	// The stores.
	"framework/store/sqldb":                {},
	"framework/store/sqlite":               {"framework/store/sqldb"},
	"framework/store/postgres":             {"framework/store/sqldb"},
	"framework/store/redis":                {},
	"framework/auth/oauth/store":           {},
	"framework/auth/oauth/store/memory":    {"framework/auth/oauth/store"},
	"framework/auth/oauth/store/sqlite":    {"framework/auth/oauth/store", "internal/sqlstore", "framework/store/sqlite"},
	"framework/auth/oauth/store/postgres":  {"framework/auth/oauth/store", "internal/sqlstore", "framework/store/postgres"},
	"framework/auth/oauth/store/redis":     {"framework/auth/oauth/store", "framework/store/redis", "internal/codec"},
	"internal/sqlstore":                    {"framework/auth/oauth/store", "framework/store/sqldb", "internal/codec"},
	"framework/auth/oauth/store/storetest": {"framework/auth/oauth/store"},

	// The authorization server.
	"framework/auth/oauth": {
		"framework/auth", "framework/auth/internal/issuers", "framework/auth/jose", "framework/auth/oauth/internal/documents", "framework/auth/oauth/internal/grants",
		"framework/auth/oauth/internal/keys", "framework/auth/oauth/internal/metadata", "framework/auth/oauth/internal/pages", "framework/auth/oauth/store",
		"framework/exchange", "framework/mcp", "internal/codec", "internal/command", "internal/limits", "internal/naming", "internal/throttle",
	},
	"framework/auth/login": {"framework/auth/oauth", "framework/auth/oauth/store", "internal/limits", "internal/throttle"},
	"framework/auth/upstream": {
		"framework/auth/oauth", "framework/auth/oauth/store", "framework/exchange", "internal/codec", "internal/limits", "internal/naming", "internal/seal",
	},
	"framework/auth/oauth/internal/documents": {"framework/auth/oauth/internal/metadata", "internal/codec", "internal/limits", "internal/throttle"},
	"framework/auth/oauth/internal/grants":    {"framework/auth/oauth/internal/metadata", "framework/auth/oauth/store", "internal/limits"},
	"framework/auth/oauth/internal/keys":      {"framework/auth/jose"},
	"framework/auth/oauth/internal/pages":     {},
	"framework/auth/oauth/internal/metadata":  {},

	// The foundations of all other packages.
	"internal/codec":             {"internal/decimal"},
	"internal/seal":              {},
	"internal/turn":              {},
	"internal/address":           {},
	"internal/console":           {},
	"internal/dotenv":            {},
	"internal/nonblocking":       {},
	"internal/command":           {},
	"internal/mirror":            {"internal/codec"},
	"internal/naming":            {},
	"internal/binding":           {},
	"internal/throttle":          {"framework/exchange", "internal/fault", "internal/limits"},
	"internal/seam":              {},
	"internal/chain":             {},
	"internal/dispatch":          {},
	"internal/decimal":           {},
	"internal/limits":            {},
	"internal/methods":           {"internal/naming"},
	"internal/rawjson":           {"internal/codec", "internal/decimal"},
	"internal/jsonschema/format": {},
	"internal/jsonschema":        {"internal/codec", "internal/decimal", "internal/jsonschema/format", "internal/limits", "internal/naming", "internal/rawjson"},
	"internal/clientrules":       {"internal/codec", "internal/jsonschema", "internal/limits", "internal/rawjson"},
	"internal/jsonrpc":           {"internal/codec", "internal/limits", "internal/rawjson"},

	// The packages that the vocabulary shares with the engine.
	"internal/spec":        {"internal/codec", "internal/jsonrpc"},
	"internal/request":     {"internal/codec", "internal/jsonschema", "internal/naming", "internal/spec"},
	"internal/declaration": {"framework/completion"},
	"internal/attachment":  {"framework/exchange", "framework/prompts", "framework/resources", "framework/tools"},

	// The engine, with the part of it that protects other handlers of a program too.
	"internal/protected": {"framework/exchange", "internal/codec", "internal/naming", "internal/request"},
	"internal/fault":     {"framework/exchange", "internal/codec", "internal/jsonrpc", "internal/limits", "internal/naming", "internal/spec"},
	"internal/changes":   {"framework/exchange", "internal/codec", "internal/fault", "internal/limits", "internal/naming", "internal/spec", "internal/throttle", "internal/turn"},
	"internal/call": {
		"framework/exchange", "internal/changes", "internal/codec", "internal/fault", "internal/jsonrpc", "internal/limits", "internal/request",
		"internal/seal", "internal/spec", "internal/throttle",
	},
	"internal/protocol": {
		"framework/exchange", "internal/call", "internal/changes", "internal/codec", "internal/fault", "internal/jsonrpc", "internal/limits",
		"internal/naming", "internal/request", "internal/spec", "internal/throttle",
	},
	"internal/resumption": {"framework/exchange", "internal/jsonrpc", "internal/limits", "internal/throttle"},
	"internal/transport": {
		"framework/exchange", "internal/call", "internal/fault", "internal/jsonrpc", "internal/limits", "internal/naming", "internal/protected",
		"internal/protocol", "internal/resumption", "internal/spec", "internal/throttle", "internal/turn",
	},
	"internal/legacy": {
		"framework/exchange", "internal/call", "internal/changes", "internal/codec", "internal/fault", "internal/jsonrpc", "internal/limits",
		"internal/protocol", "internal/request", "internal/resumption", "internal/spec", "internal/throttle", "internal/transport",
	},

	// The compilation of a program's servers for the engine.
	"internal/server": {
		"framework/annotations", "framework/completion", "framework/content", "framework/events", "framework/exchange", "framework/guardrails",
		"framework/prompts", "framework/resources", "framework/schema", "framework/servers", "framework/tools", "internal/attachment",
		"internal/call", "internal/chain", "internal/clientrules", "internal/codec", "internal/declaration", "internal/dispatch", "internal/fault", "internal/jsonrpc",
		"internal/jsonschema", "internal/limits", "internal/methods", "internal/naming", "internal/protected", "internal/protocol", "internal/request",
		"internal/seal", "internal/seam", "internal/spec", "internal/throttle",
	},

	// The packages that tests share.
	"internal/gatetest":            {},
	"internal/machinetest":         {},
	"internal/pipetest":            {},
	"internal/terminaltest":        {"internal/gatetest"},
	"internal/request/requesttest": {"internal/request", "internal/spec"},
	"internal/call/calltest":       {"framework/exchange", "internal/call", "internal/jsonrpc", "internal/seal", "internal/spec", "internal/throttle"},
	"internal/transport/transporttest": {
		"framework/exchange", "internal/call", "internal/call/calltest", "internal/protocol", "internal/spec", "internal/transport",
	},
	"internal/databasetest": {
		"internal/gatetest",
		"framework/auth/oauth/store", "framework/auth/oauth/store/memory", "framework/auth/oauth/store/postgres", "framework/auth/oauth/store/redis", "framework/auth/oauth/store/sqlite",
		"framework/store/postgres", "framework/store/redis",
	},
	"internal/server/servertest": {
		"framework/exchange", "framework/servers", "internal/call", "internal/call/calltest", "internal/codec", "internal/protocol",
		"internal/server", "internal/spec",
	},

	// The command.
	"cmd/mcp": {"internal/cli"},
	"internal/cli": {
		"internal/address", "internal/authcheck", "internal/bundle", "internal/cli/arguments", "internal/cli/assessment", "internal/cli/client", "internal/cli/generators",
		"internal/cli/invocation", "internal/cli/launcher", "internal/clientrules", "internal/clients", "internal/codec", "internal/command", "internal/dev", "internal/doctor", "internal/elicitation", "internal/endpoint", "internal/inspector",
		"internal/naming", "internal/project", "internal/questions", "internal/scaffold", "stubs",
	},
	"internal/cli/generators": {"internal/cli/invocation", "internal/naming", "internal/questions", "internal/scaffold", "stubs"},
	"internal/cli/invocation": {"internal/questions", "internal/scaffold"},
	"internal/cli/launcher":   {"internal/clientrules", "internal/codec", "internal/naming"},
	"internal/authcheck":      {"internal/endpoint", "internal/naming"},
	"internal/doctor": {
		"internal/address", "internal/cli/launcher", "internal/clientrules", "internal/clients", "internal/dotenv", "internal/endpoint", "internal/inspector", "internal/naming",
		"internal/project", "internal/scaffold",
	},
	"internal/inspector":        {"internal/codec"},
	"internal/endpoint":         {"internal/naming"},
	"internal/elicitation":      {"internal/codec", "internal/naming", "internal/questions", "internal/spec"},
	"internal/cli/arguments":    {"internal/codec", "internal/naming", "internal/rawjson", "internal/spec"},
	"internal/cli/assessment":   {"internal/clientrules", "internal/codec", "internal/spec"},
	"internal/cli/client":       {"internal/codec", "internal/endpoint", "internal/jsonrpc", "internal/mirror", "internal/naming", "internal/spec"},
	"internal/bundle":           {},
	"internal/clients":          {"internal/clients/document"},
	"internal/clients/document": {},
	"internal/dev": {
		"internal/address", "internal/cli/launcher", "internal/codec", "internal/dev/eventstream", "internal/dev/process", "internal/dotenv", "internal/jsonrpc",
		"internal/limits", "internal/naming", "internal/nonblocking", "internal/rawjson",
	},
	"internal/dev/eventstream": {},
	"internal/dev/process":     {"internal/cli/launcher"},
	"internal/questions":       {},
	"internal/scaffold":        {"internal/limits", "internal/naming"},
	"stubs":                    {},
	"internal/project":         {"internal/naming", "internal/scaffold"},

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
	"internal/attachment", "internal/binding", "internal/chain", "internal/codec", "internal/command", "internal/declaration", "internal/dispatch", "internal/dotenv",
	"internal/jsonschema", "internal/jsonschema/format", "internal/limits", "internal/naming", "internal/nonblocking", "internal/protected", "internal/rawjson",
	"internal/request", "internal/seal", "internal/seam", "internal/spec", "internal/sqlstore", "internal/throttle",
}

// owners lists the packages that may import an external module. No package may import a
// module that is missing here. Tests may import all dependencies of the module.
var owners = map[string][]string{
	"charm.land/huh/v2":                      {"internal/questions"},
	"github.com/coreos/go-oidc/v3":           {"framework/auth/upstream"},
	"github.com/gertd/go-pluralize":          {"internal/scaffold"},
	"github.com/go-chi/chi/v5":               {"framework/mcp"},
	"github.com/go-json-experiment/json":     {"internal/codec"},
	"github.com/go-playground/validator/v10": {"framework/validation"},
	"github.com/golang-jwt/jwt/v5":           {"framework/auth/jose"},
	"github.com/spf13/cobra":                 {"internal/cli", "internal/cli/generators", "internal/cli/invocation"},
	"github.com/yosida95/uritemplate/v3":     {"framework/resources"},
	"golang.org/x/crypto":                    {"framework/auth/login"},
	"golang.org/x/oauth2":                    {"framework/auth/upstream"},
	"golang.org/x/term":                      {"framework/auth/oauth", "internal/questions"},
	"golang.org/x/sync":                      {"internal/throttle"},
	"golang.org/x/time":                      {"internal/throttle"},
	"github.com/go-oauth2/oauth2/v4":         {"framework/auth/oauth/internal/grants"},
	"modernc.org/sqlite":                     {"framework/store/sqlite"},
	"github.com/pelletier/go-toml/v2":        {"internal/clients/document"},
	"github.com/tailscale/hujson":            {"internal/clients/document"},
	"github.com/jackc/pgx/v5":                {"framework/store/postgres"},
	"github.com/redis/go-redis/v9":           {"framework/store/redis", "framework/auth/oauth/store/redis"},

	"github.com/rogpeppe/go-internal": {"internal/cli", "internal/scaffold"}, // differences, and in tests scripts and transcripts
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
	for _, linked := range dependencies(t, "internal/protocol", "internal/transport") {
		if own, _ := inModule(linked); own == "internal/legacy" {
			t.Error("internal/protocol and internal/transport link internal/legacy; transport declares the interface Legacy, which internal/legacy implements")
		}
	}
}

func TestCallsDoNotImportTransportsOrServers(t *testing.T) {
	t.Parallel()
	for _, linked := range dependencies(t, "internal/protocol", "internal/call", "internal/changes") {
		if own, _ := inModule(linked); slices.Contains([]string{"internal/legacy", "internal/transport", "internal/server"}, own) {
			t.Errorf("internal/protocol, internal/call or internal/changes links %s", own)
		}
	}
}

func TestServersAreCompiledWithoutTheEntryPoints(t *testing.T) {
	t.Parallel()
	for _, linked := range dependencies(t, "internal/server") {
		if own, _ := inModule(linked); own == "framework/mcp" {
			t.Error("internal/server links framework/mcp, which uses it")
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
