package tools_test

import (
	"context"
	"encoding/json"
	"math/big"
	"net/netip"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/mcptest"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
)

type clientNode struct {
	Name string            `json:"name"`
	Tags map[string]string `json:"tags"`
}

type clientEmbedded struct {
	Inherited []clientNode `json:"inherited"`
}

// clientTypes has a field for each kind of Go type, in the positions in which it may be.
type clientTypes struct {
	clientEmbedded

	String   string          `json:"string" schema:"enum=a|b,default=a"`
	Bool     bool            `json:"bool"`
	Int8     int8            `json:"int8"`
	Uint64   uint64          `json:"uint64"`
	Float    float64         `json:"float" schema:"exclusiveMin=0"`
	Time     time.Time       `json:"time"`
	Duration time.Duration   `json:"duration"`
	Bytes    []byte          `json:"bytes"`
	Address  netip.Addr      `json:"address"`
	Big      *big.Int        `json:"big"`
	Raw      json.RawMessage `json:"raw"`
	Number   json.Number     `json:"number"`
	Quoted   int             `json:"quoted,string"`
	Any      any             `json:"any"`

	Strings  []string                `json:"strings"`
	Matrix   [][]float64             `json:"matrix"`
	Fixed    [3]int                  `json:"fixed"`
	Anys     []any                   `json:"anys"`
	Pointers []*clientNode           `json:"pointers"`
	Map      map[string]int          `json:"map"`
	AnyMap   map[string]any          `json:"anyMap"`
	Lists    map[string][]string     `json:"lists"`
	Nodes    map[string][]clientNode `json:"nodes"`

	Struct    clientNode  `json:"struct"`
	Optional  *clientNode `json:"optional,omitempty"`
	Nullable  *string     `json:"nullable"`
	NullList  *[]string   `json:"nullList"`
	Anonymous struct {
		Deep []struct {
			Deeper [][]string `json:"deeper"`
		} `json:"deep"`
	} `json:"anonymous"`
}

// What the framework infers from Go types is taken by every client.
func TestInferredSchemasAreTakenByClients(t *testing.T) {
	t.Parallel()
	mcptest.Check(t, &server{tools: []servers.Tool{
		tools.Func("all-types", "Takes and returns all types.", func(_ context.Context, in clientTypes) (clientTypes, error) { return in, nil }),
		tools.Func("nothing", "Takes nothing.", func(context.Context, struct{}) (string, error) { return "", nil }),
	}})
}
