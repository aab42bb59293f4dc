package ask

import (
	"errors"
	"fmt"
	"strings"

	"github.com/bowline-mcp/bowline/internal/engine/request"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// A RootsQuestion asks the client for its working folders (MCP 2026-07-28, roots;
// deprecated there). [Roots] makes one.
type RootsQuestion struct{ early[RootsQuestion] }

// Roots asks the client for its working folders. [Answer.Roots] returns them. The client
// may send any path: check it before using it.
func Roots() *RootsQuestion {
	q := &RootsQuestion{}
	q.self, q.draft = q, request.NewDraft(q.compile)
	return q
}

func (q *RootsQuestion) compile() (*checked, error) {
	return &checked{Method: methodRoots, Early: q.isEarly, Kind: compiledRoots{}}, nil
}

// A Root is a folder or file in which a client works (specification: Root).
type Root struct {
	URI  string `json:"uri"` // file:///…
	Name string `json:"name,omitempty"`
}

// compiledRoots is the question for roots, which has no parameters.
type compiledRoots struct{}

func (compiledRoots) Since() spec.Version { return spec.Version20241105 }

func (compiledRoots) Missing(client []byte, _ spec.Version) string {
	if !capabilities(client).declare("roots") {
		return `{"roots":{}}`
	}
	return ""
}

func (compiledRoots) Params([]byte, spec.Version) []byte { return []byte(`{}`) }

func (compiledRoots) Answer(_ request.Call, _ string, raw []byte) (*Answer, error) {
	var result struct {
		Roots []Root `json:"roots"`
	}
	if err := codec.Unmarshal(raw, &result); err != nil {
		return nil, errors.New(codec.Explain(err))
	}
	if spec.Lookup(raw, "roots") == nil { // Go would decode null as an empty array
		return nil, errors.New("/roots is missing; it is an array, which may be empty")
	}
	for i, root := range result.Roots {
		if !strings.HasPrefix(root.URI, "file://") {
			return nil, fmt.Errorf("/roots/%d/uri must begin with file://, got %.100q", i, root.URI)
		}
	}
	return &Answer{roots: result.Roots}, nil
}
