package completion

import "github.com/bowline-mcp/bowline/internal/json/codec"

// Max is the maximum number of values in a result (specification: CompleteResult).
const Max = 100

// A Result is the value of the member "completion" of a response (specification:
// CompleteResult). A nil Total or HasMore isn't sent.
type Result struct {
	Values  []string
	Total   *int  // the number of all matching values
	HasMore *bool // whether more values match than Values has
}

// Of returns a result with the values and their total. It keeps only the first [Max]
// values.
func Of(values ...string) Result {
	result := Result{Values: values, Total: new(len(values)), HasMore: new(len(values) > Max)}
	return result.cut()
}

// cut returns the result with at most Max values.
func (r Result) cut() Result {
	if len(r.Values) > Max {
		r.Values, r.HasMore = r.Values[:Max], new(true)
	}
	return r
}

type wireResult struct {
	Values  []string `json:"values"`
	Total   *int     `json:"total,omitempty"`
	HasMore *bool    `json:"hasMore,omitempty"`
}

// MarshalJSON encodes the result in its wire form: values are never null, and at most
// [Max].
func (r Result) MarshalJSON() ([]byte, error) { return codec.Marshal(wireResult(r.cut())) }

// UnmarshalJSON decodes a result from its wire form.
func (r *Result) UnmarshalJSON(data []byte) error {
	return codec.Unmarshal(data, (*wireResult)(r))
}
