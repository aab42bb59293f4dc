package authcheck

import (
	"net/http"
	"time"
)

// SetTransport sets how the check reaches servers.
func (c *Check) SetTransport(transport *http.Transport) { c.client.http.Transport = transport }

// SetPatience sets how long the check waits for each answer.
func (c *Check) SetPatience(d time.Duration) { c.client.patience = d }
