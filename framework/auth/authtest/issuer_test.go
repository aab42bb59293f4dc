package authtest_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/auth/authtest"
	"github.com/bowline-mcp/bowline/framework/auth/jose"
)

const resource = "https://example.com/mcp/notes"

// get returns the status and the JSON object at a URL.
func get(t *testing.T, address string) (status int, members map[string]any) {
	t.Helper()
	response, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	_ = json.Unmarshal(body, &members) // pages of errors aren't JSON
	return response.StatusCode, members
}

// imitate returns an issuer of a shape. Its keys are for ES256, since one for the usual RS256 takes a while to make.
func imitate(t *testing.T, shape authtest.Shape) *authtest.Issuer {
	t.Helper()
	issuer := authtest.For(t, shape)
	issuer.SetAlgorithm(jose.ES256)
	return issuer
}

// base returns the scheme and host of an issuer.
func base(t *testing.T, issuer *authtest.Issuer) string {
	t.Helper()
	parsed, err := url.Parse(issuer.URL())
	if err != nil {
		t.Fatal(err)
	}
	return parsed.Scheme + "://" + parsed.Host
}

func TestEachShapeHasTheDocumentsOfItsProduct(t *testing.T) {
	t.Parallel()
	const (
		openID   = "/.well-known/openid-configuration"
		metadata = "/.well-known/oauth-authorization-server"
	)
	for shape, want := range map[authtest.Shape]struct {
		issuer  string
		serves  []string
		missing []string
	}{
		authtest.Auth0:        {"/", []string{openID, metadata}, nil},
		authtest.Auth0RFC9068: {"/", []string{openID, metadata}, nil},
		authtest.Entra: {
			"/6a7f2f0c-3b1d-4c55-9d3e-5f0a1c2b7e90/v2.0",
			[]string{"/6a7f2f0c-3b1d-4c55-9d3e-5f0a1c2b7e90/v2.0" + openID},
			[]string{openID, metadata, metadata + "/6a7f2f0c-3b1d-4c55-9d3e-5f0a1c2b7e90/v2.0", openID + "/6a7f2f0c-3b1d-4c55-9d3e-5f0a1c2b7e90/v2.0"},
		},
		authtest.Keycloak: {
			"/realms/test",
			[]string{"/realms/test" + openID, "/realms/test" + metadata, openID + "/realms/test", metadata + "/realms/test"},
			[]string{openID, metadata},
		},
		authtest.WorkOS: {"", []string{openID, metadata}, nil},
		authtest.Cognito: {
			"/us-east-1_Te5tP00l1",
			[]string{"/us-east-1_Te5tP00l1" + openID},
			[]string{openID, metadata, metadata + "/us-east-1_Te5tP00l1", openID + "/us-east-1_Te5tP00l1"},
		},
		authtest.Okta: {
			"/oauth2/default",
			[]string{"/oauth2/default" + openID, "/oauth2/default" + metadata, metadata + "/oauth2/default"},
			[]string{openID, metadata, openID + "/oauth2/default"},
		},
	} {
		t.Run(string(shape), func(t *testing.T) {
			t.Parallel()
			issuer := authtest.For(t, shape)
			base := base(t, issuer)
			if issuer.URL() != base+want.issuer {
				t.Errorf("the issuer is %s, not %s", issuer.URL(), base+want.issuer)
			}
			for _, path := range want.serves {
				status, members := get(t, base+path)
				if status != http.StatusOK || members["issuer"] != issuer.URL() {
					t.Errorf("%s: status %d, issuer %v", path, status, members["issuer"])
				}
			}
			for _, path := range want.missing {
				if status, _ := get(t, base+path); status != http.StatusNotFound {
					t.Errorf("%s: status %d", path, status)
				}
			}
			if got := issuer.Fetches(authtest.DiscoveryEndpoint); got != len(want.serves) {
				t.Errorf("%d fetches of documents, not %d", got, len(want.serves))
			}
		})
	}
}

func TestDocumentsNameTheEndpointsThatExist(t *testing.T) {
	t.Parallel()
	for _, shape := range authtest.Shapes() {
		t.Run(string(shape), func(t *testing.T) {
			t.Parallel()
			issuer := authtest.For(t, shape)
			_, document := get(t, issuer.EndpointURL(authtest.DiscoveryEndpoint))
			for name, endpoint := range map[string]authtest.Endpoint{
				"jwks_uri":               authtest.KeysEndpoint,
				"authorization_endpoint": authtest.AuthorizationEndpoint,
				"token_endpoint":         authtest.TokenEndpoint,
				"introspection_endpoint": authtest.IntrospectionEndpoint,
			} {
				address := issuer.EndpointURL(endpoint)
				if named, _ := document[name].(string); named != address {
					t.Errorf("the document's %s is %q, the endpoint is at %q", name, named, address)
				}
				if address == "" {
					continue
				}
				if status, _ := get(t, address); status == http.StatusNotFound {
					t.Errorf("nothing is at the %s %s", name, address)
				}
			}
		})
	}
}

// Products differ in what clients need: some have no registration, no introspection, or
// don't say that they support PKCE.
func TestDocumentsLackWhatTheProductsLack(t *testing.T) {
	t.Parallel()
	for shape, want := range map[authtest.Shape][]string{
		authtest.Auth0:    {"introspection_endpoint"},
		authtest.Entra:    {"introspection_endpoint", "registration_endpoint", "code_challenge_methods_supported"},
		authtest.Keycloak: nil,
		authtest.WorkOS:   nil,
		authtest.Cognito:  {"introspection_endpoint", "registration_endpoint", "code_challenge_methods_supported"},
		authtest.Okta:     nil,
	} {
		t.Run(string(shape), func(t *testing.T) {
			t.Parallel()
			_, document := get(t, authtest.For(t, shape).EndpointURL(authtest.DiscoveryEndpoint))
			for _, name := range []string{"introspection_endpoint", "registration_endpoint", "code_challenge_methods_supported"} {
				if _, has := document[name]; has == slices.Contains(want, name) {
					t.Errorf("the document has %s: %t", name, has)
				}
			}
		})
	}
}

func TestAMemberOfTheDocumentsCanBeChangedOrRemoved(t *testing.T) {
	t.Parallel()
	issuer := authtest.For(t, authtest.Keycloak)
	issuer.SetMetadata("issuer", "https://evil.example")
	issuer.SetMetadata("code_challenge_methods_supported", nil)
	_, document := get(t, issuer.EndpointURL(authtest.DiscoveryEndpoint))
	if document["issuer"] != "https://evil.example" {
		t.Errorf("the issuer is %v", document["issuer"])
	}
	if methods, has := document["code_challenge_methods_supported"]; has {
		t.Errorf("the document has the methods %v", methods)
	}
}

func TestAnEndpointCanBeReplacedAndRestored(t *testing.T) {
	t.Parallel()
	issuer := authtest.For(t, authtest.WorkOS)
	keys := issuer.EndpointURL(authtest.KeysEndpoint)
	issuer.Replace(authtest.KeysEndpoint, http.NotFoundHandler())
	if status, _ := get(t, keys); status != http.StatusNotFound {
		t.Errorf("the status of the replaced endpoint is %d", status)
	}
	issuer.Replace(authtest.KeysEndpoint, nil)
	if status, _ := get(t, keys); status != http.StatusOK {
		t.Errorf("the status of the restored endpoint is %d", status)
	}
	if got := issuer.Fetches(authtest.KeysEndpoint); got != 2 {
		t.Errorf("%d fetches, not 2", got)
	}
}

func TestAProgramCanServeTheHandlerItself(t *testing.T) {
	t.Parallel()
	issuer, err := authtest.NewAt("https://login.example.com/", authtest.Auth0)
	if err != nil {
		t.Fatal(err)
	}
	defer issuer.Close()
	if issuer.URL() != "https://login.example.com/" {
		t.Errorf("the issuer is %s", issuer.URL())
	}
	answer := httptest.NewRecorder()
	issuer.Handler().ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/.well-known/openid-configuration", nil))
	if !strings.Contains(answer.Body.String(), `"token_endpoint":"https://login.example.com/oauth/token"`) {
		t.Errorf("the document is %s", answer.Body)
	}
}

func TestAnUnknownShapeIsNamed(t *testing.T) {
	t.Parallel()
	if _, err := authtest.New("Keykloak"); err == nil || !strings.Contains(err.Error(), `unknown shape "Keykloak"; use one of ["Auth0"`) {
		t.Errorf("the error is %v", err)
	}
}

func TestAClosedIssuerAnswersNothing(t *testing.T) {
	t.Parallel()
	issuer, err := authtest.New(authtest.Okta)
	if err != nil {
		t.Fatal(err)
	}
	issuer.Close()
	if _, err := http.Get(issuer.EndpointURL(authtest.KeysEndpoint)); err == nil {
		t.Error("the issuer still answers")
	}
}

func TestBrowsersMayReadAllButTheEndpointsOfUsersAndServers(t *testing.T) {
	t.Parallel()
	issuer := authtest.For(t, authtest.Keycloak)
	for endpoint, open := range map[authtest.Endpoint]bool{
		authtest.DiscoveryEndpoint:     true,
		authtest.KeysEndpoint:          true,
		authtest.TokenEndpoint:         true,
		authtest.RegistrationEndpoint:  true,
		authtest.AuthorizationEndpoint: false,
		authtest.IntrospectionEndpoint: false,
	} {
		request, err := http.NewRequest(http.MethodOptions, issuer.EndpointURL(endpoint), nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Origin", "http://localhost:6274")
		request.Header.Set("Access-Control-Request-Method", http.MethodPost)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if got := response.Header.Get("Access-Control-Allow-Origin") == "*"; got != open || got != (response.StatusCode == http.StatusNoContent) {
			t.Errorf("%s: open %t, status %d", endpoint, got, response.StatusCode)
		}
		if open && issuer.Fetches(endpoint) != 0 {
			t.Errorf("%s: the preflight counts as a fetch", endpoint)
		}
	}
}

func TestAWrongMethodIsRefused(t *testing.T) {
	t.Parallel()
	issuer := authtest.For(t, authtest.Keycloak)
	response, err := http.Get(issuer.EndpointURL(authtest.TokenEndpoint))
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusMethodNotAllowed || response.Header.Get("Allow") != http.MethodPost {
		t.Errorf("status %d, Allow %q", response.StatusCode, response.Header.Get("Allow"))
	}
}
