package crud

import (
	"fmt"
	"strconv"
	"strings"
)

// Sample returns the Go expression for a value of the field in a test. That of each number,
// 1 or 2, is another one, and differs from those of other fields of text.
func (f Field) Sample(number int) string {
	value := f.sample(number)
	if f.Optional && f.Type != "strings" {
		return "new(" + value + ")"
	}
	return value
}

func (f Field) sample(number int) string {
	switch f.Type {
	case "string", "text":
		return strconv.Quote(f.SampleText(number))
	case "int":
		if f.Optional {
			return fmt.Sprintf("int64(%d)", number)
		}
		return strconv.Itoa(number)
	case "number":
		return fmt.Sprintf("%d.5", number)
	case "bool":
		return strconv.FormatBool(number == 1)
	case "date":
		return fmt.Sprintf("%q", fmt.Sprintf("2026-01-%02d", number))
	case "time":
		return fmt.Sprintf("time.Date(2026, time.January, %d, 12, 30, 0, 0, time.UTC)", number)
	case "enum":
		return strconv.Quote(f.choice(number))
	case "strings":
		return fmt.Sprintf("[]string{%q, %q}", f.Words()+" "+strconv.Itoa(number), "x")
	case "uuid":
		return fmt.Sprintf("%q", fmt.Sprintf("00000000-0000-4000-8000-%012d", number))
	case "url":
		return fmt.Sprintf("%q", fmt.Sprintf("https://example.com/%d", number))
	case "email":
		return fmt.Sprintf("%q", fmt.Sprintf("user%d@example.com", number))
	}
	return `""`
}

// SampleText returns the text of a sample of a field in which clients search.
// It isn't a part of that of another field.
func (f Field) SampleText(number int) string { return fmt.Sprintf("(%s %d)", f.Words(), number) }

// SampleCapitals returns the SampleText in capitals.
func (f Field) SampleCapitals(number int) string { return strings.ToUpper(f.SampleText(number)) }

// choice returns the value of a sample of an enum. With one choice, all samples have it.
func (f Field) choice(number int) string { return f.Choices[min(number, len(f.Choices))-1] }

// TellsApart reports whether the samples 1 and 2 differ.
func (f Field) TellsApart() bool { return f.choices() > 1 }

func (f Field) choices() int {
	if f.Type == "enum" {
		return len(f.Choices)
	}
	return 2
}
