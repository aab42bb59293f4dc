package protocol_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/call"
	"github.com/bowline-mcp/bowline/internal/engine/call/calltest"
	"github.com/bowline-mcp/bowline/internal/engine/changes"
	"github.com/bowline-mcp/bowline/internal/engine/protocol"
	"github.com/bowline-mcp/bowline/internal/engine/request"
	"github.com/bowline-mcp/bowline/internal/limits"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// library returns a server with resources. Some are hidden.
func library(t *testing.T) *world {
	t.Helper()
	hidden := &protocol.Resource{Item: item("users://admin", `{}`)}
	hidden.Visible = ann
	secret := templateOf("users://secret/")
	secret.Visible = ann
	foreign := &protocol.Resource{Item: item("users://z%C3%BCrich", `{}`)}
	foreign.Visible = ann
	return newWorld(t).add(t, &protocol.Resource{Item: item("users://me", `{}`)}, hidden, foreign, templateOf("users://"), templateOf("users://old/"), secret)
}

func TestTheMostLiteralTemplateReadsAURI(t *testing.T) {
	t.Parallel()
	w := library(t)
	for _, test := range []struct{ uri, by, id string }{
		{"users://me", "users://me", ""}, {"users://7", "users://{id}", "7"}, {"users://old/7", "users://old/{id}", "7"}, {"users://old/", "users://{id}", "old/"},
	} {
		values := "map[]"
		if test.id != "" {
			values = "map[id:" + test.id + "]"
		}
		want := fmt.Sprintf(`{"did":%[1]q,"uri":%[2]q,"arguments":"","values":%[3]q,"resultType":"complete",%[4]s}`, test.by, test.uri, values, serverInfo)
		assertIs(t, test.uri, w.ask("resources/read", `{"uri":"`+test.uri+`"}`), want)
	}
	assertIs(t, "no text", w.ask("resources/read", `{"uri":7}`), `200 -32602 "Invalid params: the member \"uri\" must be the URI of a resource"`)
	assertIs(t, "none", w.ask("resources/read", `{"uri":"docs://a"}`), `200 -32602 "Resource not found: docs://a"`)
	assertIs(t, "none for older ones", w.askOld(spec.Version20251125, "resources/read", `{"uri":"docs://a"}`), `200 -32002 "Resource not found: docs://a"`)
}

// A wider template doesn't read the URI of a hidden resource.
func TestAHiddenResourceIsNotReadThroughATemplate(t *testing.T) {
	t.Parallel()
	w := library(t)
	for _, uri := range []string{"users://admin", "users://secret/7", "users://%61dmin", "users://%61%64%6D%69%6e", "USERS://admin", "users://z%c3%bcrich", "users://z%C3%BCrich", "users://zürich"} {
		assertIs(t, uri, w.ask("resources/read", `{"uri":"`+uri+`"}`), `200 -32602 "Resource not found: `+uri+`"`)
	}
	w.ctx = exchange.WithPrincipal(t.Context(), exchange.Principal{ID: "ann"})
	for uri, by := range map[string]string{"users://admin": "users://admin", "users://secret/7": "users://secret/{id}"} {
		if got := w.ask("resources/read", `{"uri":"`+uri+`"}`); !strings.HasPrefix(got, `{"did":"`+by+`"`) {
			t.Errorf("ann reads %s: %s", uri, got)
		}
	}
}

func TestAResourceIsTheSameInEachSpellingOfItsURI(t *testing.T) {
	t.Parallel()
	w := library(t)
	for _, uri := range []string{"users://%6de", "users://m%65", "Users://me"} {
		if got := w.ask("resources/read", `{"uri":"`+uri+`"}`); !strings.HasPrefix(got, `{"did":"users://me","uri":"users://me"`) {
			t.Errorf("%s: the handler gets %s", uri, got)
		}
		interest := w.Interest(w.ctx, nil, &request.Client{})
		assertIs(t, uri, w.subscribe(interest, "resources/subscribe", `{"uri":"`+uri+`"}`), `{}`)
		if !interest.Includes(w.updated("users://me")) {
			t.Errorf("%s: the client isn't notified of a change", uri)
		}
		assertIs(t, uri, w.subscribe(interest, "resources/unsubscribe", `{"uri":"users://me"}`), `{}`)
		if interest.Includes(w.updated(uri)) {
			t.Errorf("%s: the client is still notified of changes", uri)
		}
		if !w.ResourceUpdated(uri) {
			t.Errorf("%s: the server doesn't know it", uri)
		}
	}
	if !w.RemoveResource("users://%6de") || w.RemoveResource("users://me") {
		t.Error("another spelling doesn't remove the resource")
	}
}

func TestAClientIsNotifiedOfVisibleResources(t *testing.T) {
	t.Parallel()
	w := library(t)
	for uri, want := range map[string]string{
		"users://me":    `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"users://me"}}`,
		"users://admin": "", "docs://a": "",
	} {
		assertIs(t, uri, string(w.AppendChange(t.Context(), nil, w.updated(uri), nil)), want)
	}
}

// subscribe sends a request of an older client, about a resource.
func (w *world) subscribe(interest *changes.Interest, method, params string) string {
	reply := &calltest.Reply{}
	w.Dispatch(w.ctx, calltest.Arrive(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params), call.Peer{Client: request.Client{Version: spec.Version20251125}, Interest: interest}, reply)
	return outcome(reply)
}

func TestAnOlderClientSubscribesToVisibleResources(t *testing.T) {
	t.Parallel()
	w := library(t)
	interest := w.Interest(w.ctx, nil, &request.Client{})
	for uri, included := range map[string]bool{"users://me": true, "users://7": true, "users://admin": false, "users://%61dmin": false, "docs://a": false} {
		assertIs(t, uri, w.subscribe(interest, "resources/subscribe", `{"uri":"`+uri+`"}`), `{}`) // the answer doesn't reveal that it is hidden
		if got := interest.Includes(w.updated(uri)); got != included {
			t.Errorf("%s is included: %t", uri, got)
		}
		assertIs(t, uri, w.subscribe(interest, "resources/unsubscribe", `{"uri":"`+uri+`"}`), `{}`)
		if interest.Includes(w.updated(uri)) {
			t.Errorf("%s is included afterwards", uri)
		}
	}
	for _, method := range []string{"resources/subscribe", "resources/unsubscribe"} {
		assertIs(t, method, w.subscribe(interest, method, `{"uri":7}`), `200 -32602 "Invalid params: the member \"uri\" must be the URI of a resource"`)
		assertIs(t, method, w.subscribe(nil, method, `{"uri":"users://me"}`), `200 -32601 "Method not found: `+method+`"`)
	}
	for i := range limits.MaxResources {
		if refusal := interest.Add(w.updated("").Topic, fmt.Sprint("users://", i)); refusal != nil {
			t.Fatal(refusal)
		}
	}
	if got := w.subscribe(interest, "resources/subscribe", `{"uri":"users://me"}`); !strings.HasPrefix(got, `200 -32602 "Invalid params: at most 1000 resources`) {
		t.Errorf("one more: %s", got)
	}
	if err := w.addMethod("resources/subscribe", operation("", `{"own":true}`)); err != nil {
		t.Fatal(err)
	}
	assertIs(t, "a method of the program's own", w.subscribe(interest, "resources/subscribe", `{"uri":"users://me"}`), `{"own":true}`)
}

func TestCompletionFindsItsPromptOrTemplate(t *testing.T) {
	t.Parallel()
	w := library(t)
	ask := func(ref, argument string) string {
		return w.ask("completion/complete", `{"ref":`+ref+`,"argument":`+argument+`,"context":{"arguments":{"b":"2"}}}`)
	}
	assertIs(t, "nothing completes", ask(`{"type":"ref/resource","uri":"users://7"}`, `{"name":"a","value":"v"}`), `404 -32601 "Method not found: completion/complete"`)
	completed := func(name string) *call.Operation { in := item(name, `{}`); return in.Operation }
	hidden := &protocol.Prompt{Item: item("hidden", `{}`), Complete: completed("hidden")}
	hidden.Visible = ann
	byTeam := templateOf("teams://")
	byTeam.Complete = completed("teams")
	w.add(t, &protocol.Prompt{Item: item("review", `{}`), Complete: completed("review")}, &protocol.Prompt{Item: item("plain", `{}`)}, hidden, byTeam)
	did := func(name string) string {
		return `{"did":"` + name + `","uri":"","arguments":"","values":"map[b:2]","resultType":"complete",` + serverInfo + `}`
	}
	const none = `{"completion":{"values":[]},"resultType":"complete",` + serverInfo + `}`
	for _, test := range []struct{ ref, want string }{
		{`{"type":"ref/prompt","name":"review"}`, did("review")},
		{`{"type":"ref/prompt","name":"plain"}`, none},
		{`{"type":"ref/prompt","name":"reviwe"}`, `200 -32602 "Unknown prompt \"reviwe\"; did you mean \"review\"?"`},
		{`{"type":"ref/prompt","name":"hidden"}`, `200 -32602 "Unknown prompt \"hidden\""`},
		{`{"type":"ref/resource","uri":"teams://{id}"}`, did("teams")},
		{`{"type":"ref/resource","uri":"teams://blue"}`, did("teams")},
		{`{"type":"ref/resource","uri":"users://{id}"}`, none},
		{`{"type":"ref/resource","uri":"users://me"}`, none},
		{`{"type":"ref/resource","uri":"users://admin"}`, `200 -32602 "Resource not found: users://admin"`},
		{`{"type":"ref/resource","uri":"users://%61dmin"}`, `200 -32602 "Resource not found: users://%61dmin"`},
		{`{"type":"ref/resource","uri":"users://m%65"}`, none},
		{`{"type":"ref/resource","uri":"users://secret/{id}"}`, `200 -32602 "Resource not found: users://secret/{id}"`},
		{`{"type":"ref/resource","uri":"docs://a"}`, `200 -32602 "Resource not found: docs://a"`},
		{`{"type":"ref/tool","name":"a"}`, `200 -32602 "Invalid params: the type of a ref is ref/prompt or ref/resource, not \"ref/tool\""`},
		{`{}`, `200 -32602 "Invalid params: the type of a ref is ref/prompt or ref/resource, not \"\""`},
	} {
		assertIs(t, test.ref, ask(test.ref, `{"name":"a","value":""}`), test.want)
	}
	for _, argument := range []string{`null`, `{}`, `{"name":"a"}`, `{"name":"","value":"v"}`, `{"name":"a","value":7}`} {
		assertIs(t, argument, ask(`{"type":"ref/prompt","name":"review"}`, argument), `200 -32602 "Invalid params: completion needs a ref, and an argument with a name and a value"`)
	}
}

func TestARemovedResourceNoLongerHidesItsSpellings(t *testing.T) {
	t.Parallel()
	w := newWorld(t).add(t, &protocol.Resource{Item: item("users://a/", `{}`)}, &protocol.Resource{Item: item("users://a//", `{}`)}, templateOf("users://"))
	by := func(want string) {
		t.Helper()
		if got := w.ask("resources/read", `{"uri":"users://a"}`); !strings.HasPrefix(got, `{"did":"`+want+`"`) {
			t.Errorf("want %s, got %s", want, got)
		}
	}
	by("users://a/")
	w.RemoveResource("users://a/")
	by("users://a//")
	w.RemoveResource("users://a//")
	by("users://{id}")
}
