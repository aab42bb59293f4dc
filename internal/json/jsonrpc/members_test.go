package jsonrpc_test

import (
	"slices"
	"testing"

	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
)

func TestMembersOfABatchAreReadOneByOne(t *testing.T) {
	t.Parallel()
	for data, want := range map[string][]string{
		`[]`:    nil,
		" [ ] ": nil,
		`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`:                                         {"1 ping"},
		` [ {"jsonrpc":"2.0","id":1,"method":"ping"} , {"jsonrpc":"2.0","method":"a/b"} ]  `: {"1 ping", " a/b"},
		`[1,"]",[{"a":[]}],{"jsonrpc":"2.0","id":"2","method":"ping"},{}]`:                   {"!", "!", " ", `"2" ping`, "!"},
	} {
		var m jsonrpc.Message
		if err := m.Scan([]byte(data)); err != nil || m.Kind != jsonrpc.Batch {
			t.Errorf("Scan(%s) = kind %v, %v", data, m.Kind, err)
			continue
		}
		var got []string
		for member, err := range m.Members() {
			if err != nil {
				got = append(got, "!")
				continue
			}
			got = append(got, string(member.ID)+" "+string(member.Method))
		}
		if !slices.Equal(got, want) {
			t.Errorf("the members of %s are %q, want %q", data, got, want)
		}
		for _, err := range m.Members() {
			_ = err
			break // an iteration may end early
		}
	}
}
