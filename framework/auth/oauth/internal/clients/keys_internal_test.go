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
	if len(keys.byURL) > 1000 {
		t.Errorf("the keys of %d URLs are kept", len(keys.byURL))
	}
}
