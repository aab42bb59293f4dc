package doctor

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/bowline-mcp/bowline/internal/cli/finding"
	"github.com/bowline-mcp/bowline/internal/cli/launcher"
	"github.com/bowline-mcp/bowline/internal/cli/project"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// versions compares the version of the framework in go.mod with that of the mcp command.
func (d *Doctor) versions(ctx context.Context) []finding.Finding {
	const subject = "versions"
	if d.App.Module == project.Framework {
		return []finding.Finding{finding.OK(subject, "mcp "+d.Version+"; the app is a part of the framework's module")}
	}
	tool, err := launcher.FindGo(d.root())
	if err != nil {
		return nil // it has been reported
	}
	printed, err := d.run(ctx, tool, "list", "-m", "-f", "{{with .Replace}}{{.Path}} {{.Version}}{{else}}{{.Version}}{{end}}", project.Framework)
	version := strings.TrimSpace(string(printed))
	switch {
	case err != nil && !strings.Contains(version, "not a known dependency"):
		return nil // what is wrong with go.mod has been reported
	case err != nil:
		return []finding.Finding{finding.Broken(subject, "go.mod doesn't require "+project.Framework, "run: go get "+project.Framework)}
	case strings.ContainsAny(version, `/\ `):
		return []finding.Finding{finding.OK(subject, fmt.Sprintf("mcp %s, framework from %s", d.Version, version))}
	case minor(version) != minor(d.Version) && minor(d.Version) != "":
		return []finding.Finding{finding.Hint(subject, fmt.Sprintf("mcp is %s, but go.mod has the framework at %s", d.Version, version),
			fmt.Sprintf("use the same: go install %s/cmd/mcp@%s", project.Framework, version))}
	}
	return []finding.Finding{finding.OK(subject, fmt.Sprintf("mcp %s, framework %s", d.Version, version))}
}

// minor returns a version without its patch, or "" if it is none.
func minor(version string) string {
	parts := strings.Split(version, ".")
	if len(parts) < 3 || !strings.HasPrefix(version, "v") {
		return ""
	}
	return parts[0] + "." + parts[1]
}

// program builds the app, and asks it what it serves, where, and which types it doesn't
// serve.
func (d *Doctor) program(ctx context.Context) []finding.Finding {
	const subject = "app"
	program, err := launcher.Program(ctx, d.App.Root, d.Log)
	outdated := new(launcher.ModuleError)
	switch {
	case errors.As(err, &outdated):
		return []finding.Finding{outOfDate(subject, outdated)}
	case errors.Is(err, launcher.ErrNoGo):
		return nil // it has been reported
	case errors.Is(err, launcher.ErrBuild):
		return []finding.Finding{finding.Broken(subject, launcher.ErrBuild.Error(), "correct what the go command says above")}
	case err != nil:
		return []finding.Finding{broken(subject, err)}
	}
	var declarations []string
	for _, declared := range d.App.Declared() {
		declarations = append(declarations, declared.Argument())
	}
	listed, warnings, err := launcher.List(ctx, d.App.Root, program, declarations...)
	if err != nil {
		return []finding.Finding{broken(subject, err)}
	}
	findings := []finding.Finding{finding.OK(subject, fmt.Sprintf("builds, with %d web and %d local routes", len(listed.Web), len(listed.Local)))}
	for _, warning := range warnings {
		what, fix, _ := strings.Cut(warning, "; ")
		findings = append(findings, finding.Hint("types", what, fix))
	}
	findings = append(findings, openRoutes(listed)...)
	findings = append(findings, refusals(listed)...)
	findings = append(findings, d.lostHandles(listed)...)
	if len(listed.Web) > 0 {
		findings = append(findings, listening(ctx, listed.Address))
	}
	return findings
}

// openRoutes finds routes that everybody can use although nothing says that this is meant.
func openRoutes(listed launcher.Listing) (findings []finding.Finding) {
	for _, route := range listed.Web {
		if route.Access == "open" && !listed.Loopback {
			findings = append(findings, finding.Hint("routes", fmt.Sprintf("%s is open: everybody who can reach the app can use the server", naming.Printable(route.URL)),
				"add a guard to the route, or Public() if that is meant"))
		}
	}
	return findings
}
