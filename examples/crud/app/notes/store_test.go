package notes_test

import (
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/bowline-mcp/bowline/examples/crud/app/notes"
	"github.com/bowline-mcp/bowline/examples/crud/app/notes/notestest"
)

func TestEachFieldIsKept(t *testing.T) {
	store := notestest.Open(t)
	for _, input := range []notes.Fields{notestest.First(), notestest.Second(), notestest.Least()} {
		created := notestest.Create(t, store, notestest.Ana, input)
		if !reflect.DeepEqual(created.Fields, input) || created.Author != notestest.Ana {
			t.Errorf("created %+v, want %+v", created, input)
		}
		if got, err := store.Get(t.Context(), notestest.Ana, created.ID); err != nil || !reflect.DeepEqual(got, created) {
			t.Errorf("got %+v, %v, want %+v", got, err, created)
		}
		changed := notestest.Second()
		if reflect.DeepEqual(input, changed) {
			changed = notestest.First()
		}
		replace := func(kept *notes.Fields) error {
			if !reflect.DeepEqual(*kept, input) {
				t.Errorf("changed are %+v, want %+v", *kept, input)
			}
			*kept = changed
			return nil
		}
		updated, err := store.Update(t.Context(), notestest.Ana, created.ID, replace)
		if err != nil || !reflect.DeepEqual(updated.Fields, changed) || updated.ID != created.ID || updated.Author != created.Author {
			t.Errorf("updated to %+v, %v, want %+v", updated, err, changed)
		}
		if got, err := store.Get(t.Context(), notestest.Ana, created.ID); err != nil || !reflect.DeepEqual(got, updated) {
			t.Errorf("got %+v, %v, want %+v", got, err, updated)
		}
	}
}

func TestAnUpdateThatFailsChangesNothing(t *testing.T) {
	store := notestest.Open(t)
	created := notestest.Create(t, store, notestest.Ana, notestest.First())
	refused := errors.New("refused")
	_, err := store.Update(t.Context(), notestest.Ana, created.ID, func(kept *notes.Fields) error {
		*kept = notestest.Second()
		return refused
	})
	if got, _ := store.Get(t.Context(), notestest.Ana, created.ID); !errors.Is(err, refused) || !reflect.DeepEqual(got, created) {
		t.Errorf("got %+v, %v, want %+v", got, err, created)
	}
}

// listed returns the IDs on a page, and the next cursor.
func listed(t *testing.T, store notes.Store, owner string, query notes.Query) (all []int64, next string) {
	t.Helper()
	page, err := store.List(t.Context(), owner, query)
	if err != nil {
		t.Fatal(err)
	}
	for _, record := range page.Notes {
		all = append(all, record.ID)
	}
	return all, page.NextCursor
}

func TestPagesStayWhileOthersAreAddedAndDeleted(t *testing.T) {
	store := notestest.Open(t)
	for range 5 {
		notestest.Create(t, store, notestest.Ana, notestest.First())
	}
	first, next := listed(t, store, notestest.Ana, notes.Query{Limit: 2})
	notestest.Create(t, store, notestest.Ana, notestest.First())
	if err := store.Delete(t.Context(), notestest.Ana, 4); err != nil {
		t.Fatal(err)
	}
	second, next := listed(t, store, notestest.Ana, notes.Query{Limit: 2, Cursor: next})
	third, end := listed(t, store, notestest.Ana, notes.Query{Limit: 2, Cursor: next})
	if !slices.Equal(first, []int64{5, 4}) || !slices.Equal(second, []int64{3, 2}) || !slices.Equal(third, []int64{1}) || end != "" {
		t.Errorf("the pages are %d, %d and %d, and then %q", first, second, third, end)
	}
	for _, cursor := range []string{"3", "!", "eA"} {
		if _, err := store.List(t.Context(), notestest.Ana, notes.Query{Limit: 2, Cursor: cursor}); !errors.Is(err, notes.ErrBadCursor) {
			t.Errorf("the cursor %q: the error is %v, want ErrBadCursor", cursor, err)
		}
	}
}

func TestTheListHasEachField(t *testing.T) {
	store := notestest.Open(t)
	created := notestest.Create(t, store, notestest.Ana, notestest.First())
	page, err := store.List(t.Context(), notestest.Ana, notes.Query{Limit: 1})
	if err != nil || len(page.Notes) != 1 || !reflect.DeepEqual(page.Notes[0], created) {
		t.Errorf("listed %+v, %v, want %+v", page, err, created)
	}
}

func TestATextIsFoundInEachField(t *testing.T) {
	store := notestest.Open(t)
	notestest.Create(t, store, notestest.Ana, notestest.First())
	notestest.Create(t, store, notestest.Ana, notestest.Second())
	for text, want := range map[string][]int64{
		"":          {2, 1},
		"_":         nil,
		"%1":        nil,
		"!":         nil,
		"(title 1)": {1},
		"(TITLE 2)": {2},
		"(body 1)":  {1},
		"(BODY 2)":  {2},
	} {
		if got, _ := listed(t, store, notestest.Ana, notes.Query{Search: text, Limit: 10}); !slices.Equal(got, want) {
			t.Errorf("%q is found in %d, want %d", text, got, want)
		}
	}
}

func TestTheListIsFilteredByEachField(t *testing.T) {
	store := notestest.Open(t)
	first, second := notestest.First(), notestest.Second()
	notestest.Create(t, store, notestest.Ana, first)
	notestest.Create(t, store, notestest.Ana, second)
	for _, test := range []struct {
		query notes.Query
		want  []int64
	}{
		{notes.Query{Status: &first.Status, Limit: 10}, []int64{1}},
		{notes.Query{Status: &second.Status, Limit: 10}, []int64{2}},
		{notes.Query{Done: &first.Done, Limit: 10}, []int64{1}},
		{notes.Query{Done: &second.Done, Limit: 10}, []int64{2}},
	} {
		if got, _ := listed(t, store, notestest.Ana, test.query); !slices.Equal(got, test.want) {
			t.Errorf("%+v lists %d, want %d", test.query, got, test.want)
		}
	}
}

func TestIDsAreFoundByTheirFirstDigits(t *testing.T) {
	store := notestest.Open(t)
	for range 12 {
		notestest.Create(t, store, notestest.Ana, notestest.First())
	}
	for digits, want := range map[string][]string{"1": {"12", "11"}, "12": {"12"}, "2": {"2"}, "%": nil, "": {"12", "11"}} {
		if got, err := store.IDs(t.Context(), notestest.Ana, digits, 2); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q is completed to %q, %v, want %q", digits, got, err, want)
		}
	}
}

// absent checks that a note doesn't exist for an owner.
func absent(t *testing.T, store notes.Store, owner string, id int64) {
	t.Helper()
	_, got := store.Get(t.Context(), owner, id)
	_, updated := store.Update(t.Context(), owner, id, func(*notes.Fields) error {
		t.Error("the update is made")
		return nil
	})
	for _, err := range []error{got, updated, store.Delete(t.Context(), owner, id)} {
		if !errors.Is(err, notes.ErrNotFound) {
			t.Errorf("the error is %v, want ErrNotFound", err)
		}
	}
	if all, _ := listed(t, store, owner, notes.Query{Limit: 10}); slices.Contains(all, id) {
		t.Errorf("%d is listed", id)
	}
	if found, err := store.IDs(t.Context(), owner, "", 10); err != nil || len(found) > 0 {
		t.Errorf("the IDs are %q, %v", found, err)
	}
}

func TestWhatIsDeletedDoesNotExist(t *testing.T) {
	store := notestest.Open(t)
	created := notestest.Create(t, store, notestest.Ana, notestest.First())
	if err := store.Delete(t.Context(), notestest.Ana, created.ID); err != nil {
		t.Fatal(err)
	}
	absent(t, store, notestest.Ana, created.ID)
}

func TestWhatBelongsToAnotherUserDoesNotExist(t *testing.T) {
	store := notestest.Open(t)
	created := notestest.Create(t, store, notestest.Ana, notestest.First())
	absent(t, store, notestest.Ben, created.ID)
	if got, err := store.Get(t.Context(), notestest.Ana, created.ID); err != nil || !reflect.DeepEqual(got, created) {
		t.Errorf("got %+v, %v, want %+v", got, err, created)
	}
}
