package authtest

import (
	"maps"
	"net/http"
	"strings"

	"github.com/bowline-mcp/bowline/internal/json/codec"
)

// maxBody is how many bytes a request to the issuer may have.
const maxBody = 64 << 10

// routes returns the handler of all endpoints that the product has.
func (i *Issuer) routes() http.Handler {
	mux := http.NewServeMux()
	for _, path := range i.product.documents {
		i.route(mux, DiscoveryEndpoint, http.MethodGet, path, i.serveMetadata)
	}
	for _, endpoint := range []struct {
		name   Endpoint
		method string
		serve  http.HandlerFunc
	}{
		{KeysEndpoint, http.MethodGet, i.serveKeys},
		{AuthorizationEndpoint, http.MethodGet, i.authorize},
		{TokenEndpoint, http.MethodPost, i.serveToken},
		{RegistrationEndpoint, http.MethodPost, i.register},
		{IntrospectionEndpoint, http.MethodPost, i.introspect},
	} {
		if address := i.EndpointURL(endpoint.name); address != "" {
			i.route(mux, endpoint.name, endpoint.method, strings.TrimPrefix(address, i.base), endpoint.serve)
		}
	}
	return mux
}

// route adds an endpoint. Browsers may read all but those that users or servers open.
func (i *Issuer) route(mux *http.ServeMux, endpoint Endpoint, method, path string, serve http.HandlerFunc) {
	open := endpoint != AuthorizationEndpoint && endpoint != IntrospectionEndpoint
	mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
		if open {
			w.Header().Set("Access-Control-Allow-Origin", "*")
			if r.Method == http.MethodOptions {
				w.Header().Set("Access-Control-Allow-Methods", method)
				w.Header().Set("Access-Control-Allow-Headers", "*, Authorization, MCP-Protocol-Version")
				w.WriteHeader(http.StatusNoContent)
				return
			}
		}
		replaced := i.count(endpoint)
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		switch {
		case replaced != nil:
			replaced.ServeHTTP(w, r)
		case r.Method != method && (r.Method != http.MethodHead || method != http.MethodGet):
			w.Header().Set("Allow", method)
			http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		default:
			serve(w, r)
		}
	})
}

// count counts a request and returns the handler that replaces the endpoint, or nil.
func (i *Issuer) count(endpoint Endpoint) http.Handler {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.fetches[endpoint]++
	return i.replaced[endpoint]
}

// serveMetadata serves the discovery document (RFC 8414, OpenID Connect Discovery).
func (i *Issuer) serveMetadata(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, i.document())
}

func (i *Issuer) document() map[string]any {
	members := maps.Clone(i.discovery)
	i.mu.Lock()
	defer i.mu.Unlock()
	maps.Copy(members, i.metadata)
	maps.DeleteFunc(members, func(_ string, value any) bool { return value == nil })
	return members
}

func writeJSON(w http.ResponseWriter, status int, value any) {
	data, err := codec.Marshal(value)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(data)
}
