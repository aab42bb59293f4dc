package takeout_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/docs/takeout"
)

// program prints what its functions return.
const program = `package main

import (
	"fmt"
	"strings"
)

type shop struct {
	open   bool
	orders []string
}

func (s *shop) order(name string) (string, error) {
	if name = strings.TrimSpace(name); name == "" || len(name) > 8 {
		return "", fmt.Errorf("no name")
	}
	s.orders = append(s.orders, name)
	switch {
	case !s.open:
		return strings.ToUpper(name), nil
	}
	s.open = false
	return name, nil
}

func count(s *shop) int { return len(s.orders) }

func main() {
	s := shop{open: true}
	first, err := s.order(" tea ")
	second, _ := s.order("a long name")
	third, _ := s.order("milk")
	fmt.Printf("%s %v %q %s %d\n", first, err, second, third, count(&s))
}
`

func TestEachVerbTakesOutWhatItNames(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/shop\n\ngo 1.26\n", "shop/main.go": program} {
		file := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	prints := []struct{ line, want string }{
		{"shop.shop.order: skip open = false", `tea <nil> "" milk 2`},
		{"shop.shop.order: skip orders = append(...)", `tea <nil> "" MILK 0`},
		{"shop.shop.order: false len(...) > 8", `tea <nil> "A LONG NAME" MILK 3`},
		{"shop.shop.order: true !open", `TEA <nil> "" MILK 2`},
		{"shop.shop.order: zero Errorf(...)", `tea <nil> "" MILK 2`},
		{"shop.shop.order: pass ToUpper(...)", `tea <nil> "" milk 2`},
		{`shop.shop.order: pass TrimSpace(name)`, ` tea  <nil> "" MILK 2`},
		{"shop.count: return", `tea <nil> "" MILK 0`},
		{"shop.main: zero open: true", `TEA <nil> "" MILK 2`},
	}
	list := "M01\n"
	for _, p := range prints {
		list += p.line + " -> shop.TestIt\n"
	}
	parsed, err := takeout.Parse(list)
	if err != nil {
		t.Fatal(err)
	}
	module := takeout.NewModule(folder)
	for _, line := range parsed {
		if err := module.Add(line); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	}
	overlay, err := module.WriteOverlay(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(folder, "shop.exe")
	build := exec.Command("go", "build", "-overlay="+overlay, "-o", binary, "./shop")
	build.Dir = folder
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	run := func(id string) string {
		command := exec.Command(binary)
		command.Env = append(os.Environ(), takeout.Variable+"="+id)
		out, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", id, err, out)
		}
		return strings.TrimSuffix(string(out), "\n")
	}
	if got, want := run(""), `tea <nil> "" MILK 2`; got != want {
		t.Errorf("with nothing taken out the program prints %s, want %s", got, want)
	}
	for i, p := range prints {
		if got := run(parsed[i].ID); got != p.want {
			t.Errorf("%s: the program prints %s, want %s", p.line, got, p.want)
		}
	}
}

func TestATakeoutThatIsNotThereOnceIsAnError(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	source := "package main\n\nfunc main() {\n\tn := 1\n\tprintln(n)\n\tprintln(n)\n\tif n == 2 {\n\t}\n}\n"
	if err := os.WriteFile(filepath.Join(folder, "main.go"), []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	module := takeout.NewModule(folder)
	for _, c := range []struct {
		line takeout.Takeout
		want string
	}{
		{takeout.Takeout{Package: "other", Func: "main", Verb: "return"}, "no package"},
		{takeout.Takeout{Package: ".", Func: "serve", Verb: "return"}, "no function serve"},
		{takeout.Takeout{Package: ".", Func: "main", Verb: "skip", Code: "println(n)"}, "2 times"},
		{takeout.Takeout{Package: ".", Func: "main", Verb: "false", Code: "n == 3"}, "0 times"},
		{takeout.Takeout{Package: ".", Func: "main", Verb: "skip", Code: "n := 1"}, "declares"},
		{takeout.Takeout{Package: ".", Func: "main", Verb: "pass", Code: "n == 2"}, "only a call"},
	} {
		if err := module.Add(c.line); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got the error %v, want one with %q", c.line, err, c.want)
		}
	}
}

func TestALineThatSaysNothingIsAnError(t *testing.T) {
	t.Parallel()
	for _, list := range []string{
		"shop.count: return -> shop.TestIt\n", // no row
		"M01\nshop.count: skip -> shop.TestIt\n",
		"M01\nshop.count: return len(...) -> shop.TestIt\n",
		"M01\nshop.count: remove len(...) -> shop.TestIt\n",
		"M01\nshop.count: skip len(...)\n",
	} {
		if _, err := takeout.Parse(list); err == nil || !strings.Contains(err.Error(), "line ") {
			t.Errorf("%q: got the error %v, want one with the line", list, err)
		}
	}
}
