package ask

import "slices"

// An option is one value of an enum. Without a title it is shown as it is.
type option struct {
	Const string `json:"const"`
	Title string `json:"title"`
}

func untitled(values []string) []option {
	options := make([]option, len(values))
	for i, value := range values {
		options[i].Const = value
	}
	return options
}

// isTitled reports whether an option has a title of its own.
func isTitled(options []option) bool {
	return slices.ContainsFunc(options, func(o option) bool { return o.Title != "" })
}

// titled returns the options with a title each: its value where it has none.
func titled(options []option) []option {
	options = slices.Clone(options)
	for i, o := range options {
		if o.Title == "" {
			options[i].Title = o.Const
		}
	}
	return options
}

func values(options []option) []string {
	list := make([]string, len(options))
	for i, o := range options {
		list[i] = o.Const
	}
	return list
}

func titles(options []option) []string {
	list := make([]string, len(options))
	for i, o := range titled(options) {
		list[i] = o.Title
	}
	return list
}
