package crud

import (
	"fmt"
	"slices"
)

// ParseAdded parses fields that are added to records that exist. One that is required needs a
// value for these; a field of a type without an obvious one has to be optional.
func ParseAdded(record Record, inputs []string) ([]Field, error) {
	fields, err := parseFields(inputs)
	if err != nil {
		return nil, err
	}
	for _, field := range fields {
		switch {
		case field.Type == owner:
			return nil, fmt.Errorf("an owner can't be added: nobody owns the %s that exist; make another kind of record", record.Words())
		case !field.Optional && field.initial() == "":
			return nil, fmt.Errorf("the %s that exist have no %s; make it optional: %s,optional", record.Words(), field.Words(), field)
		}
	}
	return fields, nil
}

// With returns the record with more fields.
func (r Record) With(added []Field) (Record, error) {
	for _, field := range added {
		if slices.ContainsFunc(r.Fields, func(other Field) bool { return other.Name == field.Name }) {
			return r, fmt.Errorf("%s has a field %s already; choose another name", r.Type, field.Name)
		}
	}
	r.Fields = append(slices.Clip(r.Fields), added...)
	return r, CheckFields(r.Fields)
}

// Adding returns what the stub of a migration that adds fields may use.
func (r Record) Adding(added []Field) Addition { return Addition{r, added} }

// An Addition is a record with the fields that a migration adds.
type Addition struct {
	record Record
	added  []Field
}

// Values returns the values of the record, and the added fields as Added.
func (a Addition) Values() map[string]any {
	values := a.record.Values()
	values["Added"] = a.added
	return values
}

// AddedColumn returns the type of the column when it is added to rows that exist.
func (f Field) AddedColumn() string {
	if f.Optional && f.Type != "strings" {
		return f.Column()
	}
	return f.Column() + " DEFAULT " + f.initial()
}

// initial returns the value of a required field in rows that existed before it, in SQL. It is ""
// for a type without an obvious one.
func (f Field) initial() string {
	switch f.Type {
	case "string":
		return "'-'"
	case "text":
		return "''"
	case "int", "number":
		return "0"
	case "bool":
		return "FALSE"
	case "enum":
		return "'" + f.Choices[0] + "'"
	case "strings":
		return "'[]'"
	}
	return ""
}
