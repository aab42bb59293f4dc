package auth_test

import (
	"strconv"
	"testing"

	"github.com/bowline-mcp/bowline/framework/auth"
	"github.com/bowline-mcp/bowline/framework/auth/authtest"
	"github.com/bowline-mcp/bowline/framework/auth/jose"
)

// bench verifies a token again and again.
func bench(b *testing.B, verifier auth.Verifier, token string) {
	b.Helper()
	if _, err := verifier.Verify(b.Context(), token, resource); err != nil {
		b.Fatal(err)
	}
	ctx := b.Context()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := verifier.Verify(ctx, token, resource); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(token)), "bytes")
}

func BenchmarkKnownToken(b *testing.B) {
	first, second := authtest.For(b, authtest.Keycloak), authtest.For(b, authtest.Auth0RFC9068)
	second.SetAlgorithm(jose.ES256)
	token := second.Token(resource, authtest.Scopes("files:read", "files:write"))
	verifier := auth.JWT(auth.Issuer{URL: second.URL()})
	b.Run("JWT", func(b *testing.B) { bench(b, verifier, token) })
	b.Run("Any", func(b *testing.B) { bench(b, auth.Any(auth.JWT(auth.Issuer{URL: first.URL()}), verifier), token) })
	b.Run("parallel", func(b *testing.B) {
		ctx := b.Context()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				_, _ = verifier.Verify(ctx, token, resource)
			}
		})
	})
	asked := auth.Introspection(auth.IntrospectionConfig{Issuer: auth.Issuer{URL: first.URL()}, ClientID: authtest.DefaultClient, ClientSecret: authtest.DefaultSecret})
	b.Run("Introspection", func(b *testing.B) { bench(b, asked, first.Token(resource)) })
}

// A token that is new, here for each resource, is verified with its key.
func BenchmarkNewToken(b *testing.B) {
	for _, algorithm := range jose.Algorithms() {
		b.Run(algorithm, func(b *testing.B) {
			issuer := authtest.For(b, authtest.Auth0RFC9068)
			issuer.SetAlgorithm(algorithm)
			token := issuer.Token(resource, authtest.Scopes("files:read", "files:write"))
			verifier := auth.JWT(auth.Issuer{URL: issuer.URL(), Audiences: []string{resource}})
			ctx := b.Context()
			b.ReportAllocs()
			for n := 0; b.Loop(); n++ {
				if _, err := verifier.Verify(ctx, token, resource+strconv.Itoa(n)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
