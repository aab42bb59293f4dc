package format_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/internal/json/jsonschema/format"
)

// narrower lists the texts that the suite accepts and [format.Matches] refuses. See IsEmail.
var narrower = []string{
	`"joe bloggs"@example.com`, `"joe..bloggs"@example.com`, `"joe@bloggs"@example.com`, "joe.bloggs@[127.0.0.1]", "joe.bloggs@[IPv6:::1]",
}

// TestOfficialSuiteOfFormats runs the optional tests of the official suite for the formats that
// schemas may assert.
func TestOfficialSuiteOfFormats(t *testing.T) {
	t.Parallel()
	for _, name := range format.Known() {
		data, err := os.ReadFile(filepath.Join("..", "testdata", "suite", "optional", "format", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		var groups []struct {
			Tests []struct {
				Description string
				Data        any
				Valid       bool
			}
		}
		if err := json.Unmarshal(data, &groups); err != nil {
			t.Fatal(err)
		}
		ran := 0
		for _, group := range groups {
			for _, test := range group.Tests {
				text, ok := test.Data.(string)
				if !ok {
					continue // formats apply to strings
				}
				ran++
				if got := format.Matches(name, []byte(text)); got != (test.Valid && !slices.Contains(narrower, text)) {
					t.Errorf("%s, %s: %q matches: %t", name, test.Description, text, got)
				}
			}
		}
		if ran < 9 {
			t.Errorf("%s: %d tests", name, ran)
		}
	}
}

// Some letters outside of ASCII have an upper case in ASCII, which has fewer bytes.
func TestFormatsTakeAnyBytes(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "ı", "ſ", "\xff", "\x00", "İ", "K", "日本", "2026-01-31", "2026-01-31T", "2026-01-31T10:00:00", "2026-01-31T10:00:00."} {
		for _, long := range []string{text, strings.Repeat(text, 10), "2026-01-31T10:00:00" + text, text + "2026-01-31T10:00:00Z", "a@" + text, "http://" + text, "http://[" + text + "]"} {
			for _, name := range append(format.Known(), "base64", "unknown") {
				format.Matches(name, []byte(long))
			}
		}
	}
	if format.Matches("date-time", []byte(strings.Repeat("ı", 10))) || format.Matches("date-time", []byte("2026-01-31T10:00:00ſ")) {
		t.Error("a letter beyond ASCII is part of a date-time")
	}
}

func TestDateTimesAreThoseOfRFC3339(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"2026-01-31T10:00:00-24:00": false, "2026-01-31T10:00:00+10:60": false, "2026-01-31T10:00:00+23:59": true, "2026-01-31t10:00:00z": true,
		"2026-01-31T10:00:00.Z": false, "2026-01-31T10:00:00,5Z": false, "2026-01-31T1:00:00.00Z": false, "2026-01-31T10:00:00+1:000": false,
		"2016-12-31T18:59:60-05:00": true, "2017-01-01T04:59:60+05:00": true, "2016-12-31T18:59:60+05:00": false, "2026-01-31 10:00:00Z": false,
		"2026-01-31T00:00:00Z": true, "2026-01-31T24:00:00Z": false, "2026-01-31T10:60:00Z": false, "2026-01-31T10:00:61Z": false, "2026-01-31T1::00:00Z": false,
		"2017-01-01T05:29:60+05:30": true, "2016-12-31T18:29:60-05:30": true, "2026-01-31T10:00:00ZZ": false, "2026-01-31T10:00:00+0100": false, "2026-02-30T10:00:00Z": false, "2026-01-31T10:00:00.123456789123Z": true,
	} {
		if got := format.Matches("date-time", []byte(text)); got != want {
			t.Errorf("%s matches: %t", text, got)
		}
		checkDecoding(t, text)
	}
}

// checkDecoding fails if a date-time can't be decoded into a time.Time. Lower-case letters and
// leap seconds are excepted: the decoder's error explains them.
func checkDecoding(t *testing.T, text string) {
	t.Helper()
	told := strings.ContainsAny(text, "tz") || strings.Contains(text, ":60")
	if err := new(time.Time).UnmarshalText([]byte(text)); err != nil && !told && format.Matches("date-time", []byte(text)) {
		t.Errorf("%q matches but doesn't decode: %v", text, err)
	}
}

func FuzzDateTime(f *testing.F) {
	for _, text := range []string{"2026-01-31T10:00:00Z", "2016-12-31T18:59:60-05:00", "2026-01-31T10:00:00.5+23:59", strings.Repeat("ı", 10), strings.Repeat("ſ", 10), "0000-01-01T00:00:00Z"} {
		f.Add(text)
	}
	f.Fuzz(checkDecoding)
}

func TestURIsAreThoseOfRFC3986(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"https://[@example.org/": false, "https://[::1]x/": false, "https://[::1]x:80/": false, "https://[127.0.0.1]/": false, "https://[v1.a:b]/": true,
		"https://[v.a]/": false, "https://a@b@c/": false, "https://a/b#c#d": false, "https://a/[b]": false, "https://a?[": false, "https://a:8:0": false,
		"https://a:": true, "https://a:999999999": true, "https://user@": true, "https://[::1": false, "https://[::1]:80/": true, "https://a]": false, "file:///a": true,
		"file:///a#b#c": false, "https://a/%4": false, "https://a/%": false, "https://a/%4z": false, "https://a/%z4": false, "https://a/%41": true, "https://[v1.]/": false,
	} {
		if got := format.IsURI(text); got != want {
			t.Errorf("%s matches: %t", text, got)
		}
	}
}

func TestEmailAddressesAreThoseOfRFC5321(t *testing.T) {
	t.Parallel()
	label := strings.Repeat("b", 63)
	local, domain := strings.Repeat("a", 64), label+"."+label+"."+strings.Repeat("b", 61)
	for text, want := range map[string]bool{
		"a@example.com": true, "@example.com": false, "ǀ@example.com": true, local + "@example.com": true, local + "a@example.com": false,
		local + "@" + domain: true, local + "@b" + domain[:62] + "." + domain[62:]: false, "a b@example.com": false, "a..b@example.com": false, "a@-example.com": false,
	} {
		if got := format.IsEmail([]byte(text)); got != want {
			t.Errorf("%s matches: %t", text, got)
		}
	}
}

func TestOtherFormats(t *testing.T) {
	t.Parallel()
	label := strings.Repeat("a", 63)
	longest := label + "." + label + "." + label + "." + label[:61] // 253 bytes
	for _, test := range []struct {
		format, text string
		want         bool
	}{
		{"ipv4", "127.0.0.1", true}, {"ipv4", "::1", false}, {"ipv6", "::1", true}, {"ipv6", "127.0.0.1", false}, {"ipv6", "fe80::1%eth0", false},
		{"hostname", longest, true}, {"hostname", longest + "a", false}, {"hostname", "", false},
		{"base64", "aGVsbG8=", true}, {"base64", "aGVsbG8", false}, {"base64", "!", false}, {"base64", "aGVs\nbG8=", false}, {"base64", "\naGVs", false},
		{"base64", "aGVs\rbG8=", false}, {"base64", "\raGVs", false}, {"base64", "aGVsbG9=", false}, {"unknown", "!", true},
	} {
		if got := format.Matches(test.format, []byte(test.text)); got != test.want {
			t.Errorf("%s: %q matches: %t", test.format, test.text, got)
		}
	}
}
