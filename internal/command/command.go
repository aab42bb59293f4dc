// Package command describes the commands of the authorization server, and how a person calls the
// program that has them. The mcp command shows them and passes them on to the program, and the
// server runs them.
package command

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A Command is a command of the authorization server.
type Command struct {
	Name     string // such as "user:create"
	Argument string // the name of its only argument, such as "EMAIL", or "" if it has none
	Flags    []Flag
	Summary  string // one line that begins with a verb
	Example  string // a command line, such as "user:create ana@example.com"
}

// A Flag is a flag of a command.
type Flag struct {
	Name     string
	Value    string // the name of its value, such as "URL", or "" if it has none
	Repeated bool   // may be given several times
	Required bool
	Text     string // what the flag does; it has the name of the value
}

// Usage returns the argument and the flags, such as "EMAIL [--password-stdin]".
func (c Command) Usage() string {
	var words []string
	if c.Argument != "" {
		words = append(words, c.Argument)
	}
	for _, one := range c.Flags {
		word := "--" + one.Name
		if one.Value != "" {
			word += " " + one.Value
		}
		if !one.Required {
			word = "[" + word + "]"
		}
		if one.Repeated {
			word += "…"
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// Arguments are the arguments of a command line.
type Arguments struct {
	Argument string
	flags    map[string][]string
}

// Has reports whether a flag without value was given.
func (a Arguments) Has(flag string) bool { return len(a.flags[flag]) > 0 }

// Value returns the value of a flag, or "".
func (a Arguments) Value(flag string) string { return strings.Join(a.flags[flag], "") }

// Values returns the values of a repeated flag.
func (a Arguments) Values(flag string) []string { return a.flags[flag] }

// Words returns the words of the values of a repeated flag, each once: --scope "a b" is the same as
// --scope a --scope b.
func (a Arguments) Words(flag string) (words []string) {
	for word := range strings.FieldsSeq(strings.Join(a.flags[flag], " ")) {
		if !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	return words
}

// Parse reads the arguments behind the name of a command. Flags may be on both sides of the
// argument. The error is flag.ErrHelp for --help.
func (c Command) Parse(args []string) (parsed Arguments, err error) {
	parsed.flags = map[string][]string{}
	set := flag.NewFlagSet(c.Name, flag.ContinueOnError)
	set.SetOutput(io.Discard)
	for _, one := range c.Flags {
		add := func(value string) error {
			switch {
			case parsed.Has(one.Name) && !one.Repeated, slices.Contains(parsed.flags[one.Name], value):
				return errors.New("it is given twice")
			case strings.TrimSpace(value) == "":
				return errors.New("it is empty")
			case one.Value == "" && value != "true":
				return errors.New("the flag has no value")
			}
			parsed.flags[one.Name] = append(parsed.flags[one.Name], value)
			return nil
		}
		if one.Value == "" {
			set.BoolFunc(one.Name, one.Text, add)
		} else {
			set.Func(one.Name, one.Text, add)
		}
	}
	var found []string
	for len(args) > 0 {
		if err := set.Parse(args); err != nil {
			return parsed, err
		}
		rest := set.Args()
		if ended := len(args) - len(rest); ended > 0 && args[ended-1] == "--" {
			found, args = append(found, rest...), nil
			continue
		}
		if args = rest; len(rest) > 0 {
			found, args = append(found, rest[0]), rest[1:]
		}
	}
	return parsed, c.check(&parsed, found)
}

// check returns an error unless there is exactly the argument, and each required flag.
func (c Command) check(parsed *Arguments, found []string) error {
	if c.Argument != "" {
		if len(found) == 0 || found[0] == "" {
			return fmt.Errorf("%s is missing", c.Argument)
		}
		parsed.Argument, found = found[0], found[1:]
	}
	if len(found) > 0 {
		return fmt.Errorf("unexpected argument %q", found[0])
	}
	for _, one := range c.Flags {
		if one.Required && !parsed.Has(one.Name) {
			return fmt.Errorf("--%s %s is missing", one.Name, one.Value)
		}
	}
	return nil
}
