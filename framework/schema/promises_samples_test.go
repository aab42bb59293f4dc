package schema_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strings"
)

// A sample is a JSON text that a schema allows, as far as its keywords tell.
type sample struct {
	text     string
	doubtful bool // whether a check that is not sent to clients may refuse it
}

// samplesOf returns texts that a schema allows, and texts next to them that it forbids. It knows
// the keywords of the schemas of Go types, and nothing of the validator.
func samplesOf(raw []byte) (allowed []sample, forbidden []string) {
	var s sampling
	if err := json.Unmarshal(raw, &s.root); err != nil {
		return nil, nil
	}
	return s.of(s.root)
}

type object = map[string]json.RawMessage

// A sampling makes samples of one schema.
type sampling struct {
	root object
	refs int // followed so far
}

// maxRefs is the number of references that are followed before only the simplest samples are
// made. Otherwise there would be no end, or too many.
const maxRefs = 2

func text(s object, keyword string) string {
	var text string
	_ = json.Unmarshal(s[keyword], &text) // "" if the keyword is absent
	return text
}

func count(s object, keyword string, absent int) int {
	n := absent
	_ = json.Unmarshal(s[keyword], &n)
	return n
}

func sub(s object, keyword string) object {
	var below object
	_ = json.Unmarshal(s[keyword], &below) // nil for a boolean
	return below
}

// of returns the samples of a schema. The first one is the simplest.
func (s sampling) of(schema object) (allowed []sample, forbidden []string) {
	if name, ok := strings.CutPrefix(text(schema, "$ref"), "#/$defs/"); ok {
		target := maps.Clone(sub(sub(s.root, "$defs"), name))
		for keyword, value := range schema {
			if keyword != "$ref" {
				target[keyword] = value
			}
		}
		s.refs++
		return s.of(target)
	}
	types := typesOf(schema)
	if len(types) == 0 && schema["enum"] == nil && schema["const"] == nil {
		for _, any := range []string{`"a"`, `1`, `null`, `[{}]`, `{"a":[1,null]}`, `true`} {
			allowed = append(allowed, sample{any, false})
		}
		return allowed, nil
	}
	for _, t := range types {
		var some []sample
		switch t {
		case "object":
			some, forbidden = s.objects(schema)
		case "array":
			some, forbidden = s.arrays(schema)
		case "string":
			some, forbidden = texts(schema)
		case "integer", "number":
			some, forbidden = numbers(schema, t)
		case "boolean":
			some = []sample{{"true", false}, {"false", false}}
		case "null":
			some = []sample{{"null", false}}
		}
		allowed = append(allowed, some...)
	}
	for _, other := range []struct{ t, text string }{{"object", "{}"}, {"array", "[]"}, {"string", `"a"`}, {"number", "0.5"}, {"boolean", "true"}, {"null", "null"}} {
		if !slices.Contains(types, other.t) && len(types) > 0 {
			forbidden = append(forbidden, other.text)
		}
	}
	return listed(schema, allowed, forbidden)
}

// listed keeps the samples that an enum or a constant lists.
func listed(schema object, allowed []sample, forbidden []string) ([]sample, []string) {
	var values []json.RawMessage
	switch {
	case schema["const"] != nil:
		values = append(values, schema["const"])
	case schema["enum"] != nil:
		_ = json.Unmarshal(schema["enum"], &values)
	default:
		return allowed, forbidden
	}
	kept := []sample{}
	for _, value := range values {
		kept = append(kept, sample{string(value), false})
	}
	for _, one := range allowed {
		if !slices.ContainsFunc(values, func(v json.RawMessage) bool { return equalJSON(string(v), one.text) }) && !one.doubtful {
			forbidden = append(forbidden, one.text)
		}
	}
	return kept, forbidden
}

func equalJSON(a, b string) bool {
	x, ok := new(big.Rat).SetString(a)
	y, too := new(big.Rat).SetString(b)
	return a == b || ok && too && x.Cmp(y) == 0
}

func typesOf(schema object) (types []string) {
	if json.Unmarshal(schema["type"], &types) == nil {
		return types
	}
	if t := text(schema, "type"); t != "" {
		return []string{t}
	}
	return nil
}

func numbers(schema object, t string) (allowed []sample, forbidden []string) {
	rat := func(keyword string) *big.Rat {
		if r, ok := new(big.Rat).SetString(string(schema[keyword])); ok {
			return r
		}
		return nil
	}
	least, most, above, below, step := rat("minimum"), rat("maximum"), rat("exclusiveMinimum"), rat("exclusiveMaximum"), rat("multipleOf")
	fits := func(r *big.Rat) bool {
		return (least == nil || r.Cmp(least) >= 0) && (most == nil || r.Cmp(most) <= 0) && (above == nil || r.Cmp(above) > 0) &&
			(below == nil || r.Cmp(below) < 0) && (step == nil || new(big.Rat).Quo(r, step).IsInt()) && (t == "number" || r.IsInt())
	}
	candidates := []string{"0", "1", "-1", "3", "10", "-0", "3.0", "1e1", "-1.5", "2.5", "1e-7"}
	for _, bound := range []*big.Rat{least, most, above, below} {
		if bound == nil {
			continue
		}
		for _, delta := range []int64{0, -1, 1} {
			r := new(big.Rat).Add(bound, big.NewRat(delta, 1))
			candidates = append(candidates, strings.TrimSuffix(r.FloatString(1), ".0"))
		}
	}
	for _, candidate := range candidates {
		r, _ := new(big.Rat).SetString(candidate)
		if fits(r) {
			allowed = append(allowed, sample{candidate, false})
		} else {
			forbidden = append(forbidden, candidate)
		}
	}
	for _, large := range []string{"9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "18446744073709551615", "1e20", "1e39", "1e300", "1e400"} {
		if r, _ := new(big.Rat).SetString(large); fits(r) {
			allowed = append(allowed, sample{large, true})
		} else {
			forbidden = append(forbidden, large)
		}
	}
	return allowed, forbidden
}

func texts(schema object) (allowed []sample, forbidden []string) {
	least, most := count(schema, "minLength", 0), count(schema, "maxLength", 1<<20)
	pattern := regexp.MustCompile(text(schema, "pattern"))
	format, encoded := text(schema, "format"), text(schema, "contentEncoding") == "base64"
	formats := map[string][]string{
		"date-time": {"2026-01-31T09:30:00Z", "0000-01-01T00:00:00-23:59", "9999-12-31T23:59:59.123456789+14:00", "2026-01-31t09:30:00z", "2016-12-31T23:59:60Z"},
		"date":      {"2026-01-31"}, "email": {"a@example.com"}, "uri": {"https://example.com/a"}, "hostname": {"example.com"},
		"uuid": {"123e4567-e89b-42d3-a456-426614174000"}, "ipv4": {"192.0.2.1"}, "ipv6": {"2001:db8::1"},
	}
	candidates := []string{
		"", "a", "ab", "abc", "abcd", "äöü", "a\"\\/\n<&>", "😀", "0", "-1", "-0", "01", "7.5", "-1.5e3", "127", "128", "-129", "256", "70000", "5000000000",
		"99999999999999999999", "1e400", "p:x", "L5", "A5", "1,2", "A", "AA==", "AAA=", "AAAA", "AAAAAA==", "AAAAAAA=", "AAAAAAAA", "AAAAA===", "AB==", "A\nA=",
		strings.Repeat("A", 22) + "==", "*", "m", "kg", "5 EUR",
	}
	switch {
	case encoded: // the simplest sample is valid
		slices.SortStableFunc(candidates, func(a, b string) int { return strings.Count(b, "A") - strings.Count(a, "A") })
	case format != "":
		candidates = append(slices.Clone(formats[format]), "", "a\"\\/\n<&>", "😀")
	}
	for _, candidate := range candidates {
		quoted, _ := json.Marshal(candidate)
		length := len([]rune(candidate))
		switch {
		case length < least || length > most || !pattern.MatchString(candidate):
			forbidden = append(forbidden, string(quoted))
		case format != "" && !slices.Contains(formats[format], candidate):
			forbidden = append(forbidden, string(quoted))
		default: // the number in a pattern, base64 and time.Time have checks of their own
			doubtful := encoded || format == "date-time" || text(schema, "pattern") != ""
			allowed = append(allowed, sample{string(quoted), doubtful})
		}
	}
	if encoded {
		forbidden = append(forbidden, `"*"`, `"AB="`)
	}
	return allowed, forbidden
}

func (s sampling) arrays(schema object) (allowed []sample, forbidden []string) {
	least, most := count(schema, "minItems", 0), count(schema, "maxItems", 1<<20)
	if s.refs > maxRefs && least == 0 {
		return []sample{{"[]", false}}, nil
	}
	items, broken := s.of(sub(schema, "items"))
	list := func(n int, at func(i int) sample) sample {
		var parts []string
		doubtful := false
		for i := range n {
			one := at(i)
			parts, doubtful = append(parts, one.text), doubtful || one.doubtful
		}
		return sample{"[" + strings.Join(parts, ",") + "]", doubtful}
	}
	first := func(i int) sample {
		if string(schema["uniqueItems"]) == "true" {
			return items[i%len(items)]
		}
		return items[0]
	}
	for _, n := range []int{least, least + 1, least + 2, most} {
		if n > 8 && n != least {
			continue
		}
		if n <= most {
			allowed = append(allowed, list(n, first))
		} else {
			forbidden = append(forbidden, list(n, first).text)
		}
	}
	if least > 0 {
		forbidden = append(forbidden, list(least-1, first).text)
	}
	if n := max(least, 1); n <= most {
		for _, item := range items {
			allowed = append(allowed, list(n, func(i int) sample {
				if i == 0 {
					return item
				}
				return first(i)
			}))
		}
		for _, item := range broken {
			forbidden = append(forbidden, list(n, func(i int) sample {
				if i == 0 {
					return sample{item, false}
				}
				return first(i)
			}).text)
		}
		if string(schema["uniqueItems"]) == "true" {
			forbidden = append(forbidden, list(2, func(int) sample { return items[0] }).text)
		}
	}
	return allowed, forbidden
}

func (s sampling) objects(schema object) (allowed []sample, forbidden []string) {
	var required []string
	_ = json.Unmarshal(schema["required"], &required)
	properties := sub(schema, "properties")
	names := slices.Sorted(maps.Keys(properties))
	base, all := map[string]sample{}, map[string]sample{}
	variants, broken := map[string][]sample{}, map[string][]string{}
	for _, name := range names {
		if s.refs > maxRefs && !slices.Contains(required, name) {
			continue
		}
		variants[name], broken[name] = s.of(sub(properties, name))
		if s.refs > 0 { // a few are enough
			variants[name], broken[name] = variants[name][:min(len(variants[name]), 3)], broken[name][:min(len(broken[name]), 2)]
		}
		all[name] = variants[name][0]
		if slices.Contains(required, name) {
			base[name] = variants[name][0]
		}
	}
	if s.refs > maxRefs {
		return []sample{written(base)}, nil
	}
	with := func(members map[string]sample, name string, value sample) map[string]sample {
		members = maps.Clone(members)
		members[name] = value
		return members
	}
	allow := func(members map[string]sample) { allowed = append(allowed, written(members)) }
	forbid := func(members map[string]sample) { forbidden = append(forbidden, written(members).text) }
	least, most := count(schema, "minProperties", 0), count(schema, "maxProperties", 1<<20)
	if least <= len(base) {
		allow(base)
	} else {
		forbid(base)
	}
	if len(all) > len(base) {
		allow(all)
	}
	for _, name := range names {
		for _, value := range variants[name] {
			allow(with(base, name, value))
		}
		for _, value := range broken[name] {
			forbid(with(all, name, sample{value, false}))
		}
		if slices.Contains(required, name) {
			less := maps.Clone(all)
			delete(less, name)
			forbid(less)
		}
	}
	switch additional := string(schema["additionalProperties"]); {
	case additional == "false":
		forbid(with(all, "surplus", sample{"1", false}))
	case additional != "":
		values, wrong := s.of(sub(schema, "additionalProperties"))
		keys := []sample{{`"a"`, true}, {`""`, true}, {`"0"`, true}, {`"-7"`, true}, {`"200"`, true}, {`"-0"`, true}, {`"01"`, true}, {`"2026-01-31T09:30:00Z"`, true}, {`"L5"`, true}, {`"1,2"`, true}}
		if names := sub(schema, "propertyNames"); names != nil {
			var bad []string
			keys, bad = s.of(names)
			for _, key := range bad {
				if strings.HasPrefix(key, `"`) {
					forbid(map[string]sample{key: values[0]})
				}
			}
		}
		for _, key := range keys {
			allow(map[string]sample{key.text: {values[0].text, key.doubtful || values[0].doubtful}})
		}
		for _, value := range values {
			allow(map[string]sample{keys[0].text: {value.text, keys[0].doubtful || value.doubtful}})
		}
		for _, value := range wrong {
			forbid(map[string]sample{keys[0].text: {value, false}})
		}
		if most < 4 {
			many := map[string]sample{}
			for i := range most + 1 {
				many[fmt.Sprintf(`"k%d"`, i)] = values[0]
			}
			forbid(many)
		}
	}
	return allowed, forbidden
}

// written returns an object. Its names may be quoted already.
func written(members map[string]sample) sample {
	var parts []string
	doubtful := false
	for _, name := range slices.Sorted(maps.Keys(members)) {
		quoted := name
		if !strings.HasPrefix(name, `"`) {
			text, _ := json.Marshal(name)
			quoted = string(text)
		}
		parts, doubtful = append(parts, quoted+":"+members[name].text), doubtful || members[name].doubtful
	}
	return sample{"{" + strings.Join(parts, ",") + "}", doubtful}
}
