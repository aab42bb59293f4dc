package env_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/env"
)

// load loads a file and returns the variables that it set. It unsets them afterwards.
func load(t *testing.T, text string, names ...string) (map[string]string, error) {
	t.Helper()
	for _, name := range names {
		t.Setenv(name, "") // so that it is put back
		if err := os.Unsetenv(name); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), ".env")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	err := env.Load(path)
	set := map[string]string{}
	for _, name := range names {
		if value, ok := os.LookupEnv(name); ok {
			set[name] = value
		}
	}
	return set, err
}

func TestLinesOfAFileSetVariables(t *testing.T) {
	for _, test := range []struct{ name, line, want string }{
		{"plain", `BOWLINE_A=value`, "value"},
		{"white space around", "  BOWLINE_A =  a value \t", "a value"},
		{"export", `export BOWLINE_A=value`, "value"},
		{"equals signs inside", `BOWLINE_A=a=b==`, "a=b=="},
		{"comment behind", `BOWLINE_A=value # a comment`, "value"},
		{"number sign inside", `BOWLINE_A=https://example.com/#top`, "https://example.com/#top"},
		{"empty", `BOWLINE_A=`, ""},
		{"single quotes", `BOWLINE_A='a # "b" \n $C'`, `a # "b" \n $C`},
		{"double quotes", `BOWLINE_A="a # 'b'\n\"c\" \\n"`, "a # 'b'\n\"c\" \\n"},
		{"comment behind quotes", `BOWLINE_A='value' # it's a comment`, "value"},
		{"comment with quotes behind quotes", `BOWLINE_A="value" # a "comment"`, "value"},
		{"quoted backslash at the end", `BOWLINE_A="C:\\"`, `C:\`},
		{"line end of Windows", "BOWLINE_A=value\r", "value"},
	} {
		t.Run(test.name, func(t *testing.T) {
			set, err := load(t, "# settings\n\n"+test.line+"\n", "BOWLINE_A")
			if value, ok := set["BOWLINE_A"]; err != nil || !ok || value != test.want {
				t.Errorf("got %q, %v, want %q", set, err, test.want)
			}
		})
	}
}

func TestASetVariableKeepsItsValue(t *testing.T) {
	t.Setenv("BOWLINE_SET", "mine")
	t.Setenv("BOWLINE_EMPTY", "")
	path := filepath.Join(t.TempDir(), ".env")
	if err := os.WriteFile(path, []byte("BOWLINE_SET=theirs\nBOWLINE_EMPTY=theirs"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := env.Load(path); err != nil || os.Getenv("BOWLINE_SET") != "mine" || os.Getenv("BOWLINE_EMPTY") != "" {
		t.Errorf("got %q and %q, %v", os.Getenv("BOWLINE_SET"), os.Getenv("BOWLINE_EMPTY"), err)
	}
}

func TestTheFirstOfTwoLinesWins(t *testing.T) {
	if set, err := load(t, "BOWLINE_A=1\nBOWLINE_A=2", "BOWLINE_A"); err != nil || set["BOWLINE_A"] != "1" {
		t.Errorf("got %q, %v", set, err)
	}
}

func TestAMissingFileIsNotAnError(t *testing.T) {
	if err := env.Load(filepath.Join(t.TempDir(), ".env")); err != nil {
		t.Error(err)
	}
	if err := env.Load(t.TempDir()); err == nil {
		t.Error("a folder was loaded")
	}
}

// Notepad on Windows begins a file with a byte order mark.
func TestAByteOrderMarkIsNoPartOfTheFirstLine(t *testing.T) {
	for _, first := range []string{"\ufeff# settings\nBOWLINE_A=a", "\ufeffBOWLINE_A=a"} {
		values, err := load(t, first, "BOWLINE_A")
		if err != nil || values["BOWLINE_A"] != "a" {
			t.Errorf("%q: got %q, error %v", first, values, err)
		}
	}
}

func TestAnInvalidLineIsReportedWithoutItsValue(t *testing.T) {
	for _, test := range []struct{ line, want string }{
		{`hunter2`, ".env:2: a line must be NAME=value"},
		{`=hunter2`, ".env:2: a line must be NAME=value"},
		{`TWO WORDS=hunter2`, ".env:2: a line must be NAME=value"},
		{`BOWLINE_A='hunter2`, ".env:2: the quoted value of BOWLINE_A has no closing quote"},
		{`BOWLINE_A="hunter2`, ".env:2: the quoted value of BOWLINE_A has no closing quote"},
		{`BOWLINE_A="hunter2\"`, ".env:2: the quoted value of BOWLINE_A has no closing quote"},
	} {
		_, err := load(t, "# settings\n"+test.line, "BOWLINE_A")
		if err == nil || !strings.HasSuffix(err.Error(), test.want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: got the error %v, want %s", test.line, err, test.want)
		}
	}
}

func TestVariablesHaveTypesAndDefaults(t *testing.T) {
	set := func(value string) string {
		t.Helper()
		t.Setenv("BOWLINE_A", value)
		return "BOWLINE_A"
	}
	for _, test := range []struct{ got, want any }{
		{env.String(set(""), "else"), "else"},
		{env.String(set(" x "), "else"), " x "},
		{env.Int(set(""), 7), 7},
		{env.Int(set("-3"), 7), -3},
		{env.Bool(set(""), true), true},
		{env.Bool(set("1"), false), true},
		{env.Bool(set("TRUE"), false), true},
		{env.Bool(set("yes"), false), true},
		{env.Bool(set("on"), false), true},
		{env.Bool(set("0"), true), false},
		{env.Bool(set("False"), true), false},
		{env.Bool(set("no"), true), false},
		{env.Bool(set("off"), true), false},
		{env.Duration(set(""), time.Minute), time.Minute},
		{env.Duration(set("1m30s"), 0), 90 * time.Second},
		{env.List(set("")), []string(nil)},
		{env.List(set(""), "a", "b"), []string{"a", "b"}},
		{env.List(set(" a, b ,,c"), "x"), []string{"a", "b", "c"}},
	} {
		if !reflect.DeepEqual(test.got, test.want) {
			t.Errorf("got %#v, want %#v", test.got, test.want)
		}
	}
}

// Only another process can observe the exit of a program, so this test runs itself again
// as a process that reads a variable.
func TestAnInvalidValueExitsTheProgram(t *testing.T) {
	const key = "0123456789abcdef"
	readers := map[string]func(){
		"int":      func() { env.Int("BOWLINE_A", 0) },
		"bool":     func() { env.Bool("BOWLINE_A", false) },
		"duration": func() { env.Duration("BOWLINE_A", 0) },
	}
	if read := readers[os.Getenv("BOWLINE_READ")]; read != nil {
		read()
		return
	}
	for _, test := range []struct{ read, value, want string }{
		{"int", "4MB", `shop: the environment variable BOWLINE_A is "4MB"; it must be an integer such as 100`},
		{"bool", "maybe", `shop: the environment variable BOWLINE_A is "maybe"; it must be true or false`},
		{"duration", "60", `shop: the environment variable BOWLINE_A is "60"; it must be a duration such as 30s or 5m`},
		{"int", key, `shop: the environment variable BOWLINE_A must be an integer such as 100`},
	} {
		again := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
		again.Args[0] = "./shop"
		again.Env = append(os.Environ(), "BOWLINE_READ="+test.read, "BOWLINE_A="+test.value)
		var stdout, stderr strings.Builder
		again.Stdout, again.Stderr = &stdout, &stderr
		err := again.Run()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 1 || stdout.String() != "" || stderr.String() != test.want+"\n" {
			t.Errorf("%s of %q ends with %v, %q on stdout and %q on stderr, want 1 and %q", test.read, test.value, err, stdout.String(), stderr.String(), test.want)
		}
	}
}
