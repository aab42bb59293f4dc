package questions_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/internal/cli/questions"
	"github.com/bowline-mcp/bowline/internal/test/terminaltest"
)

// A person is at a terminal, and sees the screen.
type person struct {
	*questions.Terminal

	keyboard *os.File

	lock   sync.Mutex
	screen bytes.Buffer
}

// newPerson returns a person at a terminal of the given size. The questions of a terminal
// without a size are plain lines.
func newPerson(t *testing.T, columns, rows uint16) *person {
	t.Helper()
	if raced && columns > 0 {
		t.Skip("the library of forms has a race of its own; run without the detector: go test ./internal/cli/questions")
	}
	t.Setenv("CI", "")
	t.Setenv("TERM", "xterm")
	terminal, user := terminaltest.Open(t)
	terminaltest.Resize(t, terminal, columns, rows)
	p := &person{Terminal: questions.Open(terminal, terminal, false), keyboard: user}
	if p.Terminal == nil {
		t.Fatal("nobody can answer")
	}
	go func() {
		part := make([]byte, 4096)
		for {
			n, err := user.Read(part)
			if err != nil {
				return
			}
			p.lock.Lock()
			p.screen.Write(part[:n])
			p.lock.Unlock()
		}
	}()
	return p
}

func (p *person) sees() string {
	p.lock.Lock()
	defer p.lock.Unlock()
	return p.screen.String()
}

// types waits until the screen shows a text, and types the keys.
func (p *person) types(t *testing.T, shown, keys string) {
	t.Helper()
	go func() {
		for range 6000 {
			if strings.Contains(p.sees(), shown) {
				_, _ = io.WriteString(p.keyboard, keys)
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		_ = p.keyboard.Close() // ends the question
	}()
}

func notEmpty(answer string) error {
	if answer == "" {
		return errors.New("the name is empty")
	}
	return nil
}

var fruits = []questions.Option{{Value: "apple", Label: "An apple"}, {Value: "pear", Selected: true}, {Value: "plum"}}

func TestATextIsAskedForUntilItIsValid(t *testing.T) {
	for name, test := range map[string]struct {
		columns, rows uint16
		enter         string
	}{"drawn": {80, 24, "\r"}, "plain": {0, 0, "\n"}} {
		t.Run(name, func(t *testing.T) {
			p := newPerson(t, test.columns, test.rows)
			p.types(t, "What is its name?", test.enter)
			go func() { p.types(t, "the name is empty", "Ana"+test.enter) }()
			answer, err := p.Text("What is its name?", "", notEmpty)
			if answer != "Ana" || err != nil {
				t.Errorf("the answer is %q, %v; the screen shows %q", answer, err, p.sees())
			}
		})
	}
}

// The reader of a question may still wait for keys when the next question begins, and must not take them.
func TestEachQuestionGetsItsKeys(t *testing.T) {
	p := newPerson(t, 80, 24)
	for i := range 30 {
		title := fmt.Sprintf("Number %d?", i)
		p.types(t, title, "Ana\r")
		if answer, err := p.Text(title, "", notEmpty); answer != "Ana" || err != nil {
			t.Fatalf("question %d: the answer is %q, %v", i, answer, err)
		}
	}
}

func TestOneOptionIsChosen(t *testing.T) {
	for name, test := range map[string]struct {
		columns, rows uint16
		keys          string
	}{"drawn": {80, 24, "\x1b[B\x1b[B\r"}, "plain": {0, 0, "3\n"}, "on a small screen": {20, 5, "3\n"}} {
		t.Run(name, func(t *testing.T) {
			p := newPerson(t, test.columns, test.rows)
			p.types(t, "An apple", test.keys)
			answer, err := p.Choose("Which one?", fruits)
			if answer != "plum" || err != nil {
				t.Errorf("the answer is %q, %v; the screen shows %q", answer, err, p.sees())
			}
		})
	}
}

func TestAPlainChoiceSaysWhatAnEmptyLineMeans(t *testing.T) {
	p := newPerson(t, 0, 0)
	p.types(t, "Enter alone means 1.", "\n")
	if answer, err := p.Choose("Which one?", fruits); answer != "apple" || err != nil {
		t.Errorf("the answer is %q, %v; the screen shows %q", answer, err, p.sees())
	}
}

// The pear is ticked before the person begins.
func TestSeveralOptionsAreChosen(t *testing.T) {
	for name, test := range map[string]struct {
		columns, rows uint16
		keys          string
	}{"drawn": {80, 24, "\x1b[A \r"}, "plain": {0, 0, "1\n0\n"}} {
		t.Run(name, func(t *testing.T) {
			p := newPerson(t, test.columns, test.rows)
			p.types(t, "plum", test.keys)
			answers, err := p.ChooseSome("Which ones?", fruits)
			if !slices.Equal(answers, []string{"apple", "pear"}) || err != nil {
				t.Errorf("the answers are %q, %v; the screen shows %q", answers, err, p.sees())
			}
		})
	}
}

func TestTheLinesAfterATitleDescribeTheChoice(t *testing.T) {
	for name, test := range map[string]struct {
		columns, rows uint16
		keys          string
	}{"drawn": {80, 24, "\r"}, "plain": {0, 0, "0\n"}} {
		t.Run(name, func(t *testing.T) {
			p := newPerson(t, test.columns, test.rows)
			p.types(t, "plum", test.keys)
			answers, err := p.ChooseSome("Which ones?\nAll are ripe.\nEat them soon.", fruits)
			if !slices.Equal(answers, []string{"pear"}) || err != nil {
				t.Errorf("the answers are %q, %v", answers, err)
			}
			for _, shown := range []string{"Which ones?", "All are ripe.", "Eat them soon.", "An apple", "pear"} {
				if !strings.Contains(p.sees(), shown) {
					t.Errorf("the screen doesn't show %q: %q", shown, p.sees())
				}
			}
		})
	}
}

func TestTheTitleOfALongChoiceStaysOnTheScreen(t *testing.T) {
	p := newPerson(t, 80, 10)
	var options []questions.Option
	for i := range 30 {
		options = append(options, questions.Option{Value: fmt.Sprintf("fruit %d", i)})
	}
	p.types(t, "fruit 6", strings.Repeat("\x1b[B", 20)+"\r")
	answer, err := p.Choose("Which one?", options)
	if answer != "fruit 20" || err != nil || !strings.Contains(p.sees(), "Which one?") {
		t.Errorf("the answer is %q, %v; the screen shows %q", answer, err, p.sees())
	}
}

// A terminal that doesn't draw, such as one of TERM=dumb, shows the codes of colors as they are.
func TestPlainLinesHaveNoColors(t *testing.T) {
	p := newPerson(t, 0, 0)
	p.types(t, "Its name?", "\nAna\n")
	if answer, err := p.Text("Its name?", "", notEmpty); answer != "Ana" || err != nil {
		t.Fatal(answer, err)
	}
	p.types(t, "Which one?", "7\n3\n")
	if answer, err := p.Choose("Which one?", fruits); answer != "plum" || err != nil {
		t.Fatal(answer, err)
	}
	p.types(t, "Which ones?", "1\n0\n")
	if _, err := p.ChooseSome("Which ones?", fruits); err != nil {
		t.Fatal(err)
	}
	if screen := p.sees(); strings.Contains(screen, "\x1b") {
		t.Errorf("the screen shows %q", screen)
	}
}

func TestAQuestionThatIsCanceledHasNoAnswer(t *testing.T) {
	for name, test := range map[string]struct {
		columns, rows uint16
		keys          string
	}{"drawn, Ctrl-C": {80, 24, "\x03"}, "plain, end of the input": {0, 0, "\x04"}} {
		t.Run(name, func(t *testing.T) {
			p := newPerson(t, test.columns, test.rows)
			p.types(t, "An apple", test.keys)
			answer, err := p.Choose("Which one?", fruits)
			if isInterrupted := errors.Is(err, questions.ErrInterrupted); !errors.Is(err, questions.ErrCanceled) || isInterrupted != (name == "drawn, Ctrl-C") {
				t.Errorf("the answer is %q, %v; the screen shows %q", answer, err, p.sees())
			}
			if name != "drawn, Ctrl-C" {
				p.types(t, "name", test.keys)
				if answer, err := p.Text("Its name?", "", notEmpty); !errors.Is(err, questions.ErrCanceled) {
					t.Errorf("the answer is %q, %v; the screen shows %q", answer, err, p.sees())
				}
			}
		})
	}
}

func TestNobodyIsAskedWithoutATerminal(t *testing.T) {
	terminal, _ := terminaltest.Open(t)
	pipe, _, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		stdin   *os.File
		ci      string
		noInput bool
	}{"a pipe": {pipe, "", false}, "CI": {terminal, "true", false}, "--no-input": {terminal, "", true}} {
		t.Setenv("CI", test.ci)
		if questions.Open(test.stdin, io.Discard, test.noInput) != nil {
			t.Errorf("%s: somebody is asked", name)
		}
	}
}
