package endpoint

import (
	"context"
	"net/http"
	"time"
)

// IsReady reports whether a program at an address, such as 127.0.0.1:8080, answers within a
// second that it takes requests, as apps do at /readyz.
func IsReady(ctx context.Context, address string) bool {
	ctx, stop := context.WithTimeout(ctx, time.Second)
	defer stop()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/readyz", nil)
	if err != nil {
		return false
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	_ = response.Body.Close()
	return response.StatusCode == http.StatusOK
}
