package jsonschema

import (
	"fmt"

	"github.com/bowline-mcp/bowline/internal/json/jsonschema/document"
	"github.com/bowline-mcp/bowline/internal/json/rawjson"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// attach adds the checks of a schema builder to a rule. It also schedules the search for
// contradictions, only for these rules: a schema written by hand may contradict itself on
// purpose.
func (c *compiler) attach(l *document.Location, r *rule, checks Checks) {
	if checks.Format != "" || checks.String != nil {
		s := ensureString(r)
		s.format, s.check = checks.Format, checks.String
	}
	if checks.Fits != AnyWidth {
		n := ensureNumber(r)
		n.fits, n.checkInt, n.checkNumber = checks.Fits, checks.Integer, checks.Number
	}
	if r.object != nil {
		r.object.nameFormat = checks.Names
	}
	r.check = checks.JSON
	c.pending = append(c.pending, func() {
		c.checkBounds(l, r)
		c.checkValues(l, r)
	})
}

func ensureString(r *rule) *stringRule {
	if r.string == nil {
		r.string = &stringRule{minLength: -1, maxLength: -1}
	}
	return r.string
}

func ensureNumber(r *rule) *numberRule {
	if r.number == nil {
		r.number = &numberRule{}
	}
	return r.number
}

// checkBounds reports bounds that no value can satisfy.
func (c *compiler) checkBounds(l *document.Location, r *rule) {
	sizes := func(least, most int, one, other string) {
		if least >= 0 && most >= 0 && least > most {
			c.Report(l.Pointer, fmt.Sprintf("%s %d is greater than %s %d", one, least, other, most), "swap or change them")
		}
	}
	if s := r.string; s != nil {
		sizes(s.minLength, s.maxLength, "minLength", "maxLength")
	}
	if a := r.array; a != nil {
		sizes(a.minItems, a.maxItems, "minItems", "maxItems")
	}
	if o := r.object; o != nil {
		sizes(o.minProperties, o.maxProperties, "minProperties", "maxProperties")
		required := 0
		for _, p := range o.properties {
			if p.required {
				required++
			}
		}
		if o.maxProperties >= 0 && required > o.maxProperties {
			c.Report(l.Pointer, fmt.Sprintf("%d properties are required but maxProperties is %d", required, o.maxProperties), "raise MaxProperties")
		}
	}
	if n := r.number; n != nil {
		limits := func(low, high *bound, one, other string, equal bool) {
			if low == nil || high == nil {
				return
			}
			if order := low.decimal.Compare(high.decimal); order > 0 || order == 0 && !equal {
				c.Report(l.Pointer, fmt.Sprintf("no number is allowed by %s %s and %s %s", one, low.text, other, high.text), "swap or change them")
			}
		}
		limits(n.minimum, n.maximum, "minimum", "maximum", true)
		limits(n.minimum, n.exclusiveMax, "minimum", "exclusiveMaximum", false)
		limits(n.exclusiveMin, n.maximum, "exclusiveMinimum", "maximum", false)
		limits(n.exclusiveMin, n.exclusiveMax, "exclusiveMinimum", "exclusiveMaximum", false)
	}
}

// checkValues reports defaults, constants, examples and enum values that their own schema
// refuses.
func (c *compiler) checkValues(l *document.Location, r *rule) {
	check := func(what string, value []byte) {
		for _, v := range explain(value, r, c.free) {
			c.Report(l.Pointer, what+" is not valid ("+v.String()+")", "change it or the rule it breaks")
		}
	}
	if value, ok := l.Keywords["default"]; ok {
		check("the default", value)
	}
	if value, ok := l.Keywords["const"]; ok {
		check("the constant", value)
	}
	for i, value := range rawjson.Elements(l.Keywords["examples"]) {
		check(fmt.Sprintf("example %d", i), value)
	}
	if value, ok := l.Keywords["enum"]; ok {
		if string(value) == "[]" {
			c.Report(l.Pointer, "the enum is empty", "list at least one value")
		}
		seen := map[string]bool{}
		for _, v := range rawjson.Elements(value) {
			check("the enum value "+short(v), v)
			key := string(rawjson.AppendCanonical(nil, v))
			if seen[key] {
				c.Report(l.Pointer, "the enum lists "+short(v)+" twice", "list it once")
			}
			seen[key] = true
		}
	}
}

// short returns a value, truncated for a message.
func short(value []byte) string { return naming.Cut(string(value), 60) }
