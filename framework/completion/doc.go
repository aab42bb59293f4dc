// Package completion suggests values while a person fills in an argument of a prompt
// or a variable of a resource template:
//
//	arguments.Argument("language").Complete(completion.Values("go", "php", "python"))
//	variables.Variable("city").Complete(completion.Func(suggestCities))
//
// Suggestions are help, not a check: a handler still gets whatever the client sends.
// They also show what there is, so suggest only what the caller may see.
package completion
