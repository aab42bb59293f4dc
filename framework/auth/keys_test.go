package auth_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth"
	"github.com/bowline-mcp/bowline/framework/auth/authtest"
	"github.com/bowline-mcp/bowline/framework/auth/jose"
	"github.com/bowline-mcp/bowline/framework/exchange"
)

// inBubble runs a parallel test with an issuer, whose time passes at once.
func inBubble(t *testing.T, shape authtest.Shape, test func(t *testing.T, issuer issuer)) {
	t.Helper()
	t.Parallel()
	inBubbleAlone(t, shape, test)
}

// inBubbleAlone is inBubble for a test that isn't parallel.
func inBubbleAlone(t *testing.T, shape authtest.Shape, test func(t *testing.T, issuer issuer)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		issuer := newIssuer(t, shape)
		issuer.SetLifetime(1000 * time.Hour)
		test(t, issuer)
		synctest.Wait() // all goroutines end, or the bubble fails
	})
}

// fetches checks how often the metadata and the keys were fetched.
func (i issuer) fetches(t *testing.T, metadata, keys int) {
	t.Helper()
	if m, k := i.Fetches(authtest.DiscoveryEndpoint), i.Fetches(authtest.KeysEndpoint); m != metadata || k != keys {
		t.Errorf("the metadata was fetched %d times, the keys %d times, want %d and %d", m, k, metadata, keys)
	}
}

// unknownKey returns a token that names a key which the issuer doesn't publish.
func (i issuer) unknownKey(id string) string {
	key := *i.Key()
	key.ID = id
	return i.token(authtest.SignedBy(&key))
}

func TestKeysAreFetchedWhenTheFirstTokenArrives(t *testing.T) {
	inBubble(t, authtest.Keycloak, func(t *testing.T, issuer issuer) {
		verifier := issuer.jwt()
		issuer.fetches(t, 0, 0)
		accepts(t, verifier, issuer.token())
		issuer.fetches(t, 1, 1)
		accepts(t, verifier, issuer.token())
		issuer.fetches(t, 1, 1)
	})
}

func TestAThousandRequestsAtOnceFetchKeysOnce(t *testing.T) {
	for _, delay := range []time.Duration{0, time.Second} {
		t.Run(delay.String(), func(t *testing.T) {
			inBubble(t, authtest.Auth0, func(t *testing.T, issuer issuer) {
				config := issuer.config()
				config.Client.Transport = inMemory{after(delay, issuer.Handler())}
				verifier := checked(t, auth.JWT(config))
				token := issuer.token()
				all := func() {
					var group sync.WaitGroup
					for range 1000 {
						group.Go(func() {
							if _, err := verifier.Verify(t.Context(), token, resource); err != nil {
								t.Error(err)
							}
						})
					}
					group.Wait()
				}
				all()
				issuer.fetches(t, 1, 1)
				time.Sleep(5 * time.Minute)
				all()
				time.Sleep(2 * delay)
				synctest.Wait()
				issuer.fetches(t, 1, 2)
			})
		})
	}
}

func TestConfiguredKeysNeedNoMetadata(t *testing.T) {
	inBubble(t, authtest.Okta, func(t *testing.T, issuer issuer) {
		config := issuer.config()
		config.JWKS = issuer.EndpointURL(authtest.KeysEndpoint)
		accepts(t, checked(t, auth.JWT(config)), issuer.token())
		issuer.fetches(t, 0, 1)
	})
}

func TestKeysAreFetchedAgainInTheBackgroundAsTheIssuerSays(t *testing.T) {
	for header, age := range map[string]time.Duration{
		"":                                    5 * time.Minute,
		"no-store":                            5 * time.Minute,
		"max-age=1":                           5 * time.Minute,
		"max-age=-1":                          5 * time.Minute,
		"public, max-age=600":                 10 * time.Minute,
		"public,Max-Age=600, must-revalidate": 10 * time.Minute,
		"max-age=86400":                       time.Hour,
		"max-age=99999999999999999999":        5 * time.Minute,
	} {
		t.Run(header, func(t *testing.T) {
			inBubble(t, authtest.Okta, func(t *testing.T, issuer issuer) {
				config, requests := issuer.config(), 0
				config.Client.Transport = inMemory{http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					requests++
					w.Header().Set("Cache-Control", header)
					after(time.Second, issuer.Handler()).ServeHTTP(w, r)
				})}
				verifier := checked(t, auth.JWT(config))
				token := issuer.token()
				accepts(t, verifier, token)
				time.Sleep(age - time.Second)
				accepts(t, verifier, token)
				synctest.Wait()
				if requests != 2 { // some of which may wait
					t.Errorf("%d requests, want one for the metadata and one for the keys", requests)
				}
				time.Sleep(2 * time.Second)
				start := time.Now()
				for range 10 {
					accepts(t, verifier, token)
				}
				if waited := time.Since(start); waited > 0 {
					t.Errorf("requests waited %v for the fetch", waited)
				}
				time.Sleep(3 * time.Second)
				metadata := 1
				if age == time.Hour {
					metadata = 2
				}
				issuer.fetches(t, metadata, 2)
			})
		})
	}
}

func TestATokenOfANewKeyIsAcceptedAtOnce(t *testing.T) {
	inBubble(t, authtest.Keycloak, func(t *testing.T, issuer issuer) {
		verifier := issuer.jwt()
		accepts(t, verifier, issuer.token())
		issuer.Rotate()
		accepts(t, verifier, issuer.token())
		issuer.fetches(t, 1, 2)
	})
}

func TestUnknownKeysCauseOneFetchAMinute(t *testing.T) {
	inBubble(t, authtest.Keycloak, func(t *testing.T, issuer issuer) {
		config := issuer.config()
		config.JWKS = issuer.EndpointURL(authtest.KeysEndpoint)
		verifier := checked(t, auth.JWT(config))
		accepts(t, verifier, issuer.token())
		for minute := range 4 {
			for n := range 60 {
				refuses(t, verifier, issuer.unknownKey(fmt.Sprintf("../../%d/%d", minute, n)), "unknown key")
				if n == 0 {
					issuer.fetches(t, 0, 2+minute)
				}
				time.Sleep(time.Second)
			}
		}
		issuer.fetches(t, 0, 5)
	})
}

func TestNoRequestWaitsLongForTheFetchOfAnUnknownKey(t *testing.T) {
	inBubble(t, authtest.Keycloak, func(t *testing.T, issuer issuer) {
		config := issuer.config()
		delay := time.Duration(0)
		config.Client.Transport = inMemory{http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { after(delay, issuer.Handler()).ServeHTTP(w, r) })}
		verifier := checked(t, auth.JWT(config))
		old := issuer.token()
		accepts(t, verifier, old)
		delay = time.Second
		issuer.Rotate()
		token := issuer.token()
		var group sync.WaitGroup
		for range 100 {
			group.Go(func() {
				start := time.Now()
				if retry := unavailable(t, verifier, token); retry != time.Second {
					t.Errorf("Retry-After is %v, want a second", retry)
				}
				if waited := time.Since(start); waited != 50*time.Millisecond {
					t.Errorf("a request waited %v, want 50 ms", waited)
				}
				if start = time.Now(); accepts(t, verifier, old).ID == "" || time.Since(start) > 0 {
					t.Error("a request with a known token waited")
				}
			})
		}
		group.Wait()
		time.Sleep(time.Second)
		accepts(t, verifier, token)
		issuer.fetches(t, 1, 2)
	})
}

// It is not parallel, since it measures the heap.
func TestAThousandRotationsCauseFewFetchesAndKeepLittle(t *testing.T) {
	inBubbleAlone(t, authtest.Okta, func(t *testing.T, issuer issuer) {
		config := issuer.config()
		config.JWKS = issuer.EndpointURL(authtest.KeysEndpoint)
		verifier := checked(t, auth.JWT(config))
		start := time.Now()
		var before, later runtime.MemStats
		for n := range 1000 {
			if n == 100 {
				runtime.GC()
				runtime.ReadMemStats(&before)
			}
			issuer.Rotate()
			issuer.Retire()
			_, err := verifier.Verify(t.Context(), issuer.Token(resource), resource)
			if _, refused := errors.AsType[*auth.TokenError](err); err != nil && !refused {
				t.Fatal(err)
			}
			time.Sleep(10 * time.Second)
		}
		runtime.GC()
		runtime.ReadMemStats(&later)
		if fetches, minutes := issuer.Fetches(authtest.KeysEndpoint), int(time.Since(start)/time.Minute); fetches > minutes+minutes/5+2 {
			t.Errorf("%d fetches in %d minutes", fetches, minutes)
		}
		if grown := int64(later.HeapAlloc) - int64(before.HeapAlloc); grown > 4<<20 {
			t.Errorf("the heap grew by %d bytes", grown)
		}
	})
}

func TestTokensOfAWithdrawnKeyAreRefusedAfterTheNextFetch(t *testing.T) {
	inBubble(t, authtest.Keycloak, func(t *testing.T, issuer issuer) {
		verifier := issuer.jwt()
		withdrawn := issuer.token()
		accepts(t, verifier, withdrawn)
		issuer.Rotate()
		kept := issuer.token()
		accepts(t, verifier, kept)
		accepts(t, verifier, withdrawn) // both are published
		issuer.Retire()
		accepts(t, verifier, withdrawn)
		time.Sleep(5 * time.Minute)
		accepts(t, verifier, withdrawn) // it starts the fetch
		synctest.Wait()
		refuses(t, verifier, withdrawn, "unknown key")
		accepts(t, verifier, kept)
	})
}

func TestAnIssuerThatReplacesAKeyWithTheSameIDWithdrawsIt(t *testing.T) {
	inBubble(t, authtest.Okta, func(t *testing.T, issuer issuer) {
		verifier := issuer.jwt()
		token := issuer.token()
		accepts(t, verifier, token)
		other, err := jose.GenerateKey(jose.ES256)
		if err != nil {
			t.Fatal(err)
		}
		other.ID = issuer.Key().ID
		data, err := other.Public().MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		issuer.Replace(authtest.KeysEndpoint, answering(http.StatusOK, `{"keys":[`+string(data)+`]}`))
		time.Sleep(5 * time.Minute)
		accepts(t, verifier, token)
		synctest.Wait()
		refuses(t, verifier, token, "signature")
		accepts(t, verifier, issuer.token(authtest.SignedBy(other)))
	})
}

func TestAnIssuerWithoutUsableKeysIsNamedInTheLog(t *testing.T) {
	inBubble(t, authtest.Okta, func(t *testing.T, issuer issuer) {
		issuer.Replace(authtest.KeysEndpoint, answering(http.StatusOK, `{"keys":[{"kty":"oct","kid":"a","k":"c2VjcmV0"}]}`))
		refuses(t, issuer.jwt(), issuer.token(), "unknown key")
		if issuer.log.lines("publishes no key") == 0 || !strings.Contains(issuer.log.String(), issuer.URL()) || !strings.Contains(issuer.log.String(), "oct") {
			t.Errorf("the log is %s", issuer.log)
		}
	})
}

func TestWithoutKeysARequestWaitsForTheIssuerAndIsThenRefused(t *testing.T) {
	inBubble(t, authtest.Keycloak, func(t *testing.T, issuer issuer) {
		issuer.Replace(authtest.KeysEndpoint, after(time.Hour, answering(http.StatusOK, "")))
		verifier := issuer.jwt()
		token := issuer.token()
		start := time.Now()
		var group sync.WaitGroup
		for range 100 {
			group.Go(func() { unavailable(t, verifier, token) })
		}
		group.Wait()
		if waited := time.Since(start); waited != 5*time.Second {
			t.Errorf("the requests waited %v, want 5 s", waited)
		}
		issuer.fetches(t, 1, 1)
		unavailable(t, verifier, token)
		if waited := time.Since(start); waited != 5*time.Second {
			t.Error("the next request waited too")
		}
		issuer.fetches(t, 1, 1)
	})
}

func TestTheCauseOfAnOutageIsLoggedOnce(t *testing.T) {
	inBubble(t, authtest.Keycloak, func(t *testing.T, issuer issuer) {
		issuer.Replace(authtest.KeysEndpoint, answering(http.StatusInternalServerError, ""))
		verifier := issuer.jwt()
		token := issuer.token()
		for range 3600 {
			unavailable(t, verifier, token)
			time.Sleep(time.Second)
		}
		if issuer.log.lines("level=ERROR") != 1 || !strings.Contains(issuer.log.String(), issuer.URL()) || !strings.Contains(issuer.log.String(), "status 500") {
			t.Errorf("the log is %s", issuer.log)
		}
		issuer.Replace(authtest.KeysEndpoint, nil)
		time.Sleep(30 * time.Second)
		accepts(t, verifier, token)
		if issuer.log.lines("works again") != 1 {
			t.Errorf("the log is %s", issuer.log)
		}
	})
}

func TestAFailingIssuerIsAskedMoreAndMoreRarely(t *testing.T) {
	inBubble(t, authtest.Keycloak, func(t *testing.T, issuer issuer) {
		issuer.Replace(authtest.KeysEndpoint, answering(http.StatusBadGateway, ""))
		verifier := issuer.jwt()
		token := issuer.token()
		start := time.Now()
		var times []time.Duration
		for fetches := 0; time.Since(start) < 2*time.Minute; time.Sleep(500 * time.Millisecond) {
			retry := unavailable(t, verifier, token)
			if now := issuer.Fetches(authtest.KeysEndpoint); now > fetches {
				fetches = now
				times = append(times, time.Since(start))
				if len(times) > 1 && retry < times[len(times)-1]-times[len(times)-2] {
					t.Errorf("Retry-After is %v after pauses of %v", retry, times)
				}
			}
		}
		if got, want := fmt.Sprint(times), "[0s 1s 3s 7s 15s 31s 1m1s 1m31s]"; got != want {
			t.Errorf("the keys were fetched after %s, want %s", got, want)
		}
	})
}

func TestOldKeysAreUsedForADayWhileTheIssuerIsDown(t *testing.T) {
	inBubble(t, authtest.Keycloak, func(t *testing.T, issuer issuer) {
		verifier := issuer.jwt()
		known := issuer.token()
		accepts(t, verifier, known)
		issuer.Replace(authtest.KeysEndpoint, after(time.Hour, answering(http.StatusOK, "")))
		for range 23 {
			time.Sleep(time.Hour)
			start := time.Now()
			accepts(t, verifier, known)
			accepts(t, verifier, issuer.token())
			if time.Since(start) > 0 {
				t.Error("a request waited for the issuer")
			}
		}
		time.Sleep(10 * time.Second)
		unavailable(t, verifier, issuer.unknownKey("other")) // it may be a new key
		time.Sleep(time.Hour)
		unavailable(t, verifier, known)
		unavailable(t, verifier, issuer.token())
		issuer.Replace(authtest.KeysEndpoint, nil)
		time.Sleep(time.Minute)
		accepts(t, verifier, known)
	})
}

// The issuer may have a new key, which can't be fetched.
func TestATokenOfAnUnknownKeyIsNotRefusedWhileTheIssuerIsDown(t *testing.T) {
	inBubble(t, authtest.Keycloak, func(t *testing.T, issuer issuer) {
		verifier := issuer.jwt()
		accepts(t, verifier, issuer.token())
		issuer.Replace(authtest.KeysEndpoint, answering(http.StatusInternalServerError, ""))
		token := issuer.unknownKey("other")
		for range 3 {
			unavailable(t, verifier, token)
			accepts(t, verifier, issuer.token())
			time.Sleep(time.Second)
		}
		issuer.Replace(authtest.KeysEndpoint, nil)
		time.Sleep(time.Minute)
		refuses(t, verifier, token, "unknown key")
	})
}

func TestAddressesOfKeysAreDiscoveredAgainAfterAFailure(t *testing.T) {
	inBubble(t, authtest.Keycloak, func(t *testing.T, issuer issuer) {
		verifier := issuer.jwt()
		accepts(t, verifier, issuer.token())
		issuer.Replace(authtest.KeysEndpoint, http.NotFoundHandler())
		time.Sleep(5 * time.Minute)
		accepts(t, verifier, issuer.token())
		synctest.Wait()
		issuer.fetches(t, 1, 2)
		issuer.Replace(authtest.KeysEndpoint, nil)
		time.Sleep(time.Second)
		accepts(t, verifier, issuer.token())
		synctest.Wait()
		issuer.fetches(t, 2, 3)
	})
}

func TestARequestThatEndsDoesNotEndTheFetch(t *testing.T) {
	inBubble(t, authtest.Keycloak, func(t *testing.T, issuer issuer) {
		config := issuer.config()
		config.Client.Transport = inMemory{after(time.Second, issuer.Handler())}
		verifier := checked(t, auth.JWT(config))
		token := issuer.token()
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		_, err := verifier.Verify(ctx, token, resource)
		if refused, ok := errors.AsType[*exchange.Error](err); !ok || refused.Status != http.StatusServiceUnavailable {
			t.Errorf("%v, want status 503", err)
		}
		time.Sleep(3 * time.Second)
		accepts(t, verifier, token)
		issuer.fetches(t, 1, 1)
	})
}
