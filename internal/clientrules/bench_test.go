package clientrules_test

import (
	"fmt"
	"testing"

	"github.com/bowline-mcp/bowline/internal/clientrules"
)

// usual is the schema of a tool with six arguments, as the schema builder writes it.
const usual = `{"type":"object","properties":{"number":{"type":"string","description":"The order's number, such as A-1001.","pattern":"^[A-Z]-\\d{4}$"},` +
	`"brief":{"type":"boolean","description":"Return the status only.","default":false},"tags":{"type":"array","items":{"type":"string"},"maxItems":5},` +
	`"limit":{"type":"integer","minimum":1,"maximum":100,"default":20},"speed":{"type":"string","enum":["normal","fast"],"default":"normal"},` +
	`"address":{"type":"object","properties":{"city":{"type":"string"},"zip":{"type":"string"}},"required":["city"],"additionalProperties":false}},` +
	`"required":["number","address"],"additionalProperties":false}`

// Each start of a server checks its tools, so 10 of them may take a tenth of a millisecond.
func BenchmarkCheck(b *testing.B) {
	for name, test := range map[string]struct {
		tools int
		least clientrules.Loss
	}{"boot of 10": {10, clientrules.LosesTool}, "all of 100": {100, 0}} {
		b.Run(name, func(b *testing.B) {
			l := clientrules.List{Server: "demo", Modern: true, Least: test.least}
			for i := range test.tools {
				l.Tools = append(l.Tools, fmt.Appendf(nil, `{"name":"tool-%d","title":"Tool","description":"Returns the status of an order.","inputSchema":%s,"outputSchema":%s}`, i, usual, usual))
			}
			b.ReportAllocs()
			for b.Loop() {
				clientrules.Check(l)
			}
		})
	}
}
