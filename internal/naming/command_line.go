package naming

import (
	"strconv"
	"strings"
)

// CommandLine returns a line that a person can paste into a shell of Unix. An argument with
// characters that a terminal might interpret is quoted as Printable does it.
func CommandLine(arguments ...string) string {
	quoted := make([]string, len(arguments))
	for i, argument := range arguments {
		switch {
		case Printable(argument) != argument:
			argument = strconv.Quote(argument)
		case argument == "" || strings.ContainsAny(argument, " \"'\\$`&|;<>(){}[]*?#~!"):
			argument = "'" + strings.ReplaceAll(argument, "'", `'\''`) + "'"
		}
		quoted[i] = argument
	}
	return strings.Join(quoted, " ")
}
