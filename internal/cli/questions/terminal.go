// Package questions asks a person for values that are missing from a command line. On a
// terminal that can draw, a question is a form with a cursor; on others, such as one
// without a size, it is plain lines.
package questions

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"charm.land/huh/v2"
	"golang.org/x/term"
)

// ErrCanceled is the error if the person ends a question without an answer, with Ctrl-C or the
// end of the input.
var ErrCanceled = errors.New("canceled: the question has no answer")

// ErrInterrupted is the [ErrCanceled] of Ctrl-C in a form. In plain lines, Ctrl-C is a signal.
var ErrInterrupted = fmt.Errorf("%w", ErrCanceled)

// A Terminal asks a person. A nil Terminal has nobody to ask; see [Open].
type Terminal struct {
	in    *os.File
	out   io.Writer
	plain bool // questions are plain lines
	ctx   context.Context
}

// An Option is one of the values to choose from.
type Option struct {
	Value    string
	Label    string // what the person reads; empty means Value
	Selected bool   // whether ChooseSome begins with the option chosen
}

func (o Option) label() string { return cmp.Or(o.Label, o.Value) }

// Open returns the terminal of a program with the given standard streams. It returns nil
// if nobody would answer: stdin is not a terminal, the environment has CI, or the person
// asked for no questions. The questions go to stderr, so that stdout has only results.
func Open(stdin *os.File, stderr io.Writer, noInput bool) *Terminal {
	if noInput || os.Getenv("CI") != "" || !IsTerminal(stdin) {
		return nil
	}
	return &Terminal{in: stdin, out: stderr, plain: !draws(stdin, stderr), ctx: context.Background()}
}

// Within returns the terminal with questions that end with a context. A program that handles
// Ctrl-C needs it, because the terminal itself doesn't end the reading of a line.
func (t *Terminal) Within(ctx context.Context) *Terminal {
	if t == nil {
		return nil
	}
	within := *t
	within.ctx = ctx
	return &within
}

// draws reports whether forms can be drawn. The form panics on a terminal of 0 columns, draws
// without end on a very small one, and ignores TERM=dumb.
func draws(stdin *os.File, stderr io.Writer) bool {
	screen, ok := stderr.(*os.File)
	if !ok || !IsScreen(stderr) {
		return false
	}
	for _, file := range []*os.File{stdin, screen} {
		if width, height, err := term.GetSize(int(file.Fd())); err != nil || width < minColumns || height < minRows {
			return false
		}
	}
	return true
}

// IsTerminal reports whether a person sees what is written to out.
func IsTerminal(out io.Writer) bool {
	file, ok := out.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// IsScreen reports whether out is a terminal that obeys control sequences.
func IsScreen(out io.Writer) bool { return IsTerminal(out) && os.Getenv("TERM") != "dumb" }

// Columns returns the width of the terminal that shows what is written to out, or 0 if there is none.
func Columns(out io.Writer) int {
	file, ok := out.(*os.File)
	if !ok {
		return 0
	}
	width, _, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return 0
	}
	return width
}

// HasColors reports whether what is written to out may have colors.
func HasColors(out io.Writer) bool { return IsScreen(out) && os.Getenv("NO_COLOR") == "" }

// Text asks for a text. The check says what is wrong with an answer; then the person is
// asked again.
func (t *Terminal) Text(title, description string, check func(string) error) (string, error) {
	var answer string
	if t.plain {
		// The plain form of a question has no description.
		title = strings.TrimSpace(title+" "+description) + " "
	}
	return ask(t, huh.NewInput().Title(title).Description(description).Validate(check).Value(&answer), &answer)
}

// Choose asks for one of the options and returns its value. There must be options. The lines
// of the title after the first one describe the choice.
func (t *Terminal) Choose(title string, options []Option) (string, error) {
	answer := options[0].Value
	height := t.height(title, options)
	title, description := t.split(title)
	if t.plain {
		title += " Enter alone means 1."
	}
	return ask(t, huh.NewSelect[string]().Title(title).Description(description).Options(choices(options)...).
		Height(height).Value(&answer), &answer)
}

// ChooseSome asks for any number of the options and returns their values, in the order of
// the options. The lines of the title after the first one describe the choice.
func (t *Terminal) ChooseSome(title string, options []Option) ([]string, error) {
	var answers []string
	height := t.height(title, options)
	title, description := t.split(title)
	return ask(t, huh.NewMultiSelect[string]().Title(title).Description(description).Options(choices(options)...).Filterable(false).
		Height(height).Value(&answers), &answers)
}

// height returns the number of lines of a choice in a form. The options scroll if the screen
// has fewer lines, so that the title stays visible.
func (t *Terminal) height(title string, options []Option) (lines int) {
	columns, rows, err := term.GetSize(int(t.in.Fd()))
	if err != nil || columns <= margin || rows <= helpHeight {
		return 0
	}
	texts := strings.Split(title, "\n")
	for _, option := range options {
		texts = append(texts, option.label())
	}
	for _, text := range texts {
		lines += 1 + max(0, utf8.RuneCountInString(text)-1)/(columns-margin)
	}
	return min(lines, rows-helpHeight)
}

// What a form needs beside the texts of a choice: the columns with the cursor, and the lines
// with the keys below.
const (
	margin     = 6
	helpHeight = 2
)

// The smallest terminal on which forms are drawn.
const (
	minColumns = 20
	minRows    = 6
)

// split returns the first line of a title, and the others as a description. The plain form of
// a question has no description.
func (t *Terminal) split(title string) (first, description string) {
	if t.plain {
		return title, ""
	}
	first, description, _ = strings.Cut(title, "\n")
	return first, description
}

func choices(options []Option) []huh.Option[string] {
	all := make([]huh.Option[string], len(options))
	for i, option := range options {
		all[i] = huh.NewOption(option.label(), option.Value).Selected(option.Selected)
	}
	return all
}

// ask asks one question and returns its answer.
func ask[T any](t *Terminal, field huh.Field, answer *T) (given T, err error) {
	in := &input{File: t.in}
	defer in.over.Store(true)
	form := huh.NewForm(huh.NewGroup(field)).WithInput(in).WithOutput(t.out).WithAccessible(t.plain).WithShowHelp(true)
	if t.plain {
		// In plain lines, the other themes write colors to any terminal, even with NO_COLOR.
		err = runPlain(t.ctx, form.WithTheme(huh.ThemeFunc(func(bool) *huh.Styles { return &huh.Styles{} })))
	} else {
		err = form.RunWithContext(t.ctx)
	}
	switch {
	case t.ctx.Err() != nil:
		return given, context.Cause(t.ctx) // the form may still write its answer
	case errors.Is(err, huh.ErrUserAborted):
		return given, ErrInterrupted
	case err == nil && in.ended:
		return given, ErrCanceled
	case err != nil:
		return given, fmt.Errorf("ask on the terminal: %w", err)
	}
	return *answer, nil
}

// runPlain runs a form of plain lines, which doesn't know contexts.
func runPlain(ctx context.Context, form *huh.Form) error {
	answered := make(chan error, 1)
	go func() { answered <- form.Run() }()
	select {
	case err := <-answered:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// input is stdin for one question. It remembers that stdin ended, which the plain form of a
// question reports as an empty answer.
type input struct {
	*os.File

	ended bool
	over  atomic.Bool // whether the question has its answer
}

// Read fails once the question is over. The drawn form leaves a goroutine that waits for keys,
// and it would take the answers to the next question.
func (i *input) Read(p []byte) (int, error) {
	if i.over.Load() {
		return 0, os.ErrClosed
	}
	n, err := i.File.Read(p)
	if n == 0 && errors.Is(err, io.EOF) {
		i.ended = true
	}
	return n, err
}
