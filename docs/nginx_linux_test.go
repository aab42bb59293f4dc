package docs_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/internal/test/dockertest"
)

// A tlsProxy is nginx in front of the program of a serverMachine, with the configuration of a page.
type tlsProxy struct {
	address     string
	host        string // that the configuration serves
	certificate tls.Certificate
	folder      string // with the certificate of the host, HOST.pem
}

// proxy starts nginx with the one configuration that the sections of a page have.
func (m *serverMachine) proxy(t *testing.T, page map[string][]block) *tlsProxy {
	t.Helper()
	m.serves(t, m.service)
	configuration := ""
	for _, section := range page {
		for _, b := range section {
			if b.language == "nginx" {
				configuration += b.text
			}
		}
	}
	host := regexp.MustCompile(`server_name (\S+);`).FindStringSubmatch(configuration)
	if host == nil {
		t.Fatal("the page has no configuration of nginx")
	}
	binary := dockertest.Require(t, "nginx", "nginx-light")
	authority := httptest.NewUnstartedServer(nil)
	authority.StartTLS()
	p := &tlsProxy{address: freeAddress(t), host: host[1], certificate: authority.TLS.Certificates[0], folder: t.TempDir()}
	authority.Close()
	p.writePEM(t)
	pem := filepath.Join(p.folder, p.host)
	server := strings.NewReplacer("listen 443", "listen "+p.address, "127.0.0.1:8080", m.service,
		"/etc/letsencrypt/live/"+p.host+"/fullchain.pem", pem+".pem", "/etc/letsencrypt/live/"+p.host+"/privkey.pem", pem+".key").
		Replace(configuration)
	write(t, filepath.Join(p.folder, "nginx.conf"), strings.ReplaceAll(`daemon off; master_process off; pid DIR/pid; error_log stderr; events {}
http { access_log off; client_body_temp_path DIR/body; proxy_temp_path DIR/proxy; fastcgi_temp_path DIR/f; uwsgi_temp_path DIR/u; scgi_temp_path DIR/s;
`, "DIR", p.folder)+server+"}\n")
	p.start(t, binary)
	return p
}

// start runs nginx until the test ends, and waits until it listens.
func (p *tlsProxy) start(t *testing.T, binary string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), binary, "-e", "stderr", "-c", filepath.Join(p.folder, "nginx.conf"))
	log := &bytes.Buffer{}
	command.Stderr = log
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Wait() // the context has ended
		if t.Failed() {
			t.Log(log)
		}
	})
	for range 100 {
		if connection, err := p.dial(t.Context()); err == nil {
			_ = connection.Close()
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Error("nginx doesn't listen")
}

// dial connects to nginx as another machine than the proxy, to the program.
func (p *tlsProxy) dial(ctx context.Context) (net.Conn, error) {
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}}
	return dialer.DialContext(ctx, "tcp", p.address)
}

// browser returns a new browser, whose connections all end at nginx.
func (p *tlsProxy) browser() *http.Client {
	jar, _ := cookiejar.New(nil) // it never fails
	trusted := x509.NewCertPool()
	trusted.AddCert(p.certificate.Leaf)
	return &http.Client{Jar: jar, Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: trusted, ServerName: "example.com", MinVersion: tls.VersionTLS12}, // the name of the certificate
		DialContext:     func(ctx context.Context, _, _ string) (net.Conn, error) { return p.dial(ctx) },
	}}
}

// writePEM writes the certificate and its key.
func (p *tlsProxy) writePEM(t *testing.T) {
	t.Helper()
	key, err := x509.MarshalPKCS8PrivateKey(p.certificate.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(p.folder, p.host+".pem"), string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: p.certificate.Certificate[0]})))
	write(t, filepath.Join(p.folder, p.host+".key"), string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})))
}
