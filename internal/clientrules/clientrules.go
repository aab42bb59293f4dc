// Package clientrules finds what AI clients refuse in lists of tools that MCP allows: names,
// schemas and numbers of tools that make a client drop a tool, or the whole list.
//
// Each [Rule] names the clients, what they lose, and where that is documented or was
// reported. [Check] applies the rules to the entries of tools/list. It never changes them.
package clientrules

import (
	"slices"
	"strings"
)

// A Loss is what a client loses by something that it refuses.
type Loss int

// The losses, from the smallest to the greatest.
const (
	// LosesQuality is a loss of quality only: some requests of the client fail, or the client
	// has to change the tool. Advice is enough.
	LosesQuality Loss = iota + 1
	// LosesTool is the loss of the tool. The client still has the others.
	LosesTool
	// LosesList is the loss of the whole list, or of the conversation: the client, or the model's
	// API behind it, refuses every request that contains the list.
	LosesList
)

// String returns the loss in words, such as "the whole list".
func (l Loss) String() string {
	return [...]string{"nothing", "quality", "the tool", "the whole list"}[l]
}

// lossNames are the words for losses in JSON.
var lossNames = []string{"nothing", "quality", "tool", "list"} //nolint:gochecknoglobals // never written

// MarshalText returns the word for the loss in JSON: quality, tool or list.
func (l Loss) MarshalText() ([]byte, error) { return []byte(lossNames[l]), nil }

// UnmarshalText reads the word for a loss. It takes an unknown word as LosesQuality.
func (l *Loss) UnmarshalText(text []byte) error {
	*l = max(LosesQuality, Loss(slices.Index(lossNames, string(text))))
	return nil
}

// A Client is an AI client, or the API of a model to which clients pass tools on.
type Client string

// The clients of the rules, in the order in which reports name them. A client without rules
// isn't among them.
const (
	ClaudeAPI     Client = "Claude API"
	ClaudeDesktop Client = "Claude Desktop"
	ClaudeCode    Client = "Claude Code"
	OpenAI        Client = "OpenAI API"
	Codex         Client = "Codex"
	Gemini        Client = "Gemini API"
	VSCode        Client = "VS Code"
	CopilotCLI    Client = "Copilot CLI"
	JetBrains     Client = "Copilot in JetBrains"
	Cursor        Client = "Cursor"
	Windsurf      Client = "Windsurf"
	OpenCode      Client = "OpenCode"
	OpenHands     Client = "OpenHands"
	Kiro          Client = "Kiro"
	Zed           Client = "Zed"
	TypeScript1   Client = "TypeScript SDK 1" // a client on this SDK
)

// Clients returns the clients that have rules, in the order of reports.
func Clients() []Client {
	return []Client{
		ClaudeAPI, ClaudeDesktop, ClaudeCode, OpenAI, Codex, Gemini, VSCode, CopilotCLI, JetBrains, Cursor, Windsurf, OpenCode, OpenHands, Kiro, Zed, TypeScript1,
	}
}

// A Refusal says what one client loses by breaking a rule.
type Refusal struct {
	Client Client `json:"client"`
	Loses  Loss   `json:"loses"`
}

// A Rule is a restriction that clients put on valid lists of tools.
type Rule struct {
	ID       string // such as "array-without-items"
	Refusals []Refusal
	Problem  string   // what breaks the rule
	Fix      string   // what an author can do
	Sources  []string // URLs, or OWNER/REPOSITORY#NUMBER on GitHub
}

// Loss returns the greatest loss of a client.
func (r *Rule) Loss() (greatest Loss) {
	for _, refusal := range r.Refusals {
		greatest = max(greatest, refusal.Loses)
	}
	return greatest
}

// RefusedBy lists the clients with what they lose, such as "Gemini API (the whole list), VS
// Code (the tool)".
func RefusedBy(refusals []Refusal) string {
	var text strings.Builder
	for i, refusal := range refusals {
		if i > 0 {
			text.WriteString(", ")
		}
		text.WriteString(string(refusal.Client) + " (" + refusal.Loses.String() + ")")
	}
	return text.String()
}

// IDs returns the IDs of all rules.
func IDs() []string {
	ids := make([]string, len(rules))
	for i := range rules {
		ids[i] = rules[i].ID
	}
	return ids
}

// All returns all rules.
func All() []Rule { return slices.Clone(rules) }

// A Finding is a part of a list that breaks a rule.
type Finding struct {
	Rule    *Rule
	Tool    string // "" for the list as a whole
	At      string // the JSON Pointer in the definition of the tool; "" for the list
	Problem string // the problem of the rule, or the one at this place
}

// A Report is a finding with all that a reader needs to know, for JSON.
type Report struct {
	Rule      string    `json:"rule"`
	Tool      string    `json:"tool,omitempty"`
	At        string    `json:"at,omitempty"`
	Problem   string    `json:"problem"`
	Fix       string    `json:"fix"`
	RefusedBy []Refusal `json:"refusedBy"`
}

// Report returns the report of the finding.
func (f Finding) Report() Report {
	return Report{f.Rule.ID, f.Tool, f.At, f.Problem, f.Rule.Fix, f.Rule.Refusals}
}

// Loss returns the greatest loss of a client.
func (r *Report) Loss() Loss { return (&Rule{Refusals: r.RefusedBy}).Loss() }
