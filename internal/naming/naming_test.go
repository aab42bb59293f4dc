package naming_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/naming"
)

func TestNamesOfATypeAgree(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, kebab, headline string }{
		{"EchoTool", "echo-tool", "Echo Tool"},
		{"MyExampleTool", "my-example-tool", "My Example Tool"},
		{"HTTPStatusTool", "http-status-tool", "HTTP Status Tool"},
		{"HTTPGet", "http-get", "HTTP Get"},
		{"ParseJSON", "parse-json", "Parse JSON"},
		{"ParseJSONTool", "parse-json-tool", "Parse JSON Tool"},
		{"ListIDsTool", "list-ids-tool", "List IDs Tool"},
		{"URLs", "urls", "URLs"},
		{"IsATool", "is-a-tool", "Is A Tool"},
		{"XRayTool", "x-ray-tool", "X Ray Tool"},
		{"OAuth2Tool", "oauth2-tool", "OAuth2 Tool"},
		{"HTTPOAuthTool", "http-oauth-tool", "HTTP OAuth Tool"},
		{"GitHubIssueTool", "github-issue-tool", "GitHub Issue Tool"},
		{"IPv4Tool", "ipv4-tool", "IPv4 Tool"},
		{"GraphQLQueryTool", "graphql-query-tool", "GraphQL Query Tool"},
		{"V2Tool", "v2-tool", "V2 Tool"},
		{"MD5SumTool", "md5-sum-tool", "MD5 Sum Tool"},
		{"S3BucketTool", "s3-bucket-tool", "S3 Bucket Tool"},
		{"Base64Tool", "base64-tool", "Base64 Tool"},
		{"X509CertTool", "x509-cert-tool", "X509 Cert Tool"},
		{"B2BInvoiceTool", "b2b-invoice-tool", "B2B Invoice Tool"},
		{"I18NTool", "i18n-tool", "I18N Tool"},
		{"Render3DTool", "render3d-tool", "Render3D Tool"},
		{"Convert2PDFTool", "convert2-pdf-tool", "Convert2 PDF Tool"},
		{"echoTool", "echo-tool", "Echo Tool"},
		{"echo-tool", "echo-tool", "Echo Tool"},
		{"echo_tool", "echo-tool", "Echo Tool"},
		{"  echo  tool ", "echo-tool", "Echo Tool"},
		{"--", "", ""},
		{"", "", ""},
		{"A", "a", "A"},
		{"ÜberTool", "ber-tool", "Über Tool"},
		{"天気Tool", "tool", "天気 Tool"},
	} {
		if got := naming.Kebab(test.name); got != test.kebab {
			t.Errorf("Kebab(%q) = %q, want %q", test.name, got, test.kebab)
		}
		if got, want := naming.Snake(test.name), strings.ReplaceAll(test.kebab, "-", "_"); got != want {
			t.Errorf("Snake(%q) = %q, want %q", test.name, got, want)
		}
		if got := naming.Headline(test.name); got != test.headline {
			t.Errorf("Headline(%q) = %q, want %q", test.name, got, test.headline)
		}
	}
}

func TestStudlyMakesATypeName(t *testing.T) {
	t.Parallel()
	for input, want := range map[string]string{
		"weather":           "Weather",
		"Weather":           "Weather",
		"current weather":   "CurrentWeather",
		"current-weather":   "CurrentWeather",
		"current_weather":   "CurrentWeather",
		"CurrentWeather":    "CurrentWeather",
		"currentWeather":    "CurrentWeather",
		"HTTPStatus":        "HTTPStatus",
		"OAuth2":            "OAuth2",
		" current  weather": "CurrentWeather",
		"v2":                "V2",
		"":                  "",
	} {
		if got := naming.Studly(input); got != want {
			t.Errorf("Studly(%q) = %q, want %q", input, got, want)
		}
	}
}

type plain struct{}

type box[T any] struct{ _ T }

type textMap map[string]string

func TestTypeNameIsTheNameOfTheConcreteType(t *testing.T) {
	t.Parallel()
	type local struct{}
	pointer := &plain{}
	for want, values := range map[string][]any{
		"plain":   {plain{}, &plain{}, &pointer},
		"box":     {box[int]{}, &box[map[string]plain]{}, &box[box[int]]{}},
		"textMap": {textMap{}, &textMap{}},
		"local":   {local{}, (*local)(nil)},
		"":        {nil, struct{}{}, []plain{}, func() {}},
	} {
		for _, value := range values {
			if got := naming.TypeName(value); got != want {
				t.Errorf("TypeName(%T) = %q, want %q", value, got, want)
			}
		}
	}
}

func FuzzKebab(f *testing.F) {
	for _, seed := range []string{"EchoTool", "HTTPStatusTool", "OAuth2Tool", "ListIDsTool", "a--b", "ÜberTool", "B2BTool", "\xff", "ſKTool"} {
		f.Add(seed)
	}
	form := regexp.MustCompile(`^([a-z0-9]+(-[a-z0-9]+)*)?$`)
	f.Fuzz(func(t *testing.T, name string) {
		kebab := naming.Kebab(name)
		if !form.MatchString(kebab) {
			t.Errorf("Kebab(%q) = %q, which is not kebab case", name, kebab)
		}
		if again := naming.Kebab(kebab); again != kebab {
			t.Errorf("Kebab(%q) = %q, but applied twice it is %q", name, kebab, again)
		}
		if snake := naming.Snake(name); strings.ReplaceAll(snake, "_", "-") != kebab {
			t.Errorf("Snake(%q) = %q, which disagrees with Kebab %q", name, snake, kebab)
		}
	})
}
