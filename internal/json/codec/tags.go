package codec

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"
)

// A TagMistake is a json tag that the codec refuses or reads otherwise than its author means.
// Problem names the tag, the field and its struct.
type TagMistake struct{ Problem, Fix string }

// TagMistakes returns the mistakes in the json tags of a struct and of the structs that are
// embedded in it: tags that the codec refuses, options that have no effect, fields that can't
// be embedded, and names that two fields share. It doesn't look into the types of the fields.
func TagMistakes(t reflect.Type) []TagMistake {
	var c tagChecker
	c.structure(t, nil)
	c.names(t)
	return c.found
}

// A tagChecker collects mistakes.
type tagChecker struct{ found []TagMistake }

func (c *tagChecker) add(fix, format string, args ...any) {
	mistake := TagMistake{fmt.Sprintf(format, args...), fix}
	if !slices.Contains(c.found, mistake) { // a struct may be embedded twice
		c.found = append(c.found, mistake)
	}
}

// structure checks the fields of a struct.
func (c *tagChecker) structure(t reflect.Type, within []reflect.Type) {
	if slices.Contains(within, t) {
		return
	}
	within = append(within[:len(within):len(within)], t)
	tagged, encoded := false, t.NumField() == 0
	for field := range t.Fields() {
		tag, given := field.Tag.Lookup("json")
		tagged = tagged || given
		switch {
		case tag == "-":
		case field.Anonymous:
			encoded = true
			c.embedded(t, field, tag)
			if of := indirect(field.Type); strings.HasPrefix(tag+",", ",") && isPlainStruct(of) {
				c.structure(of, within)
			}
		case field.IsExported():
			encoded = true
			c.field(t, field, tag)
		case given:
			c.add("export the field, or drop its tag", "the field %s of %s is not exported, but has the tag json:%q", field.Name, t, tag)
		}
	}
	if !encoded && !tagged {
		c.add("export them, or leave the value out with json:\"-\"", "%s has fields, but none that is exported", t)
	}
}

// embedded checks an embedded field.
func (c *tagChecker) embedded(t reflect.Type, field reflect.StructField, tag string) {
	name, _, _ := strings.Cut(tag, ",")
	of := indirect(field.Type)
	fix := fmt.Sprintf("give it a name, as in json:%q", strings.ToLower(field.Name))
	if !field.IsExported() {
		fix = "leave it out with json:\"-\", or export its type"
	}
	switch {
	case name != "" && !field.IsExported():
		c.add("drop the name, or export the type", "%s embeds %s with the tag json:%q, but the type is not exported", t, field.Type, tag)
	case name != "":
		c.field(t, field, tag)
	case of.Kind() != reflect.Struct:
		c.add(fix, "%s embeds %s, which is not a struct, without a name", t, field.Type)
	case hasOwnForm(of):
		c.add(fix, "%s embeds %s, which has a JSON form of its own, without a name", t, field.Type)
	case tag != "" && tag != ",inline": // as the types of Kubernetes have it, where it says what Go does anyway
		c.add("drop the tag", "%s embeds %s with the tag json:%q, but the fields of an embedded struct take no options", t, field.Type, tag)
	}
}

// field checks the tag of an exported field.
func (c *tagChecker) field(t reflect.Type, field reflect.StructField, tag string) {
	name, rest, more := strings.Cut(tag, ",")
	faults, kept := nameFaults(name), []string(nil)
	name = strings.Map(func(r rune) rune {
		if strings.ContainsRune(reserved, r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(name, ""))
	if more {
		for option := range strings.SplitSeq(rest, ",") {
			fault, keep := optionFault(option, field.Type, kept)
			if fault != "" {
				faults = append(faults, fault)
			}
			if keep != "" {
				kept = append(kept, keep)
			}
		}
	}
	if len(faults) == 0 {
		return
	}
	corrected := strings.Join(append([]string{name}, kept...), ",")
	fix := fmt.Sprintf("write json:%q", corrected)
	switch corrected {
	case "":
		fix = "drop the tag"
	case "-":
		fix = "write json:\"-\" to leave the field out, or choose another name"
	}
	c.add(fix, "the tag json:%q of the field %s of %s %s", tag, field.Name, t, strings.Join(faults, " and "))
}

// reserved are the characters that the codec refuses in names.
const reserved = "\\'\"`"

func nameFaults(name string) (faults []string) {
	if strings.ContainsAny(name, reserved) {
		faults = append(faults, "has a quote or a backslash in the name")
	}
	if !utf8.ValidString(name) {
		faults = append(faults, "has a name that is not valid UTF-8")
	}
	return faults
}

// optionFault says what is wrong with an option of a tag, and which option to keep instead. It
// gets the type of the field, and the options before.
func optionFault(option string, of reflect.Type, before []string) (fault, keep string) {
	key, _, valued := strings.Cut(strings.TrimSpace(option), ":")
	switch known := strings.ReplaceAll(strings.ToLower(key), "_", ""); known {
	case "omitempty", "omitzero", "string":
		switch {
		case slices.Contains(before, known):
			return "repeats the option " + known, ""
		case known == "string" && !IsQuotable(of):
			return fmt.Sprintf("has the option string, which is for numbers and not for %s", of), ""
		case key != known:
			return fmt.Sprintf("spells the option %s as %s", known, key), known
		case valued:
			return "gives a value to the option " + known, known
		case option != known:
			return "has a blank beside the option " + known, known
		}
		return "", known
	case "":
		return "has a comma without an option", ""
	case "case":
		return "has the option case, but names are always case-sensitive", ""
	case "embed", "format":
		return "has the option " + known + ", which is not supported", ""
	}
	return fmt.Sprintf("has the unknown option %q", option), ""
}

// names checks that fields don't share a name, unless one of them hides the others.
func (c *tagChecker) names(t reflect.Type) {
	const fix = "give each a name of its own by its json tag"
	all := gather(t, Field{}, nil)
	for i, f := range all {
		for _, other := range all[:i] {
			switch {
			case other.Name != f.Name:
			case other.Owner == f.Owner && other.GoName != f.GoName:
				c.add(fix, "the fields %s and %s of %s have the JSON name %q", other.GoName, f.GoName, f.Owner, f.Name)
			case other.depth == f.depth && other.Tagged == f.Tagged && !hidden(f, all):
				c.add(fix, "the fields %s of %s and %s of %s, which are embedded in %s, have the JSON name %q, so none of them is encoded",
					other.GoName, other.Owner, f.GoName, f.Owner, t, f.Name)
			}
		}
	}
}

// hidden reports whether another field wins over f for its name.
func hidden(f Field, all []Field) bool {
	return slices.ContainsFunc(all, func(other Field) bool {
		return other.Name == f.Name && (other.depth < f.depth || other.depth == f.depth && other.Tagged && !f.Tagged)
	})
}
