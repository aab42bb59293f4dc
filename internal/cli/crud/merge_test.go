package crud_test

import (
	"errors"
	"testing"

	"github.com/bowline-mcp/bowline/internal/cli/crud"
)

func TestAChangeIsMergedIntoAnEditedText(t *testing.T) {
	t.Parallel()
	const before, after = "head\na int\nb int\n}\ntail\n", "head\na   int\nb   int\nnew string\n}\ntail\nend\n"
	for _, test := range []struct{ what, edited, want string }{
		{"the text as it was", before, "head\na int\nb int\nnew string\n}\ntail\nend\n"},
		{"lines elsewhere", "mine\nhead\nmine\na int\nb int\n}\nmine\ntail\n", "mine\nhead\nmine\na int\nb int\nnew string\n}\nmine\ntail\nend\n"},
		{"other columns", "head\na     int\nb     int\n}\ntail\n", "head\na     int\nb     int\nnew string\n}\ntail\nend\n"},
		{"a line that is gone elsewhere", "a int\nb int\n}\ntail\n", "a int\nb int\nnew string\n}\ntail\nend\n"},
	} {
		if got, err := crud.Merge(before, after, test.edited); err != nil || got != test.want {
			t.Errorf("%s: %v, got\n%s\nwant\n%s", test.what, err, got, test.want)
		}
	}
}

func TestAChangeOfEditedLinesIsAConflict(t *testing.T) {
	t.Parallel()
	const before, after = "head\nVALUES (a)\n}\ntail\n", "head\nVALUES (a, b)\n}\ntail\n"
	for edited, line := range map[string]int{
		"head\nVALUES (x)\n}\ntail\n":       2,
		"head\nVALUES (a)\nmine\n}\ntail\n": 2,
		"head\nmine\nVALUES (a)\n}\ntail\n": 2,
		"tail\n":                            1,
		"":                                  1,
	} {
		got, err := crud.Merge(before, after, edited)
		if conflict := new(crud.ConflictError); !errors.As(err, &conflict) || conflict.Line != line || conflict.What() != "VALUES (a, b)" {
			t.Errorf("%q: got %q, %v, want a conflict in line %d", edited, got, err, line)
		}
	}
}

func TestALineIsReplaced(t *testing.T) {
	t.Parallel()
	const before, after = "head\nVALUES (a)\n}\ntail\n", "head\nVALUES (a, b)\n}\ntail\n"
	for edited, want := range map[string]string{before: after, "mine\n" + before + "mine\n": "mine\n" + after + "mine\n"} {
		if got, err := crud.Merge(before, after, edited); err != nil || got != want {
			t.Errorf("%v, got\n%s\nwant\n%s", err, got, want)
		}
	}
}
