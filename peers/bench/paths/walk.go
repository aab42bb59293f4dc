package paths

import (
	"encoding/json"
	"fmt"

	"github.com/bowline-mcp/bowline/peers/bench/contenders"
	"github.com/bowline-mcp/bowline/peers/bench/measure"
	"github.com/bowline-mcp/bowline/peers/bench/report"
	"github.com/bowline-mcp/bowline/peers/bench/wire"
)

// firstPage is also Bowline, with repeated requests for the first page.
const firstPage = "bowline, the first page alone"

// walk measures tools/list of a thousand tools, page by page. It compares that with as many requests
// for the first page.
func walk(settings measure.Settings) ([]*report.Report, error) {
	handler, err := contenders.Bowline(contenders.Thousand, endpoint)
	if err != nil {
		return nil, fmt.Errorf("build the bowline server: %w", err)
	}
	var pages []*measure.Handler
	bytes, first := 0, 0
	for cursor := ""; ; {
		page := measure.NewHandler(handler, endpoint, wire.ModernPage(1, cursor))
		defer page.Close()
		var reply struct {
			Result struct {
				Tools      []json.RawMessage `json:"tools"`
				NextCursor string            `json:"nextCursor"`
			} `json:"result"`
		}
		body := page.Do().Body
		if err := json.Unmarshal(body, &reply); err != nil || len(reply.Result.Tools) != wire.Tools {
			return nil, fmt.Errorf("page %d has %d tools, want %d (%w)", len(pages)+1, len(reply.Result.Tools), wire.Tools, err)
		}
		if bytes += len(body); first == 0 {
			first = len(body)
		}
		pages = append(pages, page)
		if cursor = reply.Result.NextCursor; cursor == "" {
			break
		}
	}
	r := &report.Report{
		Title: "tools/list, 1 000 tools, in process", Floor: firstPage,
		Note: fmt.Sprintf("One operation is %d pages of %d tools: the first page each time (%d bytes of each), or all of them (%d bytes together).", len(pages), wire.Tools, first, bytes),
	}
	r.Results, err = measure.RoundRobin(settings, []measure.Variant{
		{Name: firstPage, Run: func(n int) error { return eachPage(n, pages[:1], len(pages)) }},
		{Name: bowline, Run: func(n int) error { return eachPage(n, pages, 1) }},
	})
	if err != nil {
		return nil, err
	}
	perByte := float64(first*len(pages)) / float64(bytes)
	r.Budgets = []report.Budget{{What: "a byte of all pages to one of the first", Measured: r.Ratio(bowline, firstPage) * perByte, Limit: 1.2, Unit: "×"}}
	return []*report.Report{r}, nil
}

// eachPage requests all pages in turn, n × again times.
func eachPage(n int, pages []*measure.Handler, again int) error {
	for range n * again {
		for _, page := range pages {
			if err := page.Run(1); err != nil {
				return err
			}
		}
	}
	return nil
}
