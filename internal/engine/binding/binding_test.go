package binding_test

import (
	"errors"
	"fmt"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/internal/engine/binding"
)

func from(texts map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		text, ok := texts[name]
		return text, ok
	}
}

type page struct {
	Number int `uri:"page"`
}

type size struct {
	Size uint8 `uri:"size"`
}

// Paging is exported so that a pointer to it can be embedded.
type Paging struct {
	Offset int `uri:"offset"`
}

type target struct {
	page
	size
	*Paging
	Text     string `uri:"text,omitempty"`
	Kept     string `uri:"absent"`
	Untagged string
	Dash     string     `uri:"-"`
	Small    int8       `uri:"small"`
	Big      uint64     `uri:"big"`
	Float    float32    `uri:"float"`
	Yes      bool       `uri:"yes"`
	Time     time.Time  `uri:"time"`
	Pointer  *int       `uri:"pointer"`
	Twice    **string   `uri:"twice"`
	At       *time.Time `uri:"time"`
	Address  netip.Addr `uri:"address"`
	Missing  *int       `uri:"absent"`
}

func TestTextsAreSetByTag(t *testing.T) {
	t.Parallel()
	got := target{Kept: "as it was"}
	err := binding.Set(&got, "uri", from(map[string]string{
		"text": "a/b", "page": "-3", "size": "255", "offset": "7", "small": "-128", "big": "18446744073709551615", "float": "1.5", "yes": "true",
		"time": "2026-01-02T03:04:05Z", "pointer": "5", "twice": "deep", "address": "::1", "Untagged": "no", "-": "no",
	}))
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	want := target{
		page: page{-3}, size: size{255}, Paging: &Paging{7}, Text: "a/b", Kept: "as it was", Small: -128, Big: 18446744073709551615, Float: 1.5,
		Yes: true, Time: at, Pointer: new(5), Twice: new(new("deep")), At: &at, Address: netip.IPv6Loopback(),
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
}

func TestAnEmbeddedPointerStaysNilWithoutTexts(t *testing.T) {
	t.Parallel()
	var got target
	if err := binding.Set(&got, "uri", from(nil)); err != nil || got.Paging != nil {
		t.Errorf("got %+v, %v", got.Paging, err)
	}
}

func TestATextThatDoesNotFitIsNamed(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ text, want string }{
		"page":    {"3.0", `"page" must be a whole number from -9223372036854775808 to 9223372036854775807, not "3.0"`},
		"small":   {"128", `"small" must be a whole number from -128 to 127, not "128"`},
		"size":    {"-1", `"size" must be a whole number from 0 to 255, not "-1"`},
		"float":   {"NaN", `"float" must be a number, not "NaN"`},
		"yes":     {"maybe", `"yes" must be true or false, not "maybe"`},
		"time":    {"noon", `"time" must be a valid Time, not "noon"`},
		"pointer": {"", `"pointer" must be a whole number from -9223372036854775808 to 9223372036854775807, not ""`},
		"big":     {strings.Repeat("9", 99), `"big" must be a whole number from 0 to 18446744073709551615, not "` + strings.Repeat("9", 60) + `"`},
	} {
		t.Run(name, func(t *testing.T) {
			var got target
			err := binding.Set(&got, "uri", from(map[string]string{name: test.text}))
			var bad *binding.ValueError
			if !errors.As(err, &bad) || bad.Name != name || bad.Field == "" || bad.Unwrap() == nil {
				t.Fatalf("got %#v", err)
			}
			if err.Error() != test.want {
				t.Errorf("got  %s\nwant %s", err, test.want)
			}
		})
	}
}

type hidden struct {
	X int `uri:"x"`
}

func TestAStructThatCannotBeSetIsAMistakeOfTheProgram(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		target any
		want   string
	}{
		"nil":               {nil, "<nil> is not a pointer to a struct"},
		"struct":            {target{}, "binding_test.target is not a pointer to a struct"},
		"nil pointer":       {(*target)(nil), "*binding_test.target is not a pointer to a struct"},
		"pointer to string": {new(""), "*string is not a pointer to a struct"},
		"no tag":            {&struct{ X string }{}, "has no field with the tag uri, so nothing can be set; write one, such as `uri:\"name\"`"},
		"another tag": {&struct {
			X string `json:"x"`
		}{}, "has no field with the tag uri"},
		"slice field": {&struct {
			X []string `uri:"x"`
		}{}, "the field X of struct { X []string \"uri:\\\"x\\\"\" } is of type []string"},
		"unexported field": {&struct {
			x string `uri:"x"`
		}{}, "the field x of struct { x string \"uri:\\\"x\\\"\" } has the tag uri, but is not exported"},
		"unexported pointer": {&struct{ *hidden }{}, "the embedded pointer hidden is not exported"},
	} {
		t.Run(name, func(t *testing.T) {
			err := binding.Set(test.target, "uri", from(map[string]string{"x": "1"}))
			var bad *binding.ValueError
			if err == nil || errors.As(err, &bad) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got  %v\nwant …%s…", err, test.want)
			}
		})
	}
}

func ExampleSet() {
	var user struct {
		ID int `uri:"userId"`
	}
	variables := map[string]string{"userId": "123"}
	err := binding.Set(&user, "uri", func(name string) (string, bool) {
		text, ok := variables[name]
		return text, ok
	})
	fmt.Println(user.ID, err)
	// Output: 123 <nil>
}
