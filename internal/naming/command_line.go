package naming

import (
	"runtime"
	"strconv"
	"strings"
)

// CommandLine returns a line that a person can paste into a shell of this system. An argument
// with characters that a terminal might interpret is quoted as Printable does it.
func CommandLine(arguments ...string) string {
	special, quote, escaped := " \"'\\$`&|;<>(){}[]*?#~!", "'", `'\''`
	if runtime.GOOS == "windows" { // where \ is in most paths, and no path has "
		special, quote, escaped = " \"'$`&|;<>(){}[]*?#~!@,", `"`, `\"`
	}
	quoted := make([]string, len(arguments))
	for i, argument := range arguments {
		switch {
		case Printable(argument) != argument:
			argument = strconv.Quote(argument)
		case argument == "" || strings.ContainsAny(argument, special):
			argument = quote + strings.ReplaceAll(argument, quote, escaped) + quote
		}
		quoted[i] = argument
	}
	return strings.Join(quoted, " ")
}
