package protocol_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/call"
	"github.com/bowline-mcp/bowline/internal/engine/call/calltest"
	"github.com/bowline-mcp/bowline/internal/engine/protocol"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// A restReply keeps the shared bytes of an answer.
type restReply struct {
	calltest.Reply
	rest []byte
}

func (r *restReply) Finish(answer call.Answer) {
	r.rest = answer.Rest
	r.Reply.Finish(answer)
}

func arrive(text string) *call.Arrival { return calltest.Arrive("%s", text) }

// raw returns encoded blocks.
func raw(blocks ...string) []protocol.Block {
	var all []protocol.Block
	for _, block := range blocks {
		all = append(all, protocol.RawBlock(block))
	}
	return all
}

func TestTheResultOfAToolHasTheShapeOfTheVersion(t *testing.T) {
	t.Parallel()
	info := spec.NewServerInfo([]byte(`{"name":"test","version":"1"}`))
	const link, hello = `{"type":"resource_link","uri":"a://b","name":"b"}`, `{"type":"text","text":"hello"}`
	for name, test := range map[string]struct {
		result protocol.ToolResult
		want   map[spec.Version]string
	}{
		"blocks": {protocol.ToolResult{Content: raw(hello, link)}, map[spec.Version]string{
			spec.Newest:          `{"resultType":"complete","content":[` + hello + `,` + link + `],` + serverInfo + `}`,
			spec.Version20251125: `{"content":[` + hello + `,` + link + `]}`,
			spec.Version20250326: `{"content":[` + hello + `,{"type":"text","text":"a://b"}]}`,
		}},
		"nothing": {protocol.ToolResult{}, map[spec.Version]string{spec.Version20251125: `{"content":[]}`}},
		"an object": {protocol.ToolResult{Structured: []byte(`{"a":"b"}`)}, map[spec.Version]string{
			spec.Newest:          `{"resultType":"complete","content":[{"type":"text","text":"{\"a\":\"b\"}"}],"structuredContent":{"a":"b"},` + serverInfo + `}`,
			spec.Version20250618: `{"content":[{"type":"text","text":"{\"a\":\"b\"}"}],"structuredContent":{"a":"b"}}`,
			spec.Version20250326: `{"content":[{"type":"text","text":"{\"a\":\"b\"}"}]}`,
		}},
		"a list": {protocol.ToolResult{Structured: []byte(`[1]`), Content: []protocol.Block{}}, map[spec.Version]string{
			spec.Newest:          `{"resultType":"complete","content":[],"structuredContent":[1],` + serverInfo + `}`,
			spec.Version20251125: `{"content":[]}`,
		}},
		"an error with metadata": {protocol.ToolResult{Content: raw(hello), IsError: true, Meta: []byte(`{"k":1}`)}, map[spec.Version]string{
			spec.Newest:          `{"resultType":"complete","content":[` + hello + `],"isError":true,"_meta":{"k":1,` + strings.TrimPrefix(serverInfo, `"_meta":{`) + `}`,
			spec.Version20241105: `{"content":[` + hello + `],"isError":true,"_meta":{"k":1}}`,
		}},
	} {
		for v, want := range test.want {
			if got := string(test.result.Append(nil, v, info)); got != want {
				t.Errorf("%s in %s: got\n%s\nwant\n%s", name, v, got, want)
			}
		}
	}
}

func TestErrReturnsTheTextOfAFailedResult(t *testing.T) {
	t.Parallel()
	for want, result := range map[string]protocol.ToolResult{
		"":                                     {Content: raw(`{"type":"text","text":"fine"}`)},
		"No \"such\" page":                     {IsError: true, Content: raw(`{"type":"image","data":""}`, `{"type":"text","text":"No \"such\" page"}`, `{"type":"text","text":"more"}`)},
		"the result says that the tool failed": {IsError: true, Content: raw(`{"type":"image","data":""}`, `{"type":"text","text":7}`)},
	} {
		got := ""
		if err := result.Err(); err != nil {
			got = err.Error()
		}
		assertIs(t, "the error", got, want)
	}
}

// counted is a block that counts how often it is encoded.
type counted struct{ times *int }

func (c counted) AppendJSON(dst []byte) []byte {
	*c.times++
	return append(dst, `{"type":"text","text":"12345"}`...)
}

func TestTheSizeOfAResultIsTheLengthOfItsJSON(t *testing.T) {
	t.Parallel()
	times := 0
	result := protocol.ToolResult{Content: []protocol.Block{counted{&times}, protocol.RawBlock(`{}`)}, Structured: []byte(`[1]`), Meta: []byte(`{"k":1}`)}
	if got, want := result.Size(), len(`{"type":"text","text":"12345"}`)+len(`{}`)+len(`[1]`)+len(`{"k":1}`); got != want {
		t.Errorf("the size is %d, want %d", got, want)
	}
	result.Append(nil, spec.Newest, spec.NewServerInfo([]byte(`{}`)))
	if times != 1 {
		t.Errorf("a block was encoded %d times", times)
	}
	mirrored := protocol.ToolResult{Structured: []byte(`{"a":1}`)}
	if got, want := mirrored.Size(), len(`{"a":1}`)+len(`"{\"a\":1}"`); got != want {
		t.Errorf("with its mirror the size is %d, want %d", got, want)
	}
	object := protocol.Object{JSON: []byte(`{"a":1}`)}
	if object.Size() != 7 || object.Err() != nil {
		t.Errorf("the size of an object is %d, with %v", object.Size(), object.Err())
	}
}

func TestAnObjectGetsTheMembersOfItsEra(t *testing.T) {
	t.Parallel()
	info := spec.NewServerInfo([]byte(`{"name":"test","version":"1"}`))
	for _, test := range []struct {
		object  string
		hint    *exchange.CacheHint
		version spec.Version
		want    string
	}{
		{`{"a":1}`, nil, spec.Newest, `{"a":1,"resultType":"complete",` + serverInfo + `}`},
		{`{"a":1}`, &exchange.CacheHint{}, spec.Newest, `{"a":1,"resultType":"complete",` + cacheHint + `,` + serverInfo + `}`},
		{`{"a":1}`, &exchange.CacheHint{TTL: time.Second, Public: true}, spec.Newest, `{"a":1,"resultType":"complete","ttlMs":1000,"cacheScope":"public",` + serverInfo + `}`},
		{`{"resultType":"own"}`, nil, spec.Newest, `{"resultType":"own",` + serverInfo + `}`},
		{`{"a":1}`, &exchange.CacheHint{}, spec.Version20251125, `{"a":1}`},
		{`{"contents":[{"uri":"a","_meta":{}}]}`, &exchange.CacheHint{}, spec.Version20250326, `{"contents":[{"uri":"a"}]}`},
	} {
		object := protocol.Object{JSON: []byte(test.object)}
		if test.hint != nil {
			object.Cacheable, object.CacheHint = true, *test.hint
		}
		assertIs(t, test.object, string(object.Append(nil, test.version, info)), test.want)
	}
}

// Guardrails of a list get its page as a result.
func TestAPageIsAResult(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var page call.Result
	w.Core = protocol.New(protocol.Config{Server: w.Server(), Versions: w.Versions(), PageSize: 2, MaxPageSize: 3, List: func(do protocol.Do) *call.Operation {
		return doing("", func(ctx context.Context, k *call.Call) (result call.Result, err error) {
			page, err = do(ctx, k)
			return page, err
		})
	}})
	list := w.add(t, tool("a")).ask("tools/list", `{}`)
	if got := string(page.Append([]byte("is "), spec.Newest, nil)); got != "is "+list || page.Err() != nil || page.Size() < len(list) {
		t.Errorf("got %s of %d bytes, with %v, want %s", got, page.Size(), page.Err(), list)
	}
}
