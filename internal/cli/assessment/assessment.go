// Package assessment assesses the lists of an MCP server as AI clients and models get them:
// what each client refuses, how large the lists are, and which tools a model can't tell
// apart by their descriptions.
package assessment

import (
	"slices"

	"github.com/bowline-mcp/bowline/internal/clientrules"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// Lists are the raw entries of the lists of a server, and what is known about it.
type Lists struct {
	Server string // its handle or URL
	Entry  string // the name under which clients install it

	Tools, Resources, Templates, Prompts [][]byte

	Modern  bool     // whether the entries are those for clients of 2026-07-28
	Ignored []string // the IDs of rules that don't count
}

// A Report is the result of an assessment.
type Report struct {
	Server      string               `json:"server"`
	Entry       string               `json:"entry"`
	Lists       []Size               `json:"lists"`
	Clients     []Verdict            `json:"clients"`
	Findings    []clientrules.Report `json:"findings"`
	Undescribed []string             `json:"withoutDescription"`
	Similar     []Pair               `json:"similarDescriptions"`
}

// A Verdict is what a client does with the list of tools.
type Verdict struct {
	Client clientrules.Client `json:"client"`
	Loses  clientrules.Loss   `json:"loses"`
	Tools  []string           `json:"tools"` // those that are lost, or that make the client refuse the list
	Rules  []string           `json:"rules"` // that they break
}

// Of assesses the lists of a server.
func Of(lists Lists) Report {
	report := Report{
		Server: lists.Server, Entry: lists.Entry, Findings: []clientrules.Report{}, Undescribed: []string{},
		Lists: []Size{
			SizeOf(ListTools, lists.Tools), SizeOf("resources", lists.Resources), SizeOf("templates", lists.Templates), SizeOf("prompts", lists.Prompts),
		},
	}
	for _, finding := range clientrules.Check(clientrules.List{Server: lists.Entry, Tools: lists.Tools, Modern: lists.Modern, Ignored: lists.Ignored}) {
		report.Findings = append(report.Findings, finding.Report())
	}
	for _, client := range clientrules.Clients() {
		report.Clients = append(report.Clients, verdict(client, report.Findings))
	}
	names, descriptions := described(lists.Tools)
	for i, description := range descriptions {
		if description == "" {
			report.Undescribed = append(report.Undescribed, names[i])
		}
	}
	report.Similar = similar(names, descriptions)
	return report
}

// Loss returns the greatest loss of a client.
func (r *Report) Loss() (greatest clientrules.Loss) {
	for _, verdict := range r.Clients {
		greatest = max(greatest, verdict.Loses)
	}
	return greatest
}

// verdict returns what a client does with tools that have findings.
func verdict(client clientrules.Client, findings []clientrules.Report) Verdict {
	v := Verdict{Client: client, Tools: []string{}, Rules: []string{}}
	for _, finding := range findings {
		for _, refusal := range finding.RefusedBy {
			if refusal.Client != client || refusal.Loses < clientrules.LosesTool {
				continue
			}
			v.Loses = max(v.Loses, refusal.Loses)
			if finding.Tool != "" && !slices.Contains(v.Tools, finding.Tool) {
				v.Tools = append(v.Tools, finding.Tool)
			}
			if !slices.Contains(v.Rules, finding.Rule) {
				v.Rules = append(v.Rules, finding.Rule)
			}
		}
	}
	return v
}

// described returns the names and descriptions of tools.
func described(tools [][]byte) (names, descriptions []string) {
	for _, tool := range tools {
		name, _ := codec.Unquote(spec.Lookup(tool, "name"))
		description, _ := codec.Unquote(spec.Lookup(tool, "description"))
		names, descriptions = append(names, name), append(descriptions, description)
	}
	return names, descriptions
}
