package sqldb

import (
	"database/sql"
	"database/sql/driver"
	"fmt"
	"time"

	"github.com/bowline-mcp/bowline/internal/json/codec"
)

// A Column is a Go value that a column holds as text. It is both a parameter of a statement
// and a target of a scan.
type Column interface {
	driver.Valuer
	sql.Scanner
}

// Strings returns a column that holds a list as a JSON array. An empty list is written as [], and
// read as nil.
func Strings(list *[]string) Column { return stringsColumn{list} }

type stringsColumn struct{ list *[]string }

// Value returns the JSON.
func (c stringsColumn) Value() (driver.Value, error) {
	if len(*c.list) == 0 {
		return "[]", nil
	}
	encoded, err := codec.Marshal(*c.list)
	return string(encoded), err
}

// Scan reads the JSON.
func (c stringsColumn) Scan(from any) error {
	text, err := textOf(from)
	if err != nil {
		return err
	}
	var list []string
	if err := codec.Unmarshal([]byte(text), &list); err != nil {
		return err
	}
	if len(list) == 0 {
		list = nil
	}
	*c.list = list
	return nil
}

// Time returns a column that holds a point in time as RFC 3339 in UTC. A nil pointer is NULL.
func Time[T time.Time | *time.Time](at *T) Column { return timeColumn[T]{at} }

type timeColumn[T time.Time | *time.Time] struct{ at *T }

// Value returns the text or nil.
func (c timeColumn[T]) Value() (driver.Value, error) {
	at, ok := any(*c.at).(time.Time)
	if !ok {
		pointer, _ := any(*c.at).(*time.Time)
		if pointer == nil {
			return nil, nil
		}
		at = *pointer
	}
	return at.UTC().Format(time.RFC3339Nano), nil
}

// Scan reads the text.
func (c timeColumn[T]) Scan(from any) error {
	optional, isOptional := any(c.at).(**time.Time)
	if isOptional && from == nil {
		*optional = nil
		return nil
	}
	text, err := textOf(from)
	if err != nil {
		return err
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return err
	}
	if isOptional {
		*optional = &at
	} else if required, ok := any(c.at).(*time.Time); ok {
		*required = at
	}
	return nil
}

// textOf returns the text that a driver has read.
func textOf(from any) (string, error) {
	switch from := from.(type) {
	case string:
		return from, nil
	case []byte:
		return string(from), nil
	}
	return "", fmt.Errorf("the column has a value of type %T instead of text", from)
}
