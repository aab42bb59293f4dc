package auth_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/bowline-mcp/bowline/framework/auth"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/mcp"
)

// A route accepts the tokens of a company's issuer, and static tokens for programs.
func Example() {
	company := auth.JWT(auth.Issuer{URL: "https://login.example.com/realms/staff"})
	programs := auth.Static("deploy-bot 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 mcp:use")

	app := mcp.New(mcp.Config{URL: "https://mcp.example.com"})
	app.Router.Web("private", &lockedServer{}).Guard(auth.Bearer(auth.Any(company, programs), "mcp:use"))
	handler, err := app.Handler()
	if err != nil {
		fmt.Println(err)
		return
	}
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, httptest.NewRequest(http.MethodPost, "https://mcp.example.com/mcp/private", nil))
	fmt.Println(answer.Code, answer.Header().Get("WWW-Authenticate"))
	// Output: 401 Bearer scope="mcp:use", resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource/mcp/private"
}

// An API of the program accepts the same tokens as its MCP routes.
func ExampleMiddleware() {
	company := auth.JWT(auth.Issuer{URL: "https://login.example.com/realms/staff"})
	guard := auth.Bearer(company, "files:read")
	files := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintln(w, "Hello,", exchange.PrincipalFrom(r.Context()).Subject)
	})
	mux := http.NewServeMux()
	mux.Handle("/files/", auth.Middleware(guard, "https://example.com/files")(files))
	mux.Handle(auth.MetadataHandler(guard, "https://example.com/files"))

	for _, path := range []string{"/files/a", "/.well-known/oauth-protected-resource/files"} {
		answer := httptest.NewRecorder()
		mux.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "https://example.com"+path, nil))
		fmt.Println(answer.Code, path)
	}
	// Output:
	// 401 /files/a
	// 200 /.well-known/oauth-protected-resource/files
}
