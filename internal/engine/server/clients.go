package server

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bowline-mcp/bowline/internal/clientrules"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// maxShown is how many tools a warning names.
const maxShown = 10

// Refusals returns what AI clients refuse in the tools that the server was opened with,
// without advice and without the rules that the server ignores.
func (s *Server) Refusals() []clientrules.Finding { return s.refusals }

// checkIgnored returns an error for each ID that no rule of clients has.
func checkIgnored(ids []string) error {
	var problems []error
	for _, id := range ids {
		known := clientrules.IDs()
		if slices.Contains(known, id) {
			continue
		}
		fix := "the guide lists the rules (docs/guide/clients.md)"
		if nearest := naming.Nearest(id, known); nearest != "" {
			fix = fmt.Sprintf("did you mean %q?", nearest)
		}
		problems = append(problems, fmt.Errorf("IgnoredRules: there is no rule %q; %s", id, fix))
	}
	return errors.Join(problems...)
}

// checkClients finds what clients refuse in the tools of a server that opens, and logs a
// warning for each rule.
func (s *Server) checkClients() {
	s.refusals = s.refused(s.core.ToolDefinitions()...)
	s.warn(s.refusals)
	s.isOpen.Store(true)
}

// refused returns what clients refuse in tools.
func (s *Server) refused(definitions ...[]byte) []clientrules.Finding {
	return clientrules.Check(clientrules.List{
		Server: cmp.Or(s.config.Handle, s.name), Tools: definitions, Modern: true, Least: clientrules.LosesTool, Ignored: s.ignored,
	})
}

// warn logs a warning for each rule, with the tools that break it.
func (s *Server) warn(findings []clientrules.Finding) {
	for len(findings) > 0 {
		first := findings[0]
		var tools []string
		var others []clientrules.Finding
		for _, finding := range findings {
			switch {
			case finding.Rule != first.Rule:
				others = append(others, finding)
			case !slices.Contains(tools, finding.Tool):
				tools = append(tools, finding.Tool)
			}
		}
		named := strings.Join(tools[:min(len(tools), maxShown)], ", ")
		if len(tools) > maxShown {
			named += fmt.Sprintf(" and %d others", len(tools)-maxShown)
		}
		attributes := []any{"server", s.what, "rule", first.Rule.ID, "refused_by", clientrules.RefusedBy(first.Rule.Refusals)}
		if named != "" {
			attributes = append(attributes, "tools", named, "at", first.At)
		}
		s.config.Logger.Warn("AI clients refuse tools: "+first.Problem+"; "+first.Rule.Fix+", or name the rule in IgnoredRules", attributes...)
		findings = others
	}
}
