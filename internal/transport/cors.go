package transport

import (
	"net/http"
	"slices"
)

// cors adds the headers that let web pages of the allowed origins read an answer.
// It reports whether the request was a preflight, which is then answered.
func (g *Guard) cors(w http.ResponseWriter, r *http.Request) (preflight bool) {
	if len(g.Origins) == 0 {
		return false
	}
	h := w.Header()
	h.Add("Vary", "Origin")
	origin := r.Header.Get("Origin")
	if !slices.Contains(g.Origins, origin) {
		return false
	}
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Expose-Headers", "Mcp-Session-Id, Retry-After, WWW-Authenticate")
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	h.Set("Access-Control-Allow-Methods", "POST, GET, DELETE")
	// Mcp-Param-* can't be listed beforehand, so what was asked for is echoed.
	if asked := r.Header.Get("Access-Control-Request-Headers"); asked != "" {
		h.Set("Access-Control-Allow-Headers", asked)
	}
	h.Set("Access-Control-Max-Age", "600")
	w.WriteHeader(http.StatusNoContent)
	return true
}
