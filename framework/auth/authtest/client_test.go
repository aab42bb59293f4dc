package authtest_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/auth/authtest"
)

// register sends client metadata and returns the status and the answer.
func register(t *testing.T, issuer *authtest.Issuer, metadata string) (status int, members map[string]any) {
	t.Helper()
	response, err := http.Post(issuer.EndpointURL(authtest.RegistrationEndpoint), "application/json", strings.NewReader(metadata))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	if err := json.NewDecoder(response.Body).Decode(&members); err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, members
}

func TestARegisteredPublicClientLogsIn(t *testing.T) {
	t.Parallel()
	for _, shape := range []authtest.Shape{authtest.Auth0, authtest.Keycloak, authtest.WorkOS} {
		issuer := imitate(t, shape)
		status, client := register(t, issuer, `{"client_name":"app","redirect_uris":["http://127.0.0.1/callback"],"token_endpoint_auth_method":"none"}`)
		if status != http.StatusCreated || client["client_name"] != "app" || client["client_secret"] != nil {
			t.Fatalf("%s: status %d, %v", shape, status, client)
		}
		id := client["client_id"].(string)
		_, answer := post(t, issuer.EndpointURL(authtest.TokenEndpoint), values(
			"grant_type", "authorization_code", "client_id", id, "code_verifier", verifier,
			"code", code(t, issuer, authorization("client_id", id))))
		if answer["access_token"] == nil {
			t.Errorf("%s: the answer is %v", shape, answer)
		}
	}
}

func TestARegisteredClientGetsASecretUnlessItIsPublic(t *testing.T) {
	t.Parallel()
	issuer := imitate(t, authtest.Keycloak)
	_, client := register(t, issuer, `{"redirect_uris":["http://127.0.0.1/callback"]}`)
	id, _ := client["client_id"].(string)
	secret, _ := client["client_secret"].(string)
	status, answer := post(t, issuer.EndpointURL(authtest.TokenEndpoint),
		values("grant_type", "client_credentials", "client_id", id, "client_secret", secret))
	if secret == "" || status != http.StatusOK {
		t.Errorf("the client is %v; status %d, %v", client, status, answer)
	}
}

func TestClientMetadataThatIsNotValidIsRefused(t *testing.T) {
	t.Parallel()
	issuer := imitate(t, authtest.Keycloak)
	for _, metadata := range []string{``, `[]`, `{"redirect_uris":"http://127.0.0.1/"}`, `{"redirect_uris":[1]}`, strings.Repeat(" ", 70_000) + `{}`} {
		if status, answer := register(t, issuer, metadata); status != http.StatusBadRequest || answer["error"] != "invalid_client_metadata" {
			t.Errorf("%.20q: status %d, %v", metadata, status, answer)
		}
	}
}
