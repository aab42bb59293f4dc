package servers_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/database/postgres"
	"github.com/bowline-mcp/bowline/framework/database/sqldb"
	"github.com/bowline-mcp/bowline/framework/database/sqlite"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/mcptest"
	"github.com/bowline-mcp/bowline/internal/test/databasetest"
	"github.com/bowline-mcp/bowline/internal/test/gatetest"

	"github.com/bowline-mcp/bowline/examples/crud/app/mcp/servers"
	"github.com/bowline-mcp/bowline/examples/crud/app/notes/notesdb"
)

func TestUsersNeverSeeTheNotesOfOthersInSQLite(t *testing.T) {
	t.Parallel()
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "test.db"))
	if err != nil {
		t.Fatal(err)
	}
	testIsolation(t, db)
}

func TestUsersNeverSeeTheNotesOfOthersInPostgreSQL(t *testing.T) {
	t.Parallel()
	db, err := postgres.Open(t.Context(), databasetest.Postgres(t).URL(t))
	if err != nil {
		t.Fatal(err)
	}
	testIsolation(t, db)
}

// A note is one as clients read it, without its ID and its author.
type note map[string]any

// A model is what the server should do.
type model struct {
	*rand.Rand
	notes map[string]map[int]note // by user and ID
	last  int                     // the last ID
}

// A user has a client of each era.
type user struct {
	name    string
	clients []*mcptest.Client
}

// testIsolation compares random operations of three users, in both eras, with a model in which each user has notes of their own. No
// answer may have a text of another user: each text of a user begins with the user's name.
func testIsolation(t *testing.T, db *sqldb.DB) {
	t.Helper()
	t.Cleanup(func() { _ = db.Close() })
	store, err := notesdb.New(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	seed := rand.Uint64()
	t.Logf("the seed is %d", seed)
	m := &model{rand.New(rand.NewPCG(seed, 0)), map[string]map[int]note{}, 0}
	anonymous := mcptest.New(t, &servers.NotesServer{Notes: store})
	var users []user
	for _, name := range []string{"ana", "ben", "cleo"} {
		m.notes[name] = map[int]note{}
		client := anonymous.As(exchange.Principal{ID: name})
		users = append(users, user{name, []*mcptest.Client{client, client.Speaks("2025-11-25")}})
	}
	kinds := []func(*model, user, *mcptest.Client) (result *mcptest.Result, problem string){
		(*model).create, (*model).create, (*model).list, (*model).show, (*model).update, (*model).delete, (*model).read, (*model).complete, (*model).prompt,
	}
	for i := range gatetest.Rounds(2_000, 10_000) {
		u := users[m.IntN(len(users))]
		result, problem := kinds[m.IntN(len(kinds))](m, u, u.clients[m.IntN(len(u.clients))])
		for _, other := range users {
			if other.name != u.name && strings.Contains(result.Text(), other.name) {
				problem = "it has a text of " + other.name
			}
		}
		if problem != "" {
			t.Fatalf("operation %d, of %s: %s; the answer is %s", i, u.name, problem, result.Text())
		}
	}
	for _, u := range users {
		for _, client := range u.clients {
			if listed := client.Resources(); len(listed) > 0 {
				t.Errorf("the resources of %s are %v", u.name, listed)
			}
		}
	}
}

// fields returns random values of some fields.
func (m *model) fields(u user, all bool) note {
	values := note{
		"title": u.name + strconv.Itoa(m.IntN(30)), "body": u.name + " writes", "done": m.IntN(2) == 0, "due": nil,
		"status": []string{"draft", "published"}[m.IntN(2)], "tags": []any{u.name, "x"}[:m.IntN(3)],
	}
	if m.IntN(2) == 0 {
		values["due"] = fmt.Sprintf("2026-01-%02d", 1+m.IntN(28))
	}
	if !all {
		maps.DeleteFunc(values, func(string, any) bool { return m.IntN(2) == 0 })
	}
	return values
}

// id returns the ID of any note, or of none.
func (m *model) id() int { return 1 + m.IntN(m.last+2) }

// shown returns a note as the server shows it.
func shown(u user, id int, n note) map[string]any {
	all := maps.Clone(n)
	maps.DeleteFunc(all, func(_ string, value any) bool { return value == nil })
	all["id"], all["author"] = float64(id), u.name
	return all
}

// isNote compares the answer to a call with a note. Without one, the answer has to be that of a note that never was.
func isNote(result *mcptest.Result, u user, id int, n note) string {
	switch missing := fmt.Sprintf("There is no note %d. list-notes lists the notes.", id); {
	case n == nil && (!result.Call.IsError || result.Text() != missing):
		return "the answer is another one than for a note that never was"
	case n != nil && (result.Call.IsError || !reflect.DeepEqual(result.Call.StructuredContent, any(shown(u, id, n)))):
		return fmt.Sprintf("want %v", shown(u, id, n))
	}
	return ""
}

func (m *model) create(u user, client *mcptest.Client) (*mcptest.Result, string) {
	n := m.fields(u, true)
	result := client.Call("create-note", mcptest.Args(n))
	m.last++
	m.notes[u.name][m.last] = n
	return result, isNote(result, u, m.last, n)
}

func (m *model) show(u user, client *mcptest.Client) (*mcptest.Result, string) {
	id := m.id()
	result := client.Call("show-note", mcptest.Args{"id": id})
	return result, isNote(result, u, id, m.notes[u.name][id])
}

func (m *model) update(u user, client *mcptest.Client) (*mcptest.Result, string) {
	id, changes := m.id(), m.fields(u, false)
	args := mcptest.Args{"id": id}
	maps.Copy(args, changes)
	result := client.Call("update-note", args)
	if m.notes[u.name][id] != nil {
		maps.Copy(m.notes[u.name][id], changes)
	}
	return result, isNote(result, u, id, m.notes[u.name][id])
}

func (m *model) delete(u user, client *mcptest.Client) (*mcptest.Result, string) {
	id := m.id()
	result := client.Call("delete-note", mcptest.Args{"id": id, "confirmed": true})
	if m.notes[u.name][id] == nil {
		return result, isNote(result, u, id, nil)
	}
	delete(m.notes[u.name], id)
	if result.Call.IsError || !reflect.DeepEqual(result.Call.StructuredContent, map[string]any{"deleted": float64(id)}) {
		return result, "it is not deleted"
	}
	return result, ""
}

// list reads all pages.
func (m *model) list(u user, client *mcptest.Client) (result *mcptest.Result, problem string) {
	args := mcptest.Args{"limit": 1 + m.IntN(40)}
	if m.IntN(2) == 0 {
		args["status"] = "draft"
	}
	if m.IntN(2) == 0 {
		args["done"] = true
	}
	if m.IntN(2) == 0 {
		args["search"] = []string{"ana", "ben1", "CLEO", "%", "_", "Writes"}[m.IntN(6)]
	}
	want := []any{}
	for _, id := range slices.Backward(slices.Sorted(maps.Keys(m.notes[u.name]))) {
		if n := m.notes[u.name][id]; fits(n, args) {
			want = append(want, shown(u, id, n))
		}
	}
	got := []any{}
	for {
		result = client.Call("list-notes", args)
		page, ok := result.Call.StructuredContent.(map[string]any)
		if !ok || result.Call.IsError {
			return result, "it is no page"
		}
		some, _ := page["notes"].([]any)
		got = append(got, some...)
		if page["nextCursor"] == nil {
			break
		}
		args["cursor"] = page["nextCursor"]
	}
	if !reflect.DeepEqual(got, want) {
		return result, fmt.Sprintf("the pages with %v are %v, want %v", args, got, want)
	}
	return result, ""
}

// fits reports whether a list has a note.
func fits(n note, args mcptest.Args) bool {
	search, _ := args["search"].(string)
	text := fmt.Sprint(n["title"], "\n", n["body"])
	return (args["status"] == nil || n["status"] == args["status"]) && (args["done"] == nil || n["done"] == args["done"]) &&
		strings.Contains(text, strings.ToLower(search))
}

func (m *model) read(u user, client *mcptest.Client) (*mcptest.Result, string) {
	id := m.id()
	uri := fmt.Sprintf("app://notes/%d", id)
	result := client.Read(uri)
	switch n := m.notes[u.name][id]; {
	case n == nil && (result.Err == nil || result.Err.Message != "Resource not found: "+uri):
		return result, "the answer is another one than for a resource that never was"
	case n != nil && (result.Err != nil || !strings.Contains(result.Text(), fmt.Sprintf("%q", n["title"]))):
		return result, fmt.Sprintf("want %v", n)
	}
	return result, ""
}

func (m *model) complete(u user, client *mcptest.Client) (result *mcptest.Result, problem string) {
	digits := strconv.Itoa(m.id())
	digits = digits[:m.IntN(len(digits)+1)]
	want := []string{}
	for _, id := range slices.Backward(slices.Sorted(maps.Keys(m.notes[u.name]))) {
		if text := strconv.Itoa(id); strings.HasPrefix(text, digits) && len(want) < 100 {
			want = append(want, text)
		}
	}
	if m.IntN(2) == 0 {
		result = client.CompletePrompt("write-note", "example", digits, nil)
	} else {
		result = client.CompleteResource("app://notes/{id}", "id", digits, nil)
	}
	if result.Completion == nil || !slices.Equal(result.Completion.Values, want) {
		return result, fmt.Sprintf("%q has to be completed to %q", digits, want)
	}
	return result, ""
}

func (m *model) prompt(u user, client *mcptest.Client) (*mcptest.Result, string) {
	id := m.id()
	result := client.Get("write-note", mcptest.Args{"topic": "knots", "example": strconv.Itoa(id)})
	switch n := m.notes[u.name][id]; {
	case n == nil && (result.Err == nil || result.Err.Message != fmt.Sprintf("There is no note %d.", id)):
		return result, "the answer is another one than for a note that never was"
	case n != nil && (result.Err != nil || !strings.Contains(result.Text(), fmt.Sprintf("%q", n["title"]))):
		return result, fmt.Sprintf("want %v", n)
	}
	return result, ""
}
