package framework_test

import (
	"fmt"
	"slices"
	"strings"
)

const module = "github.com/bowline-mcp/bowline"

// A group is a set of packages with one purpose.
type group struct {
	name    string
	members []string // packages; "x/..." is x and all below it
	may     []string // what members may import beside each other: groups, and single packages of others
}

// groups lists the groups of the module. A package belongs to the group with the longest member that fits it. Packages whose name ends with
// "test" belong to the tests. The root is ".".
var groups = []group{
	{
		name:    "app",
		members: []string{".", "config", "routes", "app/..."},
		may:     []string{"entry point", "authorization", "stores", "vocabulary"},
	},
	{
		name:    "entry point",
		members: []string{"framework/mcp/..."},
		may:     []string{"vocabulary", "engine", "versions and clients", "JSON", "foundations", "framework/store"},
	},
	{
		name:    "authorization",
		members: []string{"framework/auth/..."},
		may: []string{
			"stores", "JSON", "foundations", "framework/events", "framework/exchange", "framework/guardrails",
			"internal/engine/chain", "internal/engine/dispatch", "internal/engine/protected", "internal/engine/seal", "internal/engine/seam", "internal/engine/throttle",
		},
	},
	{
		name:    "stores",
		members: []string{"framework/store/...", "framework/database/...", "framework/auth/oauth/store/..."},
		may:     []string{"JSON"},
	},
	{
		name:    "vocabulary",
		members: []string{"framework/..."},
		may: []string{
			"JSON", "foundations", "internal/spec",
			"internal/engine/binding", "internal/engine/chain", "internal/engine/declaration", "internal/engine/request", "internal/engine/seam",
		},
	},
	{
		name:    "engine",
		members: []string{"internal/engine/..."},
		may:     []string{"versions and clients", "JSON", "foundations", "framework/exchange", "framework/store"},
	},
	{
		name:    "command",
		members: []string{"cmd/...", "internal/cli/...", "stubs"},
		may:     []string{"versions and clients", "JSON", "foundations"},
	},
	{
		name:    "versions and clients",
		members: []string{"internal/spec", "internal/clientrules"},
		may:     []string{"JSON", "foundations"},
	},
	{
		name:    "JSON",
		members: []string{"internal/json/..."},
		may:     []string{"foundations"},
	},
	{
		name:    "foundations",
		members: []string{"internal/..."},
	},
	{
		name:    "tests",
		members: []string{"internal/test/..."},
		may:     []string{"stores", "engine", "versions and clients", "JSON", "foundations", "framework/exchange"},
	},
	{
		name:    "programs",
		members: []string{"docs/...", "peers/..."},
		may:     []string{"entry point", "authorization", "stores", "vocabulary"},
	},
	{
		name:    "examples",
		members: []string{"examples/..."},
		may:     []string{"entry point", "authorization", "stores", "vocabulary"},
	},
}

// exceptions lists what single packages may import beyond their group.
var exceptions = map[string][]string{
	"framework/auth/oauth":                   {"framework/mcp"}, // adds routes and commands to an app
	"framework/auth/oauth/internal/admin":    {"framework/mcp"},
	"framework/auth/oauth/internal/endpoint": {"framework/mcp"},

	"framework/events":     {"internal/engine/dispatch"},
	"framework/guardrails": {"internal/engine/throttle"},
	"framework/servers":    {"internal/engine/attachment"},
	"framework/store":      {"internal/limits"},

	"internal/engine/attachment":        {"vocabulary"}, // what is added to a server at run time
	"internal/engine/declaration":       {"framework/completion"},
	"internal/engine/server":            {"vocabulary"}, // compiles the servers of a program
	"internal/engine/server/servertest": {"framework/servers"},

	"framework/auth/authtest": {"framework/auth/jose", "framework/auth/internal/issuers"},
	"framework/mcptest":       {"framework/mcp", "vocabulary"}, // the engine, for tests of users
	"docs/soak":               {"framework/auth/authtest"},     // logs its honest client in
	"docs/road/onecall":       {"app"},                         // serves it
	"examples/auth/issuer":    {"framework/auth/authtest"},     // an issuer in the process, so that the example runs by itself
}

// only lists packages that may import less than their group.
var only = map[string][]string{
	"app/mcp/prompts":       {"vocabulary"},
	"app/mcp/resources":     {"vocabulary"},
	"app/mcp/tools":         {"vocabulary"},
	"framework/annotations": {},
	"framework/auth/jose":   {"internal/json/codec", "internal/limits"},
	"framework/content":     {"internal/json/codec"},
	"framework/env":         {"internal/command", "internal/dotenv"},
	"framework/logging":     {"internal/nonblocking", "internal/requestlog"},
	"framework/retry":       {"framework/exchange"},
	"framework/transport":   {},
	"framework/validation":  {},
	"internal/json/codec":   {"internal/json/decimal"},
	"internal/limits":       {}, // every limit, which is read alone
	"stubs":                 {},
}

// groupOf returns the group of a package. Its name is "" if the package has none.
func groupOf(folder string) (of group) {
	if strings.HasSuffix(folder, "test") {
		folder = "internal/test"
	}
	longest := 0
	for _, g := range groups {
		for _, member := range g.members {
			above, all := strings.CutSuffix(member, "/...")
			if folder == member {
				return g
			}
			if fits := folder == above || strings.HasPrefix(folder, above+"/"); all && fits && len(above) > longest {
				longest, of = len(above), g
			}
		}
	}
	return of
}

// mayImport returns all groups and packages of others that a package may import, or of its own group if it may import only those.
func mayImport(folder string) (may []string, own bool) {
	if may, ok := only[folder]; ok {
		return may, false
	}
	return slices.Concat(groupOf(folder).may, exceptions[folder]), true
}

// wrong returns what is wrong if a package imports another one of the module, or "".
func wrong(folder, imported string) string {
	of, to := groupOf(folder).name, groupOf(imported).name
	may, own := mayImport(folder)
	switch {
	case of == "":
		return fmt.Sprintf("the package %s belongs to no group; add it to one in framework/groups_test.go", folder)
	case of == "examples" && to == of:
		own = strings.Split(folder, "/")[1] == strings.Split(imported, "/")[1]
	}
	if of == to && own || slices.Contains(may, to) || slices.Contains(may, imported) {
		return ""
	}
	return fmt.Sprintf("%s (%s) may not import %s (%s), only %q; see framework/groups_test.go", folder, of, imported, to, may)
}
