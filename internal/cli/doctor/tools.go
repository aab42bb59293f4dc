package doctor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bowline-mcp/bowline/internal/cli/finding"
	"github.com/bowline-mcp/bowline/internal/cli/launcher"
	"github.com/bowline-mcp/bowline/internal/clientrules"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// refusals finds what AI clients refuse in the tools of the app: one finding for each rule
// and server. A server that has several routes is named once.
func refusals(listed launcher.Listing) (findings []finding.Finding) {
	add := func(of string, reports []clientrules.Report) {
		for len(reports) > 0 {
			first := reports[0]
			same := func(r clientrules.Report) bool { return r.Rule == first.Rule }
			var tools []string
			for _, report := range reports {
				if tool := naming.Printable(report.Tool); same(report) && report.Tool != "" && !slices.Contains(tools, tool) {
					tools = append(tools, tool)
				}
			}
			reports = slices.DeleteFunc(slices.Clone(reports), same)
			what := first.Problem
			if len(tools) > 0 {
				what = strings.Join(tools, ", ") + ": " + what
			}
			found := finding.Hint("tools", fmt.Sprintf("%s: %s, refused by %s", of, what, clientrules.RefusedBy(first.RefusedBy)), first.Fix)
			known := func(f finding.Finding) bool { return strings.HasSuffix(f.What, strings.TrimPrefix(found.What, of)) }
			if !slices.ContainsFunc(findings, known) {
				findings = append(findings, found)
			}
		}
	}
	for _, local := range listed.Local {
		add(naming.Printable(local.Handle), local.Refusals)
	}
	for _, web := range listed.Web {
		add(naming.Printable(web.Path), web.Refusals)
	}
	return findings
}
