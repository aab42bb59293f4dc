package annotations_test

import (
	"reflect"
	"testing"

	"github.com/bowline-mcp/bowline/framework/annotations"
	"github.com/bowline-mcp/bowline/framework/tools"
	"github.com/bowline-mcp/bowline/internal/json/codec"
)

type none struct{}

type all struct {
	annotations.IsReadOnly
	annotations.IsDestructive
	annotations.IsIdempotent
	annotations.IsOpenWorld
}

// denied sets hints to false, one of them despite a marker.
type denied struct{ annotations.IsReadOnly }

func (denied) ReadOnlyHint() bool    { return false }
func (denied) DestructiveHint() bool { return false }

func TestOnlyHintsThatAreSetAreSent(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		of   any
		want string
	}{
		{"nothing", none{}, `{}`},
		{"no tool at all", nil, `{}`},
		{"read-only", struct{ annotations.IsReadOnly }{}, `{"readOnlyHint":true}`},
		{"destructive", struct{ annotations.IsDestructive }{}, `{"destructiveHint":true}`},
		{"idempotent", struct{ annotations.IsIdempotent }{}, `{"idempotentHint":true}`},
		{"open world", struct{ annotations.IsOpenWorld }{}, `{"openWorldHint":true}`},
		{"by a pointer", &all{}, `{"readOnlyHint":true,"destructiveHint":true,"idempotentHint":true,"openWorldHint":true}`},
		{"false by a method", denied{}, `{"readOnlyHint":false,"destructiveHint":false}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			hints := annotations.Of(test.of)
			got, err := codec.Marshal(hints)
			if err != nil || string(got) != test.want {
				t.Errorf("got %s, %v, want %s", got, err, test.want)
			}
			var back annotations.Hints
			if err := codec.Unmarshal(got, &back); err != nil || !reflect.DeepEqual(back, hints) {
				t.Errorf("came back as %+v, %v", back, err)
			}
		})
	}
}

// A marker named like a method of a tool would hide the method, since embedding makes the
// marker's name a field.
func TestNoMarkerHidesAMethod(t *testing.T) {
	t.Parallel()
	contract := reflect.TypeFor[tools.Interface]()
	for field := range reflect.TypeFor[all]().Fields() {
		if _, hidden := contract.MethodByName(field.Name); hidden {
			t.Errorf("the marker %s hides the tool's method", field.Name)
		}
		if _, hidden := field.Type.MethodByName(field.Name); hidden {
			t.Errorf("the marker %s hides its own method", field.Name)
		}
	}
}
