package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/bowline-mcp/bowline/internal/cli/assessment"
	"github.com/bowline-mcp/bowline/internal/cli/finding"
	"github.com/bowline-mcp/bowline/internal/cli/questions"
	"github.com/bowline-mcp/bowline/internal/clientrules"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// How many places of a refusal or pairs of tools, and how many tools of a verdict are printed.
const (
	maxPlaces = 10
	maxShown  = 3
)

// write prints the reports.
func (c *check) write(reports []assessment.Report) error {
	if c.json {
		encoded, err := codec.Indent(map[string]any{"servers": reports})
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(c.Stdout, "%s\n", encoded)
		return err
	}
	var text bytes.Buffer
	color := questions.HasColors(c.Stdout)
	for i := range reports {
		if i > 0 {
			text.WriteString("\n")
		}
		writeReport(&text, &reports[i], color)
	}
	_, err := c.Stdout.Write(text.Bytes())
	return err
}

// writeReport prints a report for a person.
func writeReport(out *bytes.Buffer, report *assessment.Report, color bool) {
	_, _ = fmt.Fprintln(out, naming.Printable(report.Server))
	writeTables(out, report)
	findings := slices.Clone(report.Findings)
	slices.SortStableFunc(findings, func(a, b clientrules.Report) int { return cmp.Compare(b.Loss(), a.Loss()) })
	for len(findings) > 0 {
		first := findings[0]
		other := func(f clientrules.Report) bool { return f.Rule != first.Rule }
		writeFinding(out, slices.DeleteFunc(slices.Clone(findings), other), color)
		findings = slices.DeleteFunc(slices.Clone(findings), func(f clientrules.Report) bool { return !other(f) })
	}
	if len(report.Undescribed) > 0 {
		_, _ = fmt.Fprintf(out, "\n%s without a description: %s\n", mark(clientrules.LosesQuality, color), printable(report.Undescribed))
	}
	for _, pair := range report.Similar[:min(len(report.Similar), maxPlaces)] {
		_, _ = fmt.Fprintf(out, "\n%s nearly the same description (%.0f %% of the words): %s\n", mark(clientrules.LosesQuality, color), 100*pair.Similarity, printable(pair.Tools[:]))
	}
	if more := len(report.Similar) - maxPlaces; more > 0 {
		_, _ = fmt.Fprintf(out, "  and %s\n", count(more, "other pair"))
	}
}

// writeSizes prints the sizes of lists.
func writeSizes(out io.Writer, sizes []assessment.Size) {
	width := 10
	for _, size := range sizes {
		width = max(width, len(size.List))
	}
	_, _ = fmt.Fprintf(out, "%-*s %7s %9s %8s\n", width, "LIST", "ENTRIES", "BYTES", "TOKENS")
	for _, size := range sizes {
		line := fmt.Sprintf("%-*s %7d %9d", width, size.List, size.Entries, size.Bytes)
		if size.Tokens > 0 {
			line += fmt.Sprintf(" %8s", fmt.Sprintf("~%d", size.Tokens))
		}
		_, _ = fmt.Fprintln(out, line)
	}
}

// writeTables prints the sizes of the lists and the verdicts of the clients.
func writeTables(out io.Writer, report *assessment.Report) {
	_, _ = fmt.Fprintln(out)
	writeSizes(out, report.Lists)
	_, _ = fmt.Fprintln(out, "The tokens are an estimate: a quarter of the bytes of names, descriptions and schemas of arguments.")
	var table bytes.Buffer
	clients := tabwriter.NewWriter(&table, 0, 0, 3, ' ', 0)
	_, _ = fmt.Fprintln(clients, "\nCLIENT\tREFUSES\tBECAUSE OF")
	for _, verdict := range report.Clients {
		_, _ = fmt.Fprintf(clients, "%s\t%s\t%s\n", verdict.Client, refusal(verdict), because(verdict))
	}
	_ = clients.Flush()
	for line := range strings.Lines(table.String()) {
		_, _ = fmt.Fprintln(out, strings.TrimRight(line, " \n"))
	}
}

// refusal says what a client refuses.
func refusal(verdict assessment.Verdict) string {
	switch {
	case verdict.Loses == clientrules.LosesList:
		return "the whole list"
	case verdict.Loses == clientrules.LosesTool && len(verdict.Tools) > 0:
		return count(len(verdict.Tools), "tool")
	case verdict.Loses == clientrules.LosesTool:
		return "some tools"
	}
	return "nothing"
}

// because says why a client refuses tools.
func because(verdict assessment.Verdict) string {
	text := strings.Join(verdict.Rules, ", ")
	if len(verdict.Tools) > 0 {
		text += " in " + printable(verdict.Tools[:min(len(verdict.Tools), maxShown)])
	}
	if more := len(verdict.Tools) - maxShown; more > 0 {
		text += fmt.Sprintf(" and %s", count(more, "other"))
	}
	return text
}

// writeFinding prints the findings of one rule.
func writeFinding(out io.Writer, findings []clientrules.Report, color bool) {
	first := findings[0]
	_, _ = fmt.Fprintf(out, "\n%s %s: %s\n", mark(first.Loss(), color), first.Rule, shown(first.Problem))
	places := maxPlaces
	if first.Loss() < clientrules.LosesTool {
		places = 1
	}
	for _, one := range findings[:min(len(findings), places)] {
		place := shown(one.Tool) + " " + shown(one.At)
		if one.Problem != first.Problem {
			place += ": " + shown(one.Problem)
		}
		if one.Tool != "" {
			_, _ = fmt.Fprintf(out, "  %s\n", place)
		}
	}
	if more := len(findings) - places; more > 0 {
		_, _ = fmt.Fprintf(out, "  and %d more\n", more)
	}
	_, _ = fmt.Fprintf(out, "  %s\n", first.Fix)
}

// mark returns the mark of a loss.
func mark(loss clientrules.Loss, color bool) string {
	if loss >= clientrules.LosesTool {
		return finding.LevelBroken.Mark(color)
	}
	return finding.LevelHint.Mark(color)
}

// shown returns a text of a server for a terminal. It may be long.
func shown(text string) string { return naming.Printable(naming.Cut(text, 200)) }

// printable returns a list of names of a server.
func printable(names []string) string {
	var all []string
	for _, name := range names {
		all = append(all, shown(name))
	}
	return strings.Join(all, ", ")
}
