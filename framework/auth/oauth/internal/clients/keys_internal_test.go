package clients

import (
	"fmt"
	"log/slog"
	"net/http"
	"testing"
)

// Anybody can register clients with ever new URLs.
func TestTheKeysOfManyClientsAreForgotten(t *testing.T) {
	t.Parallel()
	keys := NewPublishedKeys(http.DefaultClient, slog.New(slog.DiscardHandler))
	for n := range 1100 {
		keys.at(fmt.Sprint("https://client.example/", n))
	}
	kept := 0
	for n := range 1100 {
		if keys.byURL.Has(fmt.Sprint("https://client.example/", n)) {
			kept++
		}
	}
	if kept != 1000 {
		t.Errorf("the keys of %d URLs are kept", kept)
	}
}
