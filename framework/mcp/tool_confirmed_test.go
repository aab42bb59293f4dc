package mcp_test

import (
	"cmp"
	"context"
	"errors"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/schema"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
	"github.com/bowline-mcp/bowline/internal/json/codec"
)

// A wipeTool doesn't override Confirmation.
type wipeTool struct {
	tools.Tool
	tools.Confirmed
	ran atomic.Int32
}

func (*wipeTool) Description() string { return "Wipes a disk." }

func (*wipeTool) Schema(s *schema.Object) {
	s.String("disk").Default("all")
	s.Boolean("force")
}

func (w *wipeTool) Handle(_ context.Context, request *tools.Request) (tools.Result, error) {
	w.ran.Add(1)
	return tools.Text("wiped " + request.String("disk")), nil
}

// A countTool overrides Confirmation, and has an output schema.
type countTool struct {
	tools.Tool
	tools.Confirmed
}

func (*countTool) Description() string           { return "Counts." }
func (*countTool) OutputSchema(s *schema.Object) { s.Integer("n").Required() }
func (*countTool) Confirmation(context.Context, *tools.Request) (string, error) {
	return "Count?", nil
}
func (*countTool) Handle(context.Context, *tools.Request) (tools.Result, error) {
	return tools.Structured(map[string]int{"n": 1}), nil
}

func TestAConfirmedToolRunsAfterTheUserAccepts(t *testing.T) {
	t.Parallel()
	wipe := &wipeTool{}
	p := probeServer(t, mcp.Config{}, boxOf(wipe))
	call := func(arguments, more params) reply {
		given := can(params{"elicitation": params{}}, params{"name": "wipe", "arguments": arguments})
		for name, value := range more {
			given[name] = value
		}
		return p.ask("tools/call", given)
	}
	yes := params{"confirmed": accept(nil)}
	asked := call(params{"disk": "C"}, params{"inputResponses": yes}).round(t) // an unasked answer is ignored
	if got := string(asked.InputRequests["confirmed"].Params); !strings.Contains(got, `"message":"Allow Wipe with {\"disk\":\"C\"}?"`) {
		t.Errorf("the user is asked %s", got)
	}
	if got := string(call(params{"confirmed": false}, nil).round(t).InputRequests["confirmed"].Params); !strings.Contains(got, `Allow Wipe with {\"disk\":\"all\"}?`) {
		t.Errorf("without arguments, the user is asked %s", got)
	}
	if r := call(params{"disk": "D"}, params{"requestState": asked.RequestState, "inputResponses": yes}); r.err == nil {
		t.Errorf("consent counts for other arguments: %s", r.body)
	}
	for _, no := range []string{"decline", "cancel"} {
		r := call(params{"disk": "C"}, params{"requestState": asked.RequestState, "inputResponses": params{"confirmed": params{"action": no}}})
		if !strings.Contains(r.result, `"structuredContent":{"message":"The user did not agree. Do not try again unless the user asks for it.","status":"declined"}`) {
			t.Errorf("%s gets %s", no, r.body)
		}
	}
	if n := wipe.ran.Load(); n != 0 {
		t.Fatalf("the tool ran %d times before the user agreed", n)
	}
	if text, _ := call(params{"disk": "C"}, params{"requestState": asked.RequestState, "inputResponses": yes}).text(); text != "wiped C" {
		t.Errorf("once confirmed, it says %q", text)
	}
	call(params{"confirmed": true}, nil).round(t) // the model's argument is ignored if the client supports questions
	if n := wipe.ran.Load(); n != 1 {
		t.Errorf("the tool ran %d times, and the user agreed once", n)
	}
}

// A freeTool takes any arguments.
type freeTool struct{ wipeTool }

func (*freeTool) Schema(s *schema.Object) { s.Open() }

// The user can't agree to arguments that the question doesn't show.
func TestALongArgumentDoesNotHideTheOthersFromTheUser(t *testing.T) {
	t.Parallel()
	free := &freeTool{}
	c := &wireClient{handler: wireHandler(t, mcp.Config{}, boxOf(free))}
	asked := func(arguments string) string {
		var answer struct {
			Result struct {
				Content []struct {
					Text string `json:"text"`
				} `json:"content"`
				Structured struct {
					Message string `json:"message"`
				} `json:"structuredContent"`
			} `json:"result"`
		}
		body := c.call(t.Context(), `1`, "free", arguments).Body.Bytes()
		if err := codec.Unmarshal(body, &answer); err != nil || len(answer.Result.Content) == 0 {
			t.Fatalf("%v: %s", err, body)
		}
		return cmp.Or(answer.Result.Structured.Message, answer.Result.Content[0].Text)
	}
	long := strings.Repeat("é", 300)
	cut := strings.Repeat("é", 200) + "…"
	for arguments, want := range map[string]string{
		`{"note":"` + long + `","disk":"C"}`:                        `{"note":"` + cut + `","disk":"C"}`,
		`{"mail":{"note":["` + long + `"],"to":"eve"},"disk":"C"}`:  `{"mail":{"note":["` + cut + `"],"to":"eve"},"disk":"C"}`,
		`{"` + long + `":1,"disk":"C"}`:                             `{"` + cut + `":1,"disk":"C"}`,
		`{"disk":"C","to":[1,` + strings.Repeat("\n", 9000) + `2]}`: `{"disk":"C","to":[1,2]}`,
		`{"disk":"\u0043","to":"a \"b\" \\","more":{"\u0061":1}}`:   `{"disk":"C","to":"a \"b\" \\","more":{"a":1}}`,
	} {
		if got := asked(arguments); !strings.HasPrefix(got, "Allow Free with "+want+"? Ask") {
			t.Errorf("with %.60q, the user is asked %s", arguments, got)
		}
	}
	for _, arguments := range []string{
		`{"disk":"C","n":` + strings.Repeat("1", 4000) + `}`,
		`{"disk":"C","list":[` + strings.Repeat(`"x",`, 2000) + `"y"]}`,
	} {
		if got := asked(arguments); !strings.HasPrefix(got, "The user can't be asked to allow this call: its arguments are too long to show") {
			t.Errorf("more than a person reads is asked as %s", got)
		}
	}
	if n := free.ran.Load(); n != 0 {
		t.Errorf("the tool ran %d times", n)
	}
}

func TestAConfirmedToolTellsTheModelToAskIfTheClientCannot(t *testing.T) {
	t.Parallel()
	wipe := &wipeTool{}
	p := probeServer(t, mcp.Config{}, boxOf(wipe, &countTool{}))
	r := p.call("wipe", params{"disk": "C"})
	const want = `"structuredContent":{"message":"Allow Wipe with {\"disk\":\"C\"}? Ask the user, then call again with confirmed set to true.","status":"confirmation_required"}`
	if !strings.Contains(r.result, want) {
		t.Errorf("got %s", r.body)
	}
	if text, failed := p.call("count", nil).text(); !failed || text != "Count? Ask the user, then call again with confirmed set to true." {
		t.Errorf("a tool with an output schema says %q, failed %t", text, failed)
	}
	if text, _ := p.call("wipe", params{"confirmed": true}).text(); text != "wiped all" || wipe.ran.Load() != 1 {
		t.Errorf("with the argument, it says %q", text)
	}
	legacy, _ := p.as("2025-06-18")
	if r := legacy.call("wipe", params{"disk": "C"}); !strings.Contains(r.result, want) {
		t.Errorf("an older client gets %s", r.body)
	}
}

func TestAnOlderClientConfirmsWhileTheToolWaits(t *testing.T) {
	t.Parallel()
	web := httptest.NewServer(wireHandler(t, mcp.Config{}, boxOf(&wipeTool{})))
	t.Cleanup(web.Close)
	c := converse(t, web.URL+"/mcp", "2025-06-18", canFill)
	c.callWith("wipe", `{"confirmed":true}`) // the user is still asked
	asked := c.next()
	if !strings.Contains(string(asked.Params), "Allow Wipe") {
		t.Fatalf("the user is asked %s", asked.Params)
	}
	c.answer(asked, agreed)
	if result := c.next().Result; !strings.Contains(string(result), "wiped all") {
		t.Errorf("got %s", result)
	}
}

func TestConfirmedAddsItsArgumentToTheSchema(t *testing.T) {
	t.Parallel()
	p := probeServer(t, mcp.Config{}, boxOf(&wipeTool{}))
	const want = `"force":{"type":"boolean"},"confirmed":{"type":"boolean","description":"Whether the user has agreed, where the client can't ask. Leave it out, unless told to set it."}}`
	if r := p.ask("tools/list", nil); !strings.Contains(r.result, want) {
		t.Errorf("the list is %s", r.body)
	}
}

type (
	doubleTool struct {
		plain
		tools.Confirmed
	}
	unreadTool struct {
		plain
		tools.Confirmed
	}
	oddTool struct {
		plain
		tools.Confirmed
	}
	forgotTool struct{ plain }
)

func (*doubleTool) Schema(s *schema.Object)         { s.Boolean("confirmed") }
func (*unreadTool) Schema(s *schema.Object)         { s.Raw(`{"type":"object"}`) }
func (*oddTool) Confirmation(*tools.Request) string { return "Sure?" }
func (*forgotTool) Confirmation(context.Context, *tools.Request) (string, error) {
	return "Sure?", nil
}

func TestMistakesWithConfirmedAreFoundAtRegistration(t *testing.T) {
	t.Parallel()
	for want, tool := range map[string]servers.Tool{
		"double (*mcp_test.doubleTool): Schema: tools.Confirmed adds the argument confirmed itself; remove it":                                                 &doubleTool{},
		"unread (*mcp_test.unreadTool): Schema: tools.Confirmed can't add the argument confirmed to a raw schema; describe the arguments by calls":             &unreadTool{},
		"odd (*mcp_test.oddTool): the method Confirmation must be: Confirmation(ctx context.Context, request *tools.Request) (string, error)":                  &oddTool{},
		"forgot (*mcp_test.forgotTool): it has a method Confirmation, which is only called if the tool embeds tools.Confirmed; embed it, or rename the method": &forgotTool{},
	} {
		if err := mcp.Validate(boxOf(tool)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v\nwant %s", err, want)
		}
	}
}

// A shelfTool deletes what is on a shelf.
type shelfTool struct {
	tools.Tool
	tools.Confirmed
	books atomic.Pointer[map[string]string] // titles by number
	ran   atomic.Int32
}

func (*shelfTool) Description() string     { return "Deletes a book." }
func (*shelfTool) Schema(s *schema.Object) { s.String("number").Required() }

func (s *shelfTool) Confirmation(_ context.Context, request *tools.Request) (string, error) {
	number := request.String("number")
	if number == "9" {
		return "", errors.New("dial tcp 10.0.0.7:5432: connection refused")
	}
	title, ok := (*s.books.Load())[number]
	if !ok {
		return "", tools.Errorf("There is no book %s.", number)
	}
	return "Delete " + title + "?", nil
}

func (s *shelfTool) Handle(context.Context, *tools.Request) (tools.Result, error) {
	s.ran.Add(1)
	return tools.Text("deleted"), nil
}

func TestTheUserIsNotAskedAboutWhatDoesNotExist(t *testing.T) {
	t.Parallel()
	shelf := &shelfTool{}
	shelf.books.Store(&map[string]string{"1": "Knots"})
	var log logbook
	p := probeServer(t, mcp.Config{Logger: log.logger()}, boxOf(shelf))
	call := func(number string, more params) reply {
		given := params{"name": "shelf", "arguments": params{"number": number}}
		for name, value := range more {
			given[name] = value
		}
		return p.ask("tools/call", can(params{"elicitation": params{}}, given))
	}
	if text, failed := call("2", nil).text(); !failed || text != "There is no book 2." {
		t.Errorf("a client that can ask gets %q, failed %t", text, failed)
	}
	if text, failed := p.call("shelf", params{"number": "2", "confirmed": true}).text(); !failed || text != "There is no book 2." {
		t.Errorf("a client that can't ask gets %q, failed %t", text, failed)
	}
	if text, failed := call("9", nil).text(); !failed || strings.Contains(text, "10.0.0.7") || !strings.Contains(log.String(), "connection refused") {
		t.Errorf("an unexpected error becomes %q, failed %t, and the log is\n%s", text, failed, log.String())
	}
	asked := call("1", nil).round(t)
	if got := string(asked.InputRequests["confirmed"].Params); !strings.Contains(got, `"message":"Delete Knots?"`) {
		t.Errorf("the user is asked %s", got)
	}
	answered := params{"requestState": asked.RequestState, "inputResponses": params{"confirmed": accept(nil)}}
	shelf.books.Store(&map[string]string{"1": "Sails"}) // the user has agreed to something else
	if got := string(call("1", answered).round(t).InputRequests["confirmed"].Params); !strings.Contains(got, `"message":"Delete Sails?"`) {
		t.Errorf("after a change, the user is asked %s", got)
	}
	shelf.books.Store(&map[string]string{})
	if text, failed := call("1", answered).text(); !failed || text != "There is no book 1." {
		t.Errorf("after a deletion, the client gets %q, failed %t", text, failed)
	}
	if n := shelf.ran.Load(); n != 0 {
		t.Errorf("the tool ran %d times", n)
	}
	shelf.books.Store(&map[string]string{"1": "Knots"})
	if text, _ := call("1", answered).text(); text != "deleted" || shelf.ran.Load() != 1 {
		t.Errorf("once confirmed, it says %q", text)
	}
}
